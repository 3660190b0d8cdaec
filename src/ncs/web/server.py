"""Takes an application, gives a server that strangers cannot hold up, and that ends in order.

A connection that never asks, asks without end, or never reads its answer is closed after a while;
when there are too many, the one that has waited longest makes room for a new one. So whoever asks
in earnest is answered, however many sockets others hold open.
"""

import asyncio
import contextlib
import ctypes
import logging
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ncs.web.guard import App

ASK_SECONDS = 10.0  # for a request's head, from the connection's beginning or the last answer on
BODY_SECONDS = 30.0  # for a request's body
STALL_SECONDS = 20.0  # of an answer that nobody takes
LOOK_SECONDS = 1.0  # between two looks at a connection
MOST_CONNECTIONS = 256
MOST_OF_ONE = 48  # connections of one client
HEAD_BYTES = 32 << 10
BACKLOG = 256  # connections that wait to be taken in
LARGE_BYTES = 8 << 20  # freed blocks of that size go back to the system; Pillow takes 16 MB each
MMAP_THRESHOLD = -3  # glibc's number of the setting
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
Drain = Callable[[], Awaitable[None]]


class Connection(H11Protocol):
    """One client's connection, with an eye on the clock."""

    _since = 0.0  # the connection waits for its client
    _stalled: float | None = None
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a new connection in, and makes room for it."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._clock = self.loop.call_later(LOOK_SECONDS, self._look)
        everybody = [one for one in self.connections if isinstance(one, Connection) and one.is_open]
        mine = [one for one in everybody if one.host == self.host]
        if len(mine) > MOST_OF_ONE:
            _make_room(mine, self)
        elif len(everybody) > MOST_CONNECTIONS:
            _make_room(everybody, self)

    @property
    def host(self) -> str:
        """The client's address."""
        return self.client[0] if self.client else ""

    @property
    def is_open(self) -> bool:
        """Whether it has not been closed; of a crowd that comes at once, each closes another."""
        return not self.transport.is_closing()

    @property
    def is_waiting(self) -> bool:
        """Whether it is the client's turn."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def connection_lost(self, exc: Exception | None) -> None:
        """Lets go of everything."""
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes bytes in; a body has more time than a head."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._since = self.loop.time()

    def on_response_complete(self) -> None:
        """Waits for the next request."""
        self._since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client reads too slowly."""
        self._stalled = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stalled = None
        super().resume_writing()

    def _look(self) -> None:
        """Closes the connection when its time is up."""
        now = self.loop.time()
        has_asked = self.cycle is not None and not self.cycle.response_complete
        patience = BODY_SECONDS if has_asked else ASK_SECONDS
        is_late = self.is_waiting and now - self._since > patience
        if is_late or (self._stalled is not None and now - self._stalled > STALL_SECONDS):
            self.transport.abort()
        else:
            self._clock = self.loop.call_later(LOOK_SECONDS, self._look)


def _make_room(crowd: list[Connection], newcomer: Connection) -> None:
    """Closes the connection of a crowd that has waited longest, or the newcomer's if none waits."""
    waiting = [one for one in crowd if one is not newcomer and one.is_waiting]
    longest = min(waiting, key=lambda one: one._since, default=newcomer)
    longest.transport.abort()


def give_back_memory() -> None:
    """Keeps this process from holding on to what large pictures took; only glibc has to be told.

    Else every thread that decodes pictures keeps the blocks of its largest one for ever.
    """
    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    if tell is not None:
        tell(MMAP_THRESHOLD, LARGE_BYTES)


class Server(uvicorn.Server):
    """A server that ends in order on SIGTERM, SIGINT and SIGHUP, within a few seconds."""

    def __init__(self, app: App, drain: Drain, patience: float) -> None:
        """Prepares a server.

        Args:
            app: What answers.
            drain: Called once when the server is to end: whatever goes on by itself ends with it.
            patience: Seconds that requests under way have to be answered then.
        """
        config = uvicorn.Config(
            app,
            http=Connection,
            log_level="error",
            access_log=False,
            server_header=False,
            ws="none",
            timeout_keep_alive=int(ASK_SECONDS),
            timeout_graceful_shutdown=1,
            limit_concurrency=MOST_CONNECTIONS + 8,
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
        super().__init__(config)
        give_back_memory()
        self._drain, self._patience = drain, patience
        self._came: list[int] = []

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Takes no more connections, answers what is under way, and ends."""
        for server in self.servers:
            server.close()
        await self._drain()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        while self._busy() and loop.time() < deadline and not self.force_exit:
            await asyncio.sleep(0.02)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # cutting off is no error
        for one in self._busy():
            one.transport.abort()
        await super().shutdown(sockets)

    def _busy(self) -> list[Connection]:
        everybody: set[Any] = set(self.server_state.connections)
        return [one for one in everybody if not one.is_waiting]

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends in order on a signal, and hands it on afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        heard = [n for n in SIGNALS if signal.getsignal(n) is not signal.SIG_IGN]  # as under nohup
        before = {number: signal.signal(number, self.handle_exit) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._came:
            signal.raise_signal(self._came[0])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Takes note of a signal; a second one does not wait for anybody."""
        self._came.append(sig)
        self.force_exit = self.should_exit
        self.should_exit = True
