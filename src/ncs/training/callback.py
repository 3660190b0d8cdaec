"""How a run tells what it does, and how it ended."""

from dataclasses import dataclass
from typing import Literal, Protocol

Ended = Literal["finished", "minutes", "SIGTERM", "SIGINT", "SIGHUP"]


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    step: int
    steps: int
    loss: float
    frames_per_second: float
    seconds_left: float


class Callback(Protocol):
    """Somebody to tell how it goes; with several processes it must survive being sent to one."""

    def progress(self, progress: Progress) -> None:
        """Called after every step."""
        ...

    def note(self, line: str) -> None:
        """Called with what a user should know but need not act on."""
        ...


class Silence:
    """A callback that says nothing."""

    def progress(self, progress: Progress) -> None:
        """Says nothing."""

    def note(self, line: str) -> None:
        """Says nothing."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    step: int
    ended: Ended
    loss: float | None  # of the last step; None where none was taken
    seconds: float


def duration(seconds: float) -> str:
    """A length of time in the unit a person would use."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"
