"""The entry point: finds the command, and turns a user's mistake into one line and exit code 2."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncs import __version__

if TYPE_CHECKING:
    from ncs.cli.command import Command

# In the order of the rooms. A command stands in the module of its name, but for those listed.
COMMANDS = {
    "collect": ("Collect", "play a world at random and keep a buffer of clips to learn from"),
    "train": ("Train", "train a world model on a buffer"),
    "train-rival": ("TrainRival", "train a rival on a buffer, to compare with"),
    "slots": ("Slots", "say how well a model sees: the slot health report"),
    "graph": ("Graph", "build the transition graph of a model and a buffer"),
    "solve": ("Solve", "rearrange a scene to match a goal, and show how"),
    "view": ("View", "open the viewer: set goals by hand and watch the agent think"),
    "evaluate": ("Evaluate", "judge a method on frozen or fresh tasks"),
    "table": ("Table", "print results beside the paper's"),
    "reproduce": ("Reproduce", "do the paper again, from nothing to a report"),
    "inspect": ("Inspect", "verify, summarise and picture what a command made"),
    "export": ("Export", "write a buffer as a Minari dataset, losslessly"),
    "suite": ("Suite", "draw a task suite (for maintainers)"),
    "demo": ("Demo", "a small tour that ends with a table"),
}
MODULES = {
    "inspect": "inspection",  # a module of the standard library has that name
    "train-rival": "train_rival",
}

USAGE = "usage: ncs COMMAND [options]    (ncs COMMAND --help tells its options)"


def overview() -> str:
    """What 'ncs --help' prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name.ljust(width)}  {summary}" for name, (_, summary) in COMMANDS.items()]
    return "\n".join(
        [
            "Neural Constraint Satisfaction: rearrange objects as a goal picture shows",
            "",
            USAGE,
            "",
            *lines,
            "",
            "Every command takes --json, to print one JSON object for machines, and --config FILE,",
            "a TOML file of its options; flags win over the file. Bad input ends with exit code 2.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code comes back."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"ncs {__version__}")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        choices = ", ".join(COMMANDS)
        print(f"ncs: there is no command {name!r}, choose from {choices}", file=sys.stderr)
        return 2
    return run(name, rest)


def command_class(name: str) -> "type[Command]":
    """The settings of a command, by its name."""
    module = importlib.import_module(f"ncs.cli.{MODULES.get(name, name)}")
    found: type[Command] = getattr(module, COMMANDS[name][0])
    return found


def run(name: str, words: Sequence[str]) -> int:
    """Runs a command by name with its words."""
    from ncs.cli.command import parse
    from ncs.records import NcsError

    try:
        parse(command_class(name), name, words).run()
    except NcsError as error:
        print(f"ncs {name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"ncs {name}: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as with '| head'
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
