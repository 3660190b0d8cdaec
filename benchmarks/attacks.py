"""Six attacks on viewer and service at once, while an honest client works.

    python -m benchmarks.attacks                    # five minutes each
    python -m benchmarks.attacks --minutes 1 --only serve
    python -m benchmarks.attacks --together         # both servers at the same time

The attackers are a process of their own (``benchmarks.figures.attackers`` says what they do). The
honest client asks one question after another, asks again when it is told to (429, 503), and must
be answered throughout. Prints its worst wait and how the server's memory grew.
"""

import argparse
import http.client
import itertools
import json
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures.attackers import MODEL, Target

HOME = Path(__file__).parents[1]
AGAIN = (429, 503)
FINE = (200, 400)  # noise for a picture may have no slots to move
MOST_KEPT = 100.0  # MB that a server may hold on to


@dataclass
class Honest:
    """What an honest client went through."""

    answered: int = 0
    asked_again: int = 0
    failed: int = 0
    worst: float = 0.0
    memory: float = 0.0  # the most that the server held


def memory_of(pid: int) -> float:
    """MB that a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def be_honest(target: Target, pid: int, deadline: float) -> Honest:
    """Asks one question after another until the time is up."""
    tale = Honest()
    for number in itertools.count():
        began = time.monotonic()
        if began > deadline:
            break
        while (status := ask_once(target, number)) in AGAIN:
            tale.asked_again += 1
            time.sleep(0.2)
        tale.answered += status in FINE
        tale.failed += status not in FINE
        tale.worst = max(tale.worst, time.monotonic() - began)
        tale.memory = max(tale.memory, memory_of(pid))
        time.sleep(0.05)
    return tale


def ask_once(target: Target, number: int) -> int:
    """The status of the answer to a question, 0 if there was none."""
    began = time.monotonic()
    try:
        return target.question(number)
    except (OSError, http.client.HTTPException) as error:
        waited = time.monotonic() - began
        print(f"{target.name}, question {number}: {error!r} after {waited:.1f} s", flush=True)
        return 0


def start(name: str, folder: Path) -> tuple["subprocess.Popen[str]", int]:
    """A server under way and its port."""
    words = {
        "view": ["view", "--no-browser", "--out", str(folder / "view")],
        "serve": ["serve", "--model", str(HOME / "checkpoints" / MODEL)],
    }[name]
    command = [sys.executable, "-m", "ncs", *words, "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HOME)
    assert process.stdout is not None
    facts = json.loads(process.stdout.readline())
    return process, int(facts["url"].rstrip("/").rpartition(":")[2])


def attack(name: str, minutes: float) -> bool:
    """Attacks one server; whether the honest client was always answered and the server lives."""
    with tempfile.TemporaryDirectory() as folder:
        process, port = start(name, Path(folder))
        target = Target(name, port)
        words = ["-m", "benchmarks.figures.attackers", name, str(port), "--seconds"]
        try:
            for number in range(5):
                target.question(number)
            before = memory_of(process.pid)
            hostile = subprocess.Popen([sys.executable, *words, str(60 * minutes)], cwd=HOME)
            tale = be_honest(target, process.pid, time.monotonic() + 60 * minutes)
            hostile.wait(90)
            calm, after = target.question(1), memory_of(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(20)
    print(
        f"{name}: {minutes:g} minutes, {tale.answered} answered, {tale.failed} not, asked again "
        f"{tale.asked_again} times, worst wait {tale.worst:.1f} s; memory {before:.0f} MB before, "
        f"{tale.memory:.0f} at most, {after:.0f} after; then {calm}, exit code {code}",
        flush=True,
    )
    return tale.failed == 0 and calm == 200 and code == 143 and after < before + MOST_KEPT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", choices=["view", "serve"], nargs="+", default=["view", "serve"])
    parser.add_argument("--together", action="store_true", help="both at the same time")
    asked = parser.parse_args()
    with ThreadPoolExecutor(len(asked.only) if asked.together else 1) as threads:
        held = list(threads.map(lambda name: attack(name, asked.minutes), asked.only))
    print(f"attacks: {sum(held)} of {len(held)} servers answered throughout")
    return not all(held)


if __name__ == "__main__":
    sys.exit(main())
