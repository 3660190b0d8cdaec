"""How commands talk: progress on stderr, results on stdout, one line when something is wrong."""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

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
    print(json.dumps(facts) if as_json else line, flush=True)
