"""Ends every long command by signals at random moments, and looks at what it leaves.

    python -m benchmarks.signals                          # 20 of each signal, each command
    python -m benchmarks.signals --times 5 --only serve

Half the signals come at random in the first two seconds, from the moment the process catches them
on (until then Python itself is starting), half when the command is at work (these are forks of a
process that has everything imported, so that none waits for that); to the process alone or, as a
terminal does, to its whole group, in turn. An end is clean if there is one line about it
and no traceback, the exit code is 128 + the signal, it comes within ten seconds, and no process of
the session is left.
"""

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures.forks import Fork, import_all

HOME = Path(__file__).parents[1]
SHIPPED = HOME / "checkpoints"
MODEL = SHIPPED / "blocks-fast-0"
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LONGEST = 10.0  # seconds from the signal to the end
PATIENCE = 120.0  # seconds to get to work


@dataclass(frozen=True)
class Long:
    """A command that goes on for long, and how one sees that it is at work."""

    words: Callable[[Path], list[object]]
    is_at_work: Callable[[Path, str], bool]  # of its folder and what it printed
    seconds: float = 1.0  # of its work, in which the signal comes


def commands(buffer: Path) -> dict[str, Long]:
    """Every long command by its name."""
    world = "block-rearrange"
    small = ["--worlds", world, "--methods", "ncs", "random", "--studies", "--models"]
    return {
        "collect": Long(
            lambda out: ["collect", world, "--out", out / "b", "--episodes", 10**6],
            lambda out, _: any((out / "b").glob("clips-*")),
        ),
        "train": Long(
            lambda out: ["train", "--buffer", buffer, "--preset", "fast", "--out", out / "m"],
            lambda out, _: any((out / "m").glob("metrics*")),
        ),
        "evaluate": Long(
            lambda out: [
                *["evaluate", "--method", "ncs", "--model", MODEL, "--out", out / "r.jsonl"],
                *["--workers", 2, "--batch", 5],
            ],
            lambda out, _: (out / "r.jsonl").exists(),
        ),
        "reproduce": Long(
            lambda out: ["reproduce", "--scale", "smoke", "--out", out / "p", *small, SHIPPED],
            lambda out, _: any(out.glob("p/buffers/*")),
            8.0,  # collecting, graphs, judging
        ),
        "serve": Long(
            lambda _: ["serve", "--model", MODEL, "--port", 0], lambda _, said: "http" in said
        ),
        "view": Long(
            lambda out: ["view", "--no-browser", "--port", 0, "--out", out / "v"],
            lambda _, said: "http" in said,
        ),
    }


def catches(pid: int) -> bool:
    """Whether a process handles SIGTERM by now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(line.split()[1] for line in lines if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def left_over(session: int) -> list[int]:
    """Processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(path.parent.name))
    return found


class Started:
    """A command under way; what it prints goes to a file."""

    def __init__(self, words: list[object], folder: Path, early: bool) -> None:
        self.said = folder / "said"
        self.said.touch()
        self.process = (begin if early else begin_fork)(words, self.said)

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds, the command is over, or patience is."""
        deadline = time.monotonic() + PATIENCE
        while not holds() and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)

    def end(self) -> None:
        """Leaves nothing of it."""
        for pid in left_over(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def begin(words: list[object], said: Path) -> "subprocess.Popen[str] | Fork":
    """A command as a process of its own."""
    with said.open("a") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "ncs", *map(str, words)],
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=HOME,
            text=True,
            preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in SIGNALS],
        )


def begin_fork(words: list[object], said: Path) -> "subprocess.Popen[str] | Fork":
    """A command as a fork, which need not import anything."""
    return Fork(words, HOME, str(said), str(said))


def keep_asking(said: Path, over: threading.Event) -> None:
    """An honest client of a server, so that the signal finds it busy."""
    address = next(word for word in said.read_text().split() if word.startswith("http"))
    while not over.is_set():
        with suppress(OSError):
            urllib.request.urlopen(f"{address.rstrip('/')}/healthz", timeout=5).read()


def verdict(one: Started, number: int, began: float) -> str:
    """What is wrong with an end; nothing if it is clean."""
    try:
        code = one.process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        return f"alive after {LONGEST:.0f} s"
    seconds = time.monotonic() - began
    deadline = time.monotonic() + 2
    while (orphans := left_over(one.process.pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    text = one.said.read_text()
    lines = [line for line in text.splitlines() if "stopped" in line or "ended by" in line]
    if code != 128 + number:
        return f"exit code {code}: {text[-300:]!r}"
    if len(lines) != 1 or "Traceback" in text or "Error" in text:
        return f"{len(lines)} lines about it: {text[-600:]!r}"
    return f"left {orphans}" if orphans else "" if seconds < LONGEST else f"{seconds:.1f} s"


def try_once(long: Long, number: int, rng: random.Random, early: bool, to_all: bool) -> str:
    """One command, one signal; what is wrong with its end."""
    folder, client = Path(tempfile.mkdtemp(prefix="ncs-signals-")), None
    one, over = Started(long.words(folder), folder, early), threading.Event()
    try:
        one.wait_for(lambda: catches(one.process.pid))
        if not early:
            one.wait_for(lambda: long.is_at_work(folder, one.said.read_text()))
            if "http" in one.said.read_text():
                client = threading.Thread(target=keep_asking, args=(one.said, over))
                client.start()
        time.sleep(rng.uniform(0, 2.0 if early else long.seconds))
        if one.process.poll() is not None:
            return f"was over before the signal: {one.said.read_text()[-300:]!r}"
        began = time.monotonic()
        (os.killpg if to_all else os.kill)(one.process.pid, number)
        return verdict(one, number, began)
    finally:
        over.set()
        one.end()
        if client is not None:
            client.join()  # the next fork begins with no thread but its own
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20, help="of each signal, each command")
    parser.add_argument("--only", nargs="+", help="only these commands")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    import_all()
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # also under nohup or in the background
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    buffer = Path(tempfile.mkdtemp(prefix="ncs-signals-")) / "buffer"
    words = ["collect", "block-rearrange", "--episodes", "200", "--out", str(buffer)]
    subprocess.run([sys.executable, "-m", "ncs", *words], check=True, stdout=subprocess.DEVNULL)
    clean: dict[str, int] = {}
    tried = 0
    for name, long in commands(buffer).items():
        if asked.only and name not in asked.only:
            continue
        for number, turn in itertools.product(SIGNALS, range(asked.times)):
            wrong = try_once(long, number, rng, turn % 2 == 0, turn % 4 > 1)
            key = f"{name} {signal.Signals(number).name}"
            clean[key] = clean.get(key, 0) + (not wrong)
            tried += 1
            if wrong:
                print(f"{key}, number {turn}: {wrong}", flush=True)
        shown = {k.split()[1]: f"{v}/{asked.times}" for k, v in clean.items() if name in k}
        print(f"{name}: clean {json.dumps(shown)}", flush=True)
    shutil.rmtree(buffer.parent, ignore_errors=True)
    print(f"signals: {sum(clean.values())} of {tried} clean")
    return sum(clean.values()) < tried


if __name__ == "__main__":
    sys.exit(main())
