"""To whom a run tells how it goes; who that is, and where it is shown, is the caller's affair."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from ncs.training.callback import Callback, Silence


class Reporter(Protocol):
    """Somebody to tell how a run goes."""

    def say(self, line: str) -> None:
        """Called with a line for people."""
        ...

    def progress(
        self, what: str, total: int, unit: str
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Opened for long work; what it gives is called with how much is done."""
        ...

    def training(self) -> AbstractContextManager[Callback]:
        """Opened for a training, which tells it of every step."""
        ...


class Quiet:
    """A reporter that says nothing."""

    def say(self, line: str) -> None:
        """Says nothing."""

    @contextlib.contextmanager
    def progress(self, what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
        """Shows nothing."""
        yield lambda done: None

    @contextlib.contextmanager
    def training(self) -> Iterator[Callback]:
        """Shows nothing."""
        yield Silence()
