"""Ablates every extension of graph and control, one by one.

    python benchmarks/ablate_extensions.py checkpoints/blocks-fast-0 BUFFER
    python benchmarks/ablate_extensions.py checkpoints/robogym-fast-0 BUFFER

Development tasks, and in block-rearrange fresh tasks of seven look-alike cubes; rows go to
results/ablations/, where those already there are not run again, and the table is printed as
Markdown.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

from ncs.control.config import EXTENSIONS
from ncs.evaluation.results import read_results
from ncs.training.checkpoint import read_manifest

HOME = Path(__file__).parent.parent
OUT = HOME / "results" / "ablations"
GRAPHS = {
    "edges: last seen": ["--edges", "last"],
    "edges: mean": ["--edges", "mean"],
    "the paper's number of nodes": ["--nodes-from-data", "False", "--nodes"],
}
NODES = {"block-rearrange": "30", "robogym-rearrange": "45"}
PLAIN, HARD = ("--split", "dev"), ("--split", "fresh", "--style", "lookalike")
COUNTS = {  # objects of each kind of tasks
    "block-rearrange": {PLAIN: ("4", "7", "10"), HARD: ("7",)},
    "robogym-rearrange": {PLAIN: ("4", "7")},
}


def variants(model: Path, graphs: dict[str, Path]) -> dict[str, list[str]]:
    """Options of 'ncs evaluate' by the name of the row."""
    paper_graph = str(model / "graph-paper.safetensors")
    return {
        "all extensions": [],
        **{f"without {name}": ["--without", name] for name in EXTENSIONS},
        **{f"all, {name}": ["--graph", str(path)] for name, path in graphs.items()},
        "all, the paper's graph": ["--graph", paper_graph],
        "paper": ["--preset", "paper"],
        **{f"paper and {name}": ["--preset", "paper", "--only", name] for name in EXTENSIONS},
    }


def build_graphs(model: Path, buffer: Path, world: str, folder: Path) -> dict[str, Path]:
    """The graph with one of its own extensions off at a time."""
    paths = {}
    for name, options in GRAPHS.items():
        paths[name] = folder / f"{len(paths)}.safetensors"
        words = ["graph", "--model", str(model), "--buffer", str(buffer), "--out", str(paths[name])]
        call([*words, *options, *([NODES[world]] if options[-1] == "--nodes" else [])])
    return paths


def call(words: list[str]) -> None:
    """Runs an ncs command, its progress on the error stream."""
    subprocess.run(
        [sys.executable, "-m", "ncs", *words], check=True, stdout=subprocess.DEVNULL, cwd=HOME
    )


def judge(model: Path, world: str, options: list[str], path: Path, episodes: int) -> None:
    """Runs what is missing of a row."""
    words = ["evaluate", "--world", world, "--method", "ncs", "--model", str(model)]
    words += ["--out", str(path), "--seeds", "1", "--episodes", str(episodes), "--workers", "1"]
    for tasks, counts in COUNTS[world].items():
        call([*words, *options, *tasks, "--objects", *counts])


def cells(path: Path, world: str) -> dict[str, str]:
    """The scores of a row by column: complete and partial at each count of each kind of tasks."""
    results = read_results(path)
    found = {}
    for tasks, counts in COUNTS[world].items():
        for goal in ("complete", "partial"):
            for count in counts:
                scores = [
                    r.best
                    for r in results
                    if (r.split.split(":")[0], r.goal, r.objects) == (tasks[1], goal, int(count))
                ]
                name = f"look-alikes {goal}" if tasks == HARD else f"{goal} {count}"
                found[name] = f"{mean(scores):.3f}"
    return found


def file_name(model: Path, name: str) -> str:
    """Where the rows of a variant stand."""
    plain = name.replace(" ", "-").replace(",", "").replace(":", "").replace("'", "")
    return f"{model.name.split('-')[0]}-{plain}.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("--episodes", type=int, default=20)
    arguments = parser.parse_args()
    model, buffer = arguments.model.resolve(), arguments.buffer.resolve()
    world = read_manifest(model)["buffer"]["world"]
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = variants(model, build_graphs(model, buffer, world, Path(folder)))
        for name, options in rows.items():
            path = OUT / file_name(model, name)
            judge(model, world, options, path, arguments.episodes)
            scores = cells(path, world)
            if name == "all extensions":
                print("| | " + " | ".join(scores) + " |\n" + "|---" * (len(scores) + 1) + "|")
            print(f"| {name} | " + " | ".join(scores.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
