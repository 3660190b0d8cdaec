"""Ablates every extension of control, one by one: what each gains on tasks both ways have played.

    python benchmarks/ablate_extensions.py checkpoints/robogym-fast-0
    python benchmarks/ablate_extensions.py checkpoints/blocks-fast-0

An extension that gains no more than two standard errors on any of these suites has no place in
``ncs.control.extensions``. Rows go to results/ablations/, where those already there are not run
again; the table is printed as Markdown.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncs.control.extensions import EXTENSIONS
from ncs.evaluation.results import read_results
from ncs.training.checkpoint import read_manifest

HOME = Path(__file__).parent.parent
OUT = HOME / "results" / "ablations"
EPISODES = 50  # a seed
Key = tuple[str, int, int, int]  # goal, objects, seed, episode
Cell = tuple[str, int]  # goal, objects


@dataclass(frozen=True)
class Suite:
    """Tasks to play."""

    name: str
    options: tuple[str, ...]
    objects: tuple[int, ...]
    goals: tuple[str, ...] = ("complete", "partial")


DEV = Suite("development tasks", ("--split", "dev"), (4, 7))
CROWDED = Suite("crowded", ("--split", "fresh", "--style", "crowded"), (10, 12), ("complete",))
SUITES = {"block-rearrange": (CROWDED,), "robogym-rearrange": (DEV,)}


def judge(model: Path, world: str, suite: Suite, options: list[str], seeds: int) -> Path:
    """Plays what is missing of a variant; the file of its rows comes back."""
    words = [model.name, suite.name, *(w.strip("-") for w in options)]
    path = OUT / f"{'-'.join(words).replace(' ', '-')}.jsonl"
    command = [sys.executable, "-m", "ncs", "evaluate", "--method", "ncs", "--world", world]
    command += ["--model", str(model), "--out", str(path), "--seeds", str(seeds), "--workers", "1"]
    command += ["--episodes", str(EPISODES), "--goal", *suite.goals, *suite.options, *options]
    command += ["--objects", *map(str, suite.objects)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=HOME)
    return path


def scores(path: Path) -> dict[Key, float]:
    """Fractional success of every episode, best so far."""
    return {(r.goal, r.objects, r.seed, r.episode): r.best for r in read_results(path)}


def gain(ours: dict[Key, float], theirs: dict[Key, float], cell: Cell | None) -> str:
    """The mean of what is gained, task by task, and its standard error; bold beyond two of them."""
    both = [key for key in ours if key in theirs and cell in (None, key[:2])]
    gains = np.array([ours[key] - theirs[key] for key in both])
    mean, error = gains.mean(), gains.std(ddof=1) / np.sqrt(len(gains))
    text = f"{mean:+.3f} ±{error:.3f}"
    return f"**{text}**" if mean > 2 * error else text


def tabulate(model: Path, world: str, suite: Suite, seeds: int) -> None:
    """Prints the table of a suite, row by row."""
    ours = scores(judge(model, world, suite, [], seeds))
    cells: list[Cell | None] = [(goal, n) for goal in suite.goals for n in suite.objects]
    names = [f"{cell[0]} {cell[1]}" for cell in cells if cell]
    print(f"\n{world}, {suite.name}, {seeds * EPISODES} tasks a cell or more\n")
    print("| gain of | " + " | ".join([*names, "all"]) + " |\n" + "|---" * (len(cells) + 2) + "|")
    for name in EXTENSIONS:
        theirs = scores(judge(model, world, suite, ["--without", name], seeds))
        found = [gain(ours, theirs, cell) for cell in [*cells, None]]
        print(f"| {name} | " + " | ".join(found) + " |", flush=True)
    means = [np.mean([s for key, s in ours.items() if cell in (None, key[:2])]) for cell in cells]
    print("| success with all | " + " | ".join(f"{m:.3f}" for m in means) + " | |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--seeds", type=int, default=2, help=f"of {EPISODES} tasks a cell")
    arguments = parser.parse_args()
    world = read_manifest(arguments.model)["buffer"]["world"]
    OUT.mkdir(parents=True, exist_ok=True)
    for suite in SUITES[world]:
        tabulate(arguments.model.resolve(), world, suite, arguments.seeds)


if __name__ == "__main__":
    main()
