"""Ablates every extension of control, one by one: what each gains on tasks both ways have played.

    python benchmarks/ablate_extensions.py checkpoints/robogym-fast-0
    python benchmarks/ablate_extensions.py checkpoints/blocks-fast-0
    python benchmarks/ablate_extensions.py checkpoints/stacking-fast-0
    python benchmarks/ablate_extensions.py checkpoints/robogym-real-0 --style real
    python benchmarks/ablate_extensions.py checkpoints/robogym-fast-0 --buffer B --clips 13

An extension that gains no more than two standard errors on any of these suites has no place in
``ncs.control.extensions``. Rows go to results/ablations/, where those already there are not run
again; the table is printed as Markdown, and docs/ablations.md is filled with it by 'make results'.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ncs.control.extensions import EXTENSIONS
from ncs.evaluation.results import read_results, save_results
from ncs.training.checkpoint import read_manifest

HOME = Path(__file__).resolve().parent.parent
OUT = HOME / "results" / "ablations"
RUNS = HOME / "runs" / "ablations"  # rows of what is under way
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


DEV = Suite("development", ("--split", "dev"), (4, 7))
CROWDED = Suite("crowded", ("--split", "fresh", "--style", "crowded"), (10, 12), ("complete",))
SUITES = {"block-rearrange": CROWDED}  # development tasks elsewhere


def judge(model: Path, suite: Suite, without: str, seeds: int) -> None:
    """Plays what is missing of a variant, and packs its rows."""
    name = f"{model.name}-{suite.name}" + (f"-without-{without}" if without else "")
    packed, loose = OUT / f"{name}.jsonl.gz", RUNS / f"{name}.jsonl"
    wanted = len(suite.goals) * len(suite.objects) * seeds * EPISODES
    if packed.exists() and len(read_results(packed)) >= wanted:
        return
    world = read_manifest(model)["buffer"]["world"]
    command = [sys.executable, "-m", "ncs", "evaluate", "--method", "ncs", "--world", world]
    command += ["--model", str(model), "--out", str(loose), "--seeds", str(seeds)]
    command += ["--episodes", str(EPISODES), "--goal", *suite.goals, *suite.options]
    command += ["--objects", *map(str, suite.objects), "--workers", "1"]
    command += ["--without", without] if without else []
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=HOME)
    save_results(packed, read_results(loose))


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


def order(name: str) -> tuple[int, str]:
    """Extensions as they stand in the code, then those that left it."""
    kept = list(EXTENSIONS)
    return (kept.index(name) if name in kept else len(kept), name)


def tabulate(name: str) -> str:
    """The table of a model and a suite, such as blocks-fast-0-crowded, from the rows there are."""
    ours = scores(OUT / f"{name}.jsonl.gz")
    cells: list[Cell | None] = [*sorted({key[:2] for key in ours})]
    tasks = min(sum(key[:2] == cell for key in ours) for cell in cells)
    titles = [f"{cell[0]} {cell[1]}" for cell in cells if cell]
    lines = [f"| gain of, {tasks} tasks a cell | " + " | ".join([*titles, "all"]) + " |"]
    lines.append("|---" * (len(cells) + 2) + "|")
    files = {path: path.name.split("-without-")[1] for path in OUT.glob(f"{name}-without-*.gz")}
    ablated = {word.removesuffix(".jsonl.gz"): path for path, word in files.items()}
    for extension in sorted(ablated, key=order):
        theirs = scores(ablated[extension])
        found = [gain(ours, theirs, cell) for cell in [*cells, None]]
        lines.append(f"| {extension} | " + " | ".join(found) + " |")
    means = [np.mean([s for key, s in ours.items() if key[:2] == cell]) for cell in cells]
    lines.append("| success with all | " + " | ".join(f"{m:.3f}" for m in means) + " | |")
    return "\n".join(lines)


def play(model: Path, suite: Suite, seeds: int, names: Sequence[str]) -> None:
    """Plays a suite with every extension, and without each of some."""
    OUT.mkdir(parents=True, exist_ok=True)
    RUNS.mkdir(parents=True, exist_ok=True)
    for without in ("", *names):
        judge(model, suite, without, seeds)


def with_small_graph(model: Path, suite: Suite, buffer: Path, clips: int) -> Suite:
    """The suite with a graph of a few clips instead of the model's own."""
    graph = RUNS / f"{model.name}-{clips}-clips.safetensors"
    RUNS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ncs", "graph", "--model", str(model), "--out", str(graph)]
    command += ["--buffer", str(buffer.resolve()), "--clips", str(clips)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=HOME)
    return replace(
        suite,
        name=f"{suite.name}-{clips}-clips",
        options=(*suite.options, "--graph", str(graph.relative_to(HOME))),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--style", help="fresh tasks of a style instead")
    parser.add_argument("--buffer", type=Path, help="clips to build another graph from")
    parser.add_argument("--clips", type=int, default=13, help="of it")
    parser.add_argument("--names", nargs="+", default=list(EXTENSIONS), choices=list(EXTENSIONS))
    parser.add_argument("--seeds", type=int, default=2, help=f"of {EPISODES} tasks a cell")
    arguments = parser.parse_args()
    model = arguments.model.resolve()
    suite = SUITES.get(read_manifest(model)["buffer"]["world"], DEV)
    if arguments.style:
        suite = Suite(arguments.style, ("--split", "fresh", "--style", arguments.style), (4, 7))
    if arguments.buffer:
        suite = with_small_graph(model, suite, arguments.buffer, arguments.clips)
    play(model, suite, arguments.seeds, arguments.names)
    print(tabulate(f"{model.name}-{suite.name}"))


if __name__ == "__main__":
    main()
