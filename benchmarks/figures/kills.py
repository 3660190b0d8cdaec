"""Kills commands at random moments with SIGKILL, and compares what stands.

python -m benchmarks.figures.kills collect --times 50
python -m benchmarks.figures.kills train --times 50
python -m benchmarks.figures.kills pair --times 50        # training by two processes
python -m benchmarks.figures.kills evaluate --times 20
python -m benchmarks.figures.kills shards --times 10      # jobs of an array, pre-empted

What stands in the end is compared with what a process that nobody disturbed wrote. The killed ones
are forks of a process that has everything imported: every kill finds them at work.
"""

import argparse
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.figures.forks import import_all, run_alone, run_fork

from ncs.evaluation.results import key_of, read_results

HOME = Path(__file__).parents[2]
WORLD = "block-rearrange"
Words = list[object]
MOST = 1000  # attempts, after which something is wrong


def run(words: Words, seconds: float | None = None) -> int | None:
    """A command's exit code; None if it was killed, with all its processes, after some seconds."""
    end = run_fork(words, HOME, seconds)
    if end.code:
        print(end.said, file=sys.stderr)
    return end.code


def contents(folder: Path) -> dict[str, bytes]:
    """What stands in a folder, less what says how long it took."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "tfevents" not in path.name and path.name != "timing.jsonl":
            data = path.read_bytes()
            if path.suffix in (".jsonl", ".json"):
                data = re.sub(rb'"(seconds|frames_per_second|check|checksum)": [^,}\n]+', b"", data)
            found[str(path.relative_to(folder))] = data
    return found


def kill_until_done(words: Words, times: int, longest: float, rng: random.Random) -> int:
    """Kills a command at most so often at random, until it ends; how often comes back."""
    for kills in range(MOST):
        code = run(words, rng.uniform(0, longest) if kills < times else None)
        if code == 0:
            return kills
        assert code is None, f"exit code {code}"
    raise AssertionError("it never ends")


def calm(words: Words, out: Path, home: Path) -> float:
    """How long a fork takes undisturbed; what a process of its own writes stands in ``out``."""
    assert run_alone([*words, out], HOME).code == 0
    import_all()
    began = time.monotonic()
    assert run([*words, home / "fork"]) == 0
    return time.monotonic() - began


def kill_often(
    words: Words, times: int, home: Path, rng: random.Random, content: Callable[[Path], object]
) -> tuple[int, int, int]:
    """Kills a command so often in all, in as many runs as that takes.

    Kills and runs come back, and how many of these ended as one that was left alone.
    """
    longest = calm(words, home / "calm", home)
    wanted = content(home / "calm")
    kills = runs = same = 0
    while kills < times and runs < MOST:
        out = home / f"killed-{runs}"
        kills += kill_until_done([*words, out], times - kills, longest, rng)
        runs, same = runs + 1, same + (content(out) == wanted)
        print(f"{kills} of {times} kills, {same} of {runs} runs as they should be", flush=True)
        shutil.rmtree(out) if out.is_dir() else out.unlink()
    return kills, runs, same


def kill_collect(times: int, home: Path, rng: random.Random) -> bool:
    words: Words = ["collect", WORLD, "--episodes", 400, "--workers", 2, "--out"]
    kills, runs, same = kill_often(words, times, home, rng, contents)
    print(f"collect: {kills} kills in {runs} runs, {same} with the same buffer")
    return same == runs


def kill_train(times: int, home: Path, rng: random.Random, devices: int = 1) -> bool:
    assert run_alone(["collect", WORLD, "--episodes", 12, "--out", home / "b"], HOME).code == 0
    words: Words = ["train", "--buffer", home / "b", "--preset", "fast", "--steps", 12]
    words += ["--batch", 4, "--threads", 1, "--devices", devices, "--settings"]
    words += ["checkpoint_every=1", f"shards={devices}", "--resume", "--out"]
    kills, runs, same = kill_often(words, times, home, rng, contents)
    together = f" by {devices} processes" if devices > 1 else ""
    print(f"train{together}: {kills} kills in {runs} runs, {same} the same to the bit")
    return same == runs


def kill_pair(times: int, home: Path, rng: random.Random) -> bool:
    return kill_train(times, home, rng, 2)


def rows(path: Path) -> list[object]:
    """Keys and scores of a results file."""
    return [(key_of(r), r.task, r.best, r.final, r.steps) for r in read_results(path)]


def kill_evaluate(times: int, home: Path, rng: random.Random) -> bool:
    words: Words = ["evaluate", "--method", "random", "--objects", 4, "--seeds", 1]
    words += ["--split", "dev", "--workers", 2, "--batch", 5, "--out"]
    kills, runs, same = kill_often(words, times, home, rng, rows)
    print(f"evaluate: {kills} kills in {runs} runs, {same} with the same rows, none twice")
    return same == runs


def preempt_shards(times: int, home: Path, rng: random.Random) -> bool:
    words: Words = ["reproduce", "--scale", "smoke", "--worlds", WORLD, "--methods", "random"]
    words += ["oracle", "--studies", "--seeds", 2, "--episodes", 4, "--workers", 1, "--out"]
    whole = home / "whole"
    longest = calm(words, whole, home)
    for turn in range(times):
        run([*words, home / "parts", "--shard", f"{turn % 2}/2"], rng.uniform(0, longest))
    for shard in (0, 1, 0):
        assert run([*words, home / "parts", "--shard", f"{shard}/2"]) == 0
    same = rows(whole / "results" / "table.jsonl.gz") == rows(
        home / "parts" / "results" / "table.jsonl.gz"
    )
    pieces = [rows(path) for path in (home / "parts" / "cells").rglob("*.jsonl")]
    doubled = sum(len(piece) for piece in pieces) - len({row for piece in pieces for row in piece})
    table = "the same table" if same else "ANOTHER TABLE"
    print(f"shards: {times} pre-emptions, {table}, {doubled} rows twice")
    return same and not doubled


FIGURES: dict[str, Callable[[int, Path, random.Random], bool]] = {
    "collect": kill_collect,
    "train": kill_train,
    "pair": kill_pair,
    "evaluate": kill_evaluate,
    "shards": preempt_shards,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=list(FIGURES))
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # tidies up
    home = Path(tempfile.mkdtemp(prefix="ncs-kills-"))
    try:
        return not FIGURES[asked.what](asked.times, home, random.Random(asked.seed))
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
