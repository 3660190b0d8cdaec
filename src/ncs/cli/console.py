"""How commands talk: progress on stderr, results on stdout, one line when something is wrong."""

import contextlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncs.records import plain

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from ncs.training.callback import Outcome, Progress

QUIET_SECONDS = 30.0

Advance = Callable[[int], None]
ProgressBar = Callable[[str, int, str], contextlib.AbstractContextManager[Advance]]


@contextlib.contextmanager
def progress(what: str, total: int, unit: str) -> Iterator[Advance]:
    """A bar on a terminal, elsewhere a plain line every half minute; call with what is done."""
    if sys.stderr.isatty():
        with _bar(what, total, unit) as advance:
            yield advance
    else:
        yield _plain_lines(what, total, unit)


@contextlib.contextmanager
def _bar(what: str, total: int, unit: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def _plain_lines(what: str, total: int, unit: str) -> Advance:
    began = said = time.monotonic()
    first: int | None = None

    def advance(done: int) -> None:
        nonlocal said, first
        now = time.monotonic()
        first = done if first is None else first
        if now - said >= QUIET_SECONDS and done > first:
            left = (total - done) * (now - began) / (done - first)
            print(f"{what}: {done}/{total} {unit}, {left:.0f} s left", file=sys.stderr, flush=True)
            said = now

    return advance


def report(line: str, facts: dict[str, Any], as_json: bool) -> None:
    """A command's last word: one line for people, or one JSON object for machines."""
    print(json.dumps(facts) if as_json else plain(line, keep="\n"), flush=True)


@dataclass(frozen=True)
class Ending:
    """How a training ended, and what it left."""

    out: Path
    steps: int
    outcome: "Outcome"
    checkpoint: str | None


def conclude(ending: Ending, finished: str, more: dict[str, Any], as_json: bool) -> None:
    """Reports how a training ended, and leaves with the signal's exit code if one ended it."""
    outcome = ending.outcome
    facts = {
        "out": str(ending.out),
        **more,
        "step": outcome.step,
        "steps": ending.steps,
        "ended": outcome.ended,
        "loss": outcome.loss,
        "seconds": round(outcome.seconds, 2),
        "checkpoint": ending.checkpoint,
    }
    line = f"{ending.out}: step {outcome.step} of {ending.steps} in {outcome.seconds:.0f} s"
    if outcome.loss is not None:
        line += f", loss {outcome.loss:.4g}"
    if outcome.ended == "finished":
        line += f" {finished}"
    else:
        line += f"; ended by {outcome.ended}, go on with --resume"
    report(line, facts, as_json)
    if outcome.ended.startswith("SIG"):
        raise SystemExit(128 + signal.Signals[outcome.ended])  # as shells have it


class TrainingScreen:
    """A training's progress: on a terminal a bar, elsewhere a plain line every half minute.

    Nothing is opened before the first call, so it can be sent to another process.
    """

    def __init__(self, command: str) -> None:
        self._command = command
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._said = time.monotonic()

    def note(self, line: str) -> None:
        """Says a line of its own."""
        print(f"ncs {self._command}: {line}", file=sys.stderr, flush=True)

    def progress(self, progress: "Progress") -> None:
        """Shows where a run stands."""
        from ncs.training.callback import duration

        figures = (
            f"loss {progress.loss:.4g}, {progress.frames_per_second:.0f} frames/s, "
            f"{duration(progress.seconds_left)} left"
        )
        if sys.stderr.isatty():
            self._draw(progress, figures)
        elif time.monotonic() - self._said >= QUIET_SECONDS:
            self._said = time.monotonic()
            self.note(f"step {progress.step}/{progress.steps}, {figures}")

    def _draw(self, progress: "Progress", figures: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=progress.steps)
        assert self._task is not None
        self._bar.update(self._task, completed=progress.step, description=figures)
        if progress.step == progress.steps:
            self.close()

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
