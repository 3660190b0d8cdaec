"""Commands without their imports: each is a fork of a process that has made them once.

A fork does what ``python -m ncs`` does from the first handler of a signal on. What a command
imports, and when, is for other tests to see.
"""

import json
import os
import select
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path

HEAVY = ("ncs.training.train", "ncs.agent.learned", "ncs.cli.commands", "matplotlib.pyplot")
CRASHED = 70
PATIENCE = 900.0


class Warm:
    """A process of a Python of one's own, which has imported what most commands need."""

    def __init__(self, python: Path | str, environment: Mapping[str, str], folder: Path) -> None:
        """Begins the process; what commands print passes through a folder."""
        self.folder = folder
        self.process = subprocess.Popen(
            [python, "-P", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(environment),
        )

    def run(
        self, words: list[str], cwd: Path, more: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """A command of some words after ``ncs``, in a folder, with more variables, to its end."""
        asked, answers = self.process.stdin, self.process.stdout
        assert asked is not None
        assert answers is not None
        out, error = self.folder / "out", self.folder / "error"
        line = {"words": words, "cwd": str(cwd), "out": str(out), "error": str(error)}
        print(json.dumps({**line, "more": dict(more or {})}), file=asked, flush=True)
        assert select.select([answers], [], [], PATIENCE)[0], f"{words} hangs"
        code = int(answers.readline())
        return subprocess.CompletedProcess(words, code, out.read_text(), error.read_text())

    def close(self) -> None:
        """Ends the process."""
        self.process.communicate(timeout=PATIENCE)


def serve() -> None:
    """Forks a command for each line of the standard input; its exit code is the answer."""
    for name in HEAVY:
        with suppress(ImportError):
            import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            be_command(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    os._exit(0)  # without taking down what was imported


def be_command(words: list[str], cwd: str, out: str, error: str, more: dict[str, str]) -> None:
    """Becomes a command in a session of its own; never comes back."""
    code: object = CRASHED
    try:
        os.setsid()
        os.chdir(cwd)
        os.environ.update(more)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in ((1, out), (2, error)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["ncs", *words]
        code = import_module("ncs.cli.main").main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else CRASHED)


if __name__ == "__main__":
    serve()
