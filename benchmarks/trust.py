"""Twelve figures of trust, each measured anew, as a table.

python -m benchmarks.trust                     # at their full counts: some hours on two cores
python -m benchmarks.trust --share 0.1         # a tenth of each count
python -m benchmarks.trust --only 3 7 12
python -m benchmarks.trust --resume FILE       # what the file holds already is kept
python -m benchmarks.trust --resume FILE --minutes 10    # begins nothing after that long
"""

import argparse
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1]
ORACLES = [
    "tests/graph/test_cluster.py::test_inertia_equals_scikit_learns_from_the_same_start",
    "tests/graph/test_cluster.py::test_inertia_is_not_above_scikit_learns_own_best",
    "tests/control/test_algorithm.py::test_no_other_matching_is_cheaper",
    "tests/baselines/test_iql.py::test_the_losses_are_those_of_the_paper",
    "tests/baselines/test_cem.py::test_rounds_are_those_of_mbrl_lib_on_the_same_candidates",
    "tests/baselines/test_nonfactorised.py",
]
VIEWER = [f"tests/web/test_{name}.py" for name in ("guard", "serve", "server", "sockets")]
WRITERS = ("collect", "train", "graph", "evaluate", "reproduce")
LONG = ("collect", "train", "evaluate", "reproduce", "serve", "view")


@dataclass(frozen=True)
class Part:
    """One command of a figure; {times} stands for its count."""

    words: str
    times: int = 0


@dataclass(frozen=True)
class Figure:
    """A figure: what is measured, what is wanted, and the commands that show it."""

    measure: str
    target: str
    parts: tuple[Part, ...]


KILLS = "-m benchmarks.figures.kills"
PYTEST = "-m pytest -q -p no:cacheprovider"
FIGURES = {
    1: Figure(
        "check_env, every world; 200 steps in two processes, 20 seeds",
        "no warning; pixels the same to the bit",
        (Part("-m benchmarks.figures.repeats rollouts --times {times}", 20),),
    ),
    2: Figure(
        "100 seeds in vectors of 1, 2, 4, in one process and in several",
        "the same pixels",
        (Part("-m benchmarks.figures.repeats vectors --times {times}", 100),),
    ),
    3: Figure(
        "kill -9 of collecting, 50 moments",
        "nothing lost, the same buffer",
        (Part(f"{KILLS} collect --times {{times}}", 50),),
    ),
    4: Figure(
        "kill -9 of training, 50 moments, and of two processes that train together, 50",
        "weights, optimiser and metrics the same to the bit",
        (
            Part(f"{KILLS} train --times {{times}}", 50),
            Part(f"{KILLS} pair --times {{times}}", 50),
            Part(f"{PYTEST} tests/training/test_train.py -k two_processes"),
        ),
    ),
    5: Figure(
        "kill -9 of judging, 20 moments; shards pre-empted ten times; a Ray cluster that loses a "
        "node, has one that stands still, loses its head, is asked by strangers",
        "the same rows, none twice; strangers refused",
        (
            Part(f"{KILLS} evaluate --times {{times}}", 20),
            Part(f"{KILLS} shards --times {{times}}", 10),
            Part("-m benchmarks.figures.clusters"),
        ),
    ),
    6: Figure(
        "a full disk, 20 sizes for each of five writers",
        "exit code 2, the path named, nothing half written; with room the same command ends",
        tuple(
            Part(f"-m benchmarks.figures.disks {name} --times {{times}}", 20) for name in WRITERS
        ),
    ),
    7: Figure(
        "1000 random corruptions of each of eight stored kinds",
        "refused by name",
        (Part("-m benchmarks.corruptions --times {times}", 1000),),
    ),
    8: Figure(
        "hostile files; readers never unpickle",
        "each refused in one line, in 2 s and 500 MB, or listed as harmless",
        (Part("-m benchmarks.hostile_files"), Part(f"{PYTEST} tests/test_supply.py")),
    ),
    9: Figure(
        "viewer: other addresses, traversal, foreign Host and Origin, uploads, held sockets; "
        "10 000 requests a server",
        "refused, no leak, no growth over 20 MB",
        (
            Part(f"{PYTEST} {' '.join(VIEWER)}"),
            Part("-m benchmarks.figures.memory --times {times}", 10_000),
        ),
    ),
    10: Figure(
        "SIGTERM, SIGINT, SIGHUP, 20 of each, six commands",
        "one line, exit code 143, 130, 129 within 10 s, nobody left",
        tuple(Part(f"-m benchmarks.signals --times {{times}} --only {name}", 20) for name in LONG),
    ),
    11: Figure(
        "k-means, matching, IQL, CEM, shortest paths against other implementations",
        "the same within rounding",
        (Part(f"{PYTEST} {' '.join(ORACLES)}"),),
    ),
    12: Figure(
        "a base install",
        "at most 25 packages beyond torch, help in 0.5 s, a missing extra named, "
        "no pin known to be vulnerable",
        (Part("-m benchmarks.figures.install"), Part("-m benchmarks.figures.audit")),
    ),
}


