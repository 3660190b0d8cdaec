"""Sessions are bounded in number, read by many, and end even when they fail."""

import asyncio
import json
from typing import Any

import pytest

from ncs.records import DataError
from ncs.web.jobs import BusyError
from ncs.web.sessions import MOST_KEPT, MOST_RUNNING, Sessions


class Film:
    """Stands for an episode of so many moments; it may tear."""

    def __init__(self, length: int, tears: bool = False) -> None:
        self.left, self.tears = length, tears
        self.commands, self.files, self.solved = ["ncs"], {}, True

    def next(self) -> dict[str, Any] | None:
        if self.left == 0 and self.tears:
            raise DataError("film: torn")
        self.left -= 1
        return {"left": self.left} if self.left >= 0 else None


class Hands:
    """Stands for a job queue that works on the spot, and is busy at first."""

    def __init__(self) -> None:
        self.refusals = 2

    async def run(self, job: Any, *arguments: Any) -> Any:
        await asyncio.sleep(0)
        if self.refusals:
            self.refusals -= 1
            raise BusyError("later")
        return job(*arguments)


def events(text: list[str]) -> list[tuple[str, Any]]:
    parts = [dict(line.split(": ", 1) for line in one.strip().splitlines()) for one in text]
    return [(part["event"], json.loads(part["data"])) for part in parts]


async def read(sessions: Sessions, name: str, first: int = 0) -> list[tuple[str, Any]]:
    return events([text async for text in sessions.find(name).read(first)])


def test_every_reader_sees_the_whole_episode_whenever_it_comes() -> None:
    async def scenario() -> None:
        sessions = Sessions(Hands())  # type: ignore[arg-type]
        name = sessions.open(Film(3))  # type: ignore[arg-type]
        early, also = await asyncio.gather(read(sessions, name), read(sessions, name))
        late = await read(sessions, name, first=2)
        assert early == also
        assert [kind for kind, _ in early] == ["moment"] * 3 + ["end"]
        assert late == early[2:]

    asyncio.run(scenario())


def test_an_episode_that_fails_says_so_and_ends() -> None:
    async def scenario() -> None:
        sessions = Sessions(Hands())  # type: ignore[arg-type]
        told = await read(sessions, sessions.open(Film(1, tears=True)))  # type: ignore[arg-type]
        assert told[-1] == (
            "end", {"solved": False, "error": "film: torn", "commands": ["ncs"], "files": []}
        )  # fmt: skip

    asyncio.run(scenario())


def test_the_oldest_are_forgotten_and_few_run_at_once() -> None:
    async def scenario() -> None:
        sessions = Sessions(Hands())  # type: ignore[arg-type]
        names = []
        for _ in range(MOST_KEPT + 3):
            names.append(sessions.open(Film(0)))  # type: ignore[arg-type]
            await read(sessions, names[-1])
        with pytest.raises(DataError, match="the oldest are forgotten"):
            sessions.find(names[0])
        for _ in range(MOST_RUNNING):
            sessions.open(Film(10**9))  # type: ignore[arg-type]
        with pytest.raises(BusyError, match="being played already"):
            async with sessions.reserve():
                pass
        await sessions.close()

    asyncio.run(scenario())


def test_a_session_counts_while_its_episode_is_prepared() -> None:
    async def scenario() -> None:
        sessions = Sessions(Hands())  # type: ignore[arg-type]
        async with sessions.reserve(), sessions.reserve():
            with pytest.raises(BusyError):
                async with sessions.reserve():
                    pass
        async with sessions.reserve():
            pass

    assert MOST_RUNNING == 2
    asyncio.run(scenario())
