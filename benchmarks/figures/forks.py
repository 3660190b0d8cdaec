"""Runs commands as forks of this process, which has imported what they need: none waits for that.

A fork does what ``python -m ncs`` does from the first handler of a signal on. It is spared Python's
own start and the imports, seconds in which nothing is written.
"""

import importlib
import os
import pkgutil
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import ncs
from ncs.cli.main import main

Words = Sequence[object]
CRASHED = 70
LATE = ("matplotlib.pyplot", "torch.utils.tensorboard", "torch.distributed", "scipy.optimize")


@dataclass(frozen=True)
class End:
    """How a command ended: its exit code, None if it was killed, and its standard error."""

    code: int | None
    said: str


class Fork:
    """A command under way in a session of its own; the methods are those of ``Popen``."""

    def __init__(self, words: Words, home: Path, out: str, error: str) -> None:
        """Begins a command in a folder; what it prints goes to two files, or twice to the same."""
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _be_command(words, home, out, error)

    def poll(self) -> int | None:
        """The exit code, None as long as there is none."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; raises TimeoutExpired when there is none in time."""
        if self.returncode is None:
            watch = os.pidfd_open(self.pid)
            try:
                if not select.select([watch], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("ncs", timeout or 0)
            finally:
                os.close(watch)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode


def run_alone(words: Words, home: Path) -> End:
    """The end of a command that is a process of its own, begun in a folder."""
    command = [sys.executable, "-m", "ncs", *map(str, words)]
    out = subprocess.run(command, cwd=home, capture_output=True, text=True)
    return End(out.returncode, out.stderr)


def run_fork(words: Words, home: Path, seconds: float | None = None) -> End:
    """The end of a command, begun in a folder; after some seconds all its processes are killed."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        said.touch()
        one = Fork(words, home, os.devnull, str(said))
        try:
            return End(one.wait(seconds), said.read_text())
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()
            return End(None, said.read_text())


def import_all() -> None:
    """Imports every module of the package, as far as what it needs is installed."""
    found = [module.name for module in pkgutil.walk_packages(ncs.__path__, "ncs.")]
    for name in [*found, *LATE]:
        if not name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(name)


def _be_command(words: Words, home: Path, out: str, error: str) -> None:
    """Becomes a command in a session of its own; never comes back."""
    code: object = CRASHED
    try:
        os.setsid()
        os.chdir(home)
        for number, name in ((1, out), (2, error)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_APPEND), number)
        sys.argv = ["ncs", *map(str, words)]
        code = main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else CRASHED)
