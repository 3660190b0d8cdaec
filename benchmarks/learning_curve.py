"""What a model scores by how many clips it learned from, and by how long it learned.

    python -m benchmarks.learning_curve                   # all that is missing, then the table
    python -m benchmarks.learning_curve --only 200x1500   # one point: 200 clips, 1500 steps

Each point collects its clips, trains the preset ``fast`` on them with one thread, builds the graph
and plays development tasks. What is there already is kept, so that a killed run goes on; rows go to
results/ablations/learning-curve.jsonl.gz, seconds of training to the .json beside it, and 'make
results' fills docs/ablations.md from both.
"""

import argparse
import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncs.evaluation.results import read_results, save_results
from ncs.records import Result
from ncs.storage import write_bytes

HOME = Path(__file__).resolve().parents[1]
ROWS = HOME / "results" / "ablations" / "learning-curve.jsonl.gz"
TIMES = HOME / "results" / "ablations" / "learning-curve.json"
RUNS = HOME / "runs" / "learning-curve"
WORLD = "robogym-rearrange"
TASKS = 50  # development tasks a cell
CELLS = [(goal, objects) for goal in ("complete", "partial") for objects in (4, 7)]


@dataclass(frozen=True)
class Point:
    """How much a model learned from."""

    clips: int
    steps: int  # of training

    @property
    def name(self) -> str:
        """A word for it."""
        return f"{self.clips}x{self.steps}"


FULL = 1500  # clips, and steps of the preset
POINTS = [Point(clips, FULL) for clips in (50, 100, 200, 500, 1500, 5000)]
POINTS += [Point(FULL, steps) for steps in (400, 800)]


def run(*words: str | Path | int) -> float:
    """Seconds of processor that one command of the package took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "ncs", *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=HOME)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def make(point: Point) -> None:
    """Makes a point's model and graph, as far as that is not done."""
    buffer, model = RUNS / f"{point.clips}-clips", RUNS / point.name
    run("collect", WORLD, "--episodes", point.clips, "--workers", 1, "--out", buffer)
    if not (model / "trained").exists():  # from the start: seconds of half a run say nothing
        fast = ["--preset", "fast", "--threads", 1, "--steps", point.steps]
        seconds = run("train", *fast, "--buffer", buffer, "--out", model)
        write_bytes(model / "trained", f"{seconds:.1f}".encode())
    if not (model / "graph-best.safetensors").exists():
        run("graph", "--model", model, "--buffer", buffer)


def judge(point: Point) -> None:
    """Plays a point's tasks and keeps rows and seconds."""
    model = RUNS / point.name
    ours = ["--world", WORLD, "--method", "ncs", "--model", model, "--label", point.name]
    tasks = ["--split", "dev", "--seeds", 1, "--episodes", TASKS, "--objects", 4, 7]
    rows = RUNS / f"{point.name}.jsonl"
    run("evaluate", *ours, *tasks, "--workers", 1, "--out", rows)
    others = [row for row in kept_rows() if row.label != point.name]
    save_results(ROWS, [*others, *read_results(rows)])
    times = {**kept_times(), point.name: float((model / "trained").read_text())}
    write_bytes(TIMES, (json.dumps(times, indent=1, sort_keys=True) + "\n").encode())


def kept_rows() -> list[Result]:
    """Rows of every point so far."""
    return list(read_results(ROWS)) if ROWS.exists() else []


def kept_times() -> dict[str, float]:
    """Seconds of processor that training took, of every point so far."""
    return dict(json.loads(TIMES.read_text())) if TIMES.exists() else {}


def tabulate(world: str = WORLD) -> str:
    """The table of all points of a world that were played."""
    rows, times = [row for row in kept_rows() if row.world == world], kept_times()
    titles = [f"{goal} {objects}" for goal, objects in CELLS]
    lines = [f"| clips | steps | training, seconds of one core | {' | '.join(titles)} | all |"]
    lines.append("|---" * (4 + len(CELLS)) + "|")
    for point in POINTS:
        if point.name in times:
            mine = [row for row in rows if row.label == point.name]
            cells = [[r.best for r in mine if (r.goal, r.objects) == cell] for cell in CELLS]
            means = " | ".join(f"{np.mean(cell):.3f}" for cell in cells)
            best = np.array([row.best for row in mine])
            total = f"{best.mean():.3f} ±{best.std(ddof=1) / np.sqrt(len(best)):.3f}"
            first = f"{point.clips} | {point.steps} | {times[point.name]:.0f}"
            lines.append(f"| {first} | {means} | {total} |")
    return "\n".join(lines)


def main() -> None:
    """Plays what is missing and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    names = [point.name for point in POINTS]
    parser.add_argument("--only", nargs="*", default=names, choices=names, metavar="POINT")
    parser.add_argument("--make", action="store_true", help="models alone, no tasks")
    arguments = parser.parse_args()
    RUNS.mkdir(parents=True, exist_ok=True)
    for point in POINTS:
        if point.name in arguments.only:
            make(point)
            if not arguments.make:
                judge(point)
    print(tabulate())


if __name__ == "__main__":
    main()