def measure(part: Part, share: float) -> dict[str, Any]:
    """What a command says last, and whether it is content."""
    began = time.monotonic()
    words = part.words.format(times=max(1, round(share * part.times))).split()
    out = subprocess.run([sys.executable, *words], cwd=HOME, capture_output=True, text=True)
    lines = (out.stdout.strip() or out.stderr.strip() or "nothing").splitlines()
    if out.returncode:
        print(out.stdout[-3000:] + out.stderr[-1000:], file=sys.stderr, flush=True)
    return {
        "seen": lines[-1] if "pytest" not in part.words else summary(out.stdout),
        "holds": out.returncode == 0,
        "seconds": round(time.monotonic() - began),
    }


def summary(text: str) -> str:
    """How many tests passed or failed."""
    failed = text.count("FAILED ")
    passed = sum(len(line) for line in re.findall(r"^[.sxX]+(?=\s|$)", text, re.MULTILINE))
    return f"{failed} tests FAILED" if failed else f"{passed} tests pass"


def show(number: int, kept: dict[str, dict[str, Any]]) -> None:
    """Prints a figure's row as far as its parts are measured."""
    figure = FIGURES[number]
    rows = [kept[part.words] for part in figure.parts if part.words in kept]
    if not rows:
        return
    left = len(figure.parts) - len(rows)
    seen = "; ".join([row["seen"] for row in rows] + ([f"{left} not measured"] if left else []))
    holds = "yes" if not left and all(row["holds"] for row in rows) else "**no**"
    seconds = sum(row["seconds"] for row in rows)
    shown = [number, figure.measure, figure.target, seen, holds, seconds]
    print(f"| {' | '.join(map(str, shown))} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the full counts")
    parser.add_argument("--only", type=int, nargs="+", choices=list(FIGURES))
    parser.add_argument("--resume", type=Path, help="a file of what was seen, kept and added to")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing later")
    parser.add_argument("--part", default="", help="only commands that hold this word")
    asked = parser.parse_args()
    began = time.monotonic()
    kept: dict[str, dict[str, Any]] = {}
    if asked.resume and asked.resume.exists():
        kept = json.loads(asked.resume.read_text())
    print("| # | measure | wanted | seen | holds | seconds |\n|---|---|---|---|---|---|")
    chosen = asked.only or list(FIGURES)
    for number in chosen:
        for part in FIGURES[number].parts:
            is_late = time.monotonic() - began > 60 * asked.minutes
            if part.words in kept or is_late or asked.part not in part.words:
                continue
            kept[part.words] = measure(part, asked.share)
            if asked.resume:
                asked.resume.write_text(json.dumps(kept, indent=1))
        show(number, kept)
    wanted = [part.words for number in chosen for part in FIGURES[number].parts]
    return not all(words in kept and kept[words]["holds"] for words in wanted)


if __name__ == "__main__":
    sys.exit(main())
