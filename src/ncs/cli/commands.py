"""Finds a command and runs it; turns a user's mistake into one line and exit code 2.

A module of this folder whose docstring begins with ``ncs NAME: SUMMARY.`` is a command: one file is
all it takes. The line is read, not imported, so that 'ncs --help' answers at once.
"""

import errno
import importlib
import io
import json
import os
import re
import select
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import ncs.cli
from ncs import __version__

if TYPE_CHECKING:
    from ncs.cli.command import Command

# In the order of the rooms; a command that is not listed comes after these.
ORDER = (
    "collect", "train", "train-rival", "calibrate", "slots", "graph", "solve", "view", "evaluate",
    "table", "verify", "reproduce", "inspect", "import", "export", "act", "serve", "doctor",
    "suite", "demo", "completion",
)  # fmt: skip
FIRST_LINE = re.compile(r'"""ncs (?P<name>[a-z][a-z-]*): (?P<summary>.+?)\.?(?:""")?$')
USAGE = "usage: ncs COMMAND [options]    (ncs COMMAND --help tells its options)"


@dataclass(frozen=True)
class Entry:
    """A command as the overview lists it."""

    module: str  # dotted
    summary: str


def find_commands() -> dict[str, Entry]:
    """Every command by its name, in the order of the overview."""
    found = {}
    for folder in ncs.cli.__path__:
        for path in sorted(Path(folder).glob("*.py")):
            with path.open(encoding="utf-8") as file:
                line = FIRST_LINE.match(file.readline().rstrip())
            if line:
                found[line["name"]] = Entry(f"ncs.cli.{path.stem}", line["summary"])
    places = {name: place for place, name in enumerate(ORDER)}
    return dict(sorted(found.items(), key=lambda item: (places.get(item[0], len(ORDER)), item[0])))


def overview() -> str:
    """What 'ncs --help' prints."""
    commands = find_commands()
    width = max(map(len, commands))
    return "\n".join(
        [
            "Neural Constraint Satisfaction: rearrange objects as a goal picture shows",
            "",
            USAGE,
            "",
            *(f"  {name.ljust(width)}  {entry.summary}" for name, entry in commands.items()),
            "",
            "Every command takes --json, to print one JSON object for machines, and --config FILE,",
            "a TOML file of its options; flags win over the file. Exit codes: 0 done, 2 bad input,",
            "129, 130, 143 stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM.",
        ]
    )


def answer(words: Sequence[str]) -> int:
    """Runs one command; the exit code comes back, 0 as well when the reader of our output goes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal of few letters must not end a command
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            return dispatch(words)
        finally:
            print(end="", flush=True)  # here, where a reader that has gone is still noticed
    except BrokenPipeError:
        gone = [stream for stream in (sys.stdout, sys.stderr) if reader_is_gone(stream)]
        if not gone:
            raise  # another pipe, such as a worker's
        for stream in gone:
            drop_the_rest(stream)
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        drop_the_rest(sys.stdout)
        print(f"ncs: {error.filename or 'the output'}: {error.strerror}", file=sys.stderr)
        return 2


def drop_the_rest(stream: TextIO) -> None:
    """What is left to be written to a stream goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def reader_is_gone(stream: TextIO) -> bool:
    """Whether a stream is a pipe that nobody reads any more, as after '| head'."""
    watch = select.poll()
    watch.register(stream.fileno(), select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in watch.poll(0))


def dispatch(words: Sequence[str]) -> int:
    """Answers with help, version or a command's work; the exit code comes back."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if words[0] in ("-V", "--version"):
        as_json = "--json" in words
        print(json.dumps({"version": __version__}) if as_json else f"ncs {__version__}")
        return 0
    name, *rest = words
    commands = find_commands()
    if name not in commands:
        reason = f"there is no command {name!r}, choose from {', '.join(commands)}"
        return refuse("", reason, "--json" in words)
    return run(name, rest)


def refuse(name: str, reason: str, as_json: bool) -> int:
    """Says in one line why a command does not run, to machines too; the exit code comes back."""
    from ncs.records import plain

    print(f"ncs{name and f' {name}'}: {plain(reason)}", file=sys.stderr)
    if as_json:
        print(json.dumps({"command": name, "error": reason, "exit_code": 2}))
    return 2


def command_class(name: str) -> "type[Command]":
    """The settings of a command, by its name: the one command that its module defines."""
    from ncs.cli.command import Command

    module = importlib.import_module(find_commands()[name].module)
    (found,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Command)
        and value.__module__ == module.__name__
    )
    return found


def run(name: str, words: Sequence[str]) -> int:
    """Runs a command by name with its words; the exit code comes back."""
    from ncs.cli.command import parse
    from ncs.records import NcsError

    as_json = "--json" in words
    try:
        command = parse(command_class(name), name, words)
        as_json = command.as_json  # which a file may have asked for
        return command.run() or 0
    except NcsError as error:
        return refuse(name, str(error), as_json)
