"""Work comes back in order, errors come through, and no worker outlives its parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.conftest import PATIENCE

from ncs.data.workers import spread
from ncs.records import DataError, NcsError

ORPHANS = """
import os, sys, time
from ncs.data.workers import spread
def nap(path):
    open(path, "w").write(str(os.getpid()))
    time.sleep(3600)
if __name__ == "__main__":
    list(spread(nap, sys.argv[1:], 2))
"""


def double(number: int) -> int:
    time.sleep(0.01 * (5 - number))
    return 2 * number


def refuse(number: int) -> int:
    raise DataError(f"job {number}: refused")


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_in_the_order_of_the_jobs(workers: int) -> None:
    assert list(spread(double, range(5), workers)) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_users_mistake_comes_through(workers: int) -> None:
    with pytest.raises(DataError, match="job 0: refused"):
        list(spread(refuse, range(3), workers))


def test_a_killed_worker_is_a_clear_line() -> None:
    with pytest.raises(NcsError, match="a worker process was killed"):
        list(spread(die, range(3), 2))


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    marks = [tmp_path / "a", tmp_path / "b"]
    parent = subprocess.Popen([sys.executable, str(script), *map(str, marks)])
    deadline = time.monotonic() + PATIENCE
    while not all(m.exists() and m.read_text() for m in marks):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    parent.kill()
    parent.wait()
    workers = [int(mark.read_text()) for mark in marks]
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "workers are still there"
        time.sleep(0.1)


def is_alive(pid: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
