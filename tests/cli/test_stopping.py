"""A signal ends a command with one line and its own exit code, from the first moment on."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.conftest import PATIENCE, ncs_process

from ncs.cli.main import main
from ncs.cli.stopping import SIGNALS, Stop, heeded

LINE = "ncs collect: stopped; the same command goes on from here\n"


def heeds(pid: int) -> bool:
    """Whether a process catches SIGTERM by now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(line.split()[1] for line in lines if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def check_end(process: "subprocess.Popen[str]", number: int, more: list[str]) -> None:
    """One line, the signal's exit code, and an object for machines where they asked for it."""
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (128 + number, LINE)
    told = {"command": "collect", "error": LINE.partition(": ")[2].strip()}
    assert out == "" if not more else json.loads(out) == {**told, "exit_code": 128 + number}


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_signal_in_the_middle_of_imports_is_one_line(
    number: int, more: list[str], tmp_path: Path
) -> None:
    words = ["collect", "block-rearrange", "--out", tmp_path / "b", "--episodes", 100_000]
    process = ncs_process(*words, *more)
    while not heeds(process.pid):
        time.sleep(0.001)
    process.send_signal(number)
    check_end(process, number, more)


@pytest.mark.parametrize(
    ("number", "more"),
    [(signal.SIGTERM, []), (signal.SIGINT, ["--json"]), (signal.SIGHUP, [])],
)
def test_a_signal_at_work_is_one_line_and_leaves_no_lock(
    number: int, more: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "b"
    words = ["collect", "block-rearrange", "--out", folder, "--episodes", 100_000]
    process = ncs_process(*words, *more)
    while not list(folder.glob("clips-*")) and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, number)  # as a terminal does
    check_end(process, number, more)
    assert not list(tmp_path.glob(".*.lock"))


def test_handlers_are_put_back_and_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        kept = [signal.getsignal(number) for number in SIGNALS]
        with heeded(["table"], for_good=False):
            signal.raise_signal(signal.SIGHUP)
            with pytest.raises(Stop) as stop:
                signal.raise_signal(signal.SIGTERM)
        assert stop.value.number == signal.SIGTERM
        assert [signal.getsignal(number) for number in SIGNALS] == kept
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_runs_commands_without_signals() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]


def test_a_signal_that_a_destructor_swallows_still_ends_the_process(tmp_path: Path) -> None:
    code = """
import signal
from ncs.cli.stopping import heeded
class Late:
    def __del__(self): signal.raise_signal(signal.SIGTERM)
with heeded(["table"], for_good=True):
    Late()
    print("went on")
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (out.returncode, out.stdout, out.stderr) == (143, "", "ncs table: stopped\n")
