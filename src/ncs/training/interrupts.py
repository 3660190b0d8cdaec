"""Signals that end a run in an orderly way, even in the middle of a long step."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from torch import Tensor, nn

from ncs.data.workers import SIGNALS


class Interrupted(BaseException):
    """A signal came while work was under way that may be thrown away.

    Not an ``Exception``, so that no handler inside a model swallows it.
    """


class Stopped(BaseException):
    """Work was ended by a signal, in order: what was done stands, and can be gone on from."""

    def __init__(self, name: str) -> None:
        """Keeps which.

        Args:
            name: Of the signal, such as ``"SIGTERM"``.
        """
        super().__init__(name)
        self.exit_code = 128 + signal.Signals[name]  # as shells have it


class Interrupts:
    """Remembers the first signal; raises it only inside work that may be thrown away.

    Nothing of a half-done step is kept, so a step need not be waited for: on a slow machine it may
    take minutes, and a scheduler that asks a process to end gives it seconds.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._discardable = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._handle)
                for number in SIGNALS
                if signal.getsignal(number) is not signal.SIG_IGN  # as under nohup
            }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: FrameType | None) -> None:
        self.received = self.received or signal.Signals(number)
        if self._discardable:
            self._discardable = False
            raise Interrupted

    @contextlib.contextmanager
    def discardable(self) -> Iterator[None]:
        """Work that a signal may break off at any point."""
        if self.received:
            raise Interrupted
        self._discardable = True
        try:
            yield
        finally:
            self._discardable = False


def watch_backward(parameters: Sequence[nn.Parameter]) -> None:
    """Lets signals in during a backward pass.

    Python looks at signals only between its own instructions, and a backward pass is one call of
    many seconds: a hook on each parameter is an instruction every few milliseconds.
    """
    for parameter in parameters:
        parameter.register_post_accumulate_grad_hook(_look_up)  # type: ignore[no-untyped-call]


def _look_up(_: Tensor) -> None:
    """Does nothing, in Python."""


@contextlib.contextmanager
def forwarded() -> Iterator[list[signal.Signals]]:
    """Passes signals on to child processes; those received are listed."""
    received: list[signal.Signals] = []

    def handle(number: int, _: FrameType | None) -> None:
        received.append(signal.Signals(number))
        for child in multiprocessing.active_children():
            if child.pid is not None:
                os.kill(child.pid, number)

    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    heard = [n for n in SIGNALS if signal.getsignal(n) is not signal.SIG_IGN]  # as under nohup
    before = {number: signal.signal(number, handle) for number in heard}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
