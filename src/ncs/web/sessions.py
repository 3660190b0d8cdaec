"""Takes episodes, plays them as sessions: bounded in number, each with events for its readers."""

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator
from typing import Any

from ncs.records import DataError, NcsError
from ncs.web.episodes import Episode
from ncs.web.jobs import BusyError, JobQueue

MOST_RUNNING = 2  # one to watch, one to compare
MOST_KEPT = 12  # an episode is a megabyte or two of pictures


class Session:
    """An episode under way or past, and its events."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.events: list[dict[str, Any]] = []
        self.over = False
        self.stopped = False
        self._news = asyncio.Condition()

    async def tell(self, event: dict[str, Any]) -> None:
        """Adds an event for every reader."""
        async with self._news:
            self.events.append(event)
            self.over = event["event"] == "end"
            self._news.notify_all()

    async def read(self, first: int) -> AsyncIterator[str]:
        """Events from a number on, as server-sent events, until the end."""
        number = first
        while True:
            async with self._news:
                while number >= len(self.events) and not self.over:
                    await self._news.wait()
            while number < len(self.events):
                event = self.events[number]
                data = json.dumps(event["data"], allow_nan=False)
                yield f"id: {number}\nevent: {event['event']}\ndata: {data}\n\n"
                number += 1
            if self.over:
                return


class Sessions:
    """All sessions of a server, by id."""

    def __init__(self, jobs: JobQueue) -> None:
        self._jobs = jobs
        self._sessions: dict[str, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = 0

    @contextlib.asynccontextmanager
    async def reserve(self) -> AsyncIterator[None]:
        """Counts as a session while its episode is prepared; refuses when too many run."""
        running = sum(not one.over for one in self._sessions.values()) + self._starting
        if running >= MOST_RUNNING:
            raise BusyError(f"{MOST_RUNNING} episodes are being played already; wait or stop one")
        self._starting += 1
        try:
            yield
        finally:
            self._starting -= 1

    def open(self, episode: Episode) -> str:
        """Starts a session; its id comes back."""
        name = secrets.token_hex(8)
        self._sessions[name] = Session(episode)
        for old in [n for n, one in self._sessions.items() if one.over][:-MOST_KEPT]:
            del self._sessions[old]
        task = asyncio.create_task(self._run(self._sessions[name]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return name

    async def _run(self, one: Session) -> None:
        """Plays an episode to its end, a step at a time, so that others get their turn."""
        verdict: dict[str, Any] = {"solved": False}
        try:
            while not one.stopped and (told := await self._next(one)) is not None:
                await one.tell({"event": "moment", "data": told})
            verdict = {"solved": one.episode.solved, "stopped": one.stopped}
        except NcsError as error:
            verdict["error"] = str(error)
        except Exception as error:
            verdict["error"] = f"{type(error).__name__}: {error}"
            raise
        finally:
            verdict |= {"commands": one.episode.commands, "files": sorted(one.episode.files)}
            await one.tell({"event": "end", "data": verdict})

    async def _next(self, one: Session) -> dict[str, Any] | None:
        while True:
            try:
                return await self._jobs.run(one.episode.next)
            except BusyError:  # clicks come first; it goes on when the queue is shorter
                await asyncio.sleep(0.1)

    def find(self, name: str) -> Session:
        """A session by its id."""
        if name not in self._sessions:
            raise DataError("episode: there is no such one; the oldest are forgotten")
        return self._sessions[name]

    async def close(self) -> None:
        """Ends what is under way."""
        for one in self._sessions.values():
            one.stopped = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
