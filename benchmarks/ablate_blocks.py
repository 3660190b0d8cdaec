"""Ablates every extension of graph and control on block-rearrange, one by one.

Run ``python benchmarks/ablate_blocks.py BUFFER``. Development tasks at 4, 7 and 10 objects, and
fresh tasks of seven look-alike cubes; rows go to results/ablations/, where those already there are
not run again, and the table is printed as Markdown.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

from ncs.control.config import EXTENSIONS
from ncs.evaluation.results import read_results

HOME = Path(__file__).parent.parent
MODEL = HOME / "checkpoints" / "blocks-fast-0"
OUT = HOME / "results" / "ablations"
COUNTS = ("4", "7", "10")
GRAPHS = {
    "edges: last seen": ["--edges", "last"],
    "edges: mean": ["--edges", "mean"],
    "30 nodes": ["--nodes-from-data", "False", "--nodes", "30"],
}


def variants(graphs: dict[str, Path]) -> dict[str, list[str]]:
    """Options of 'ncs evaluate' by the name of the row."""
    paper_graph = str(MODEL / "graph-paper.safetensors")
    return {
        "all extensions": [],
        **{f"without {name}": ["--without", name] for name in EXTENSIONS},
        **{f"all, {name}": ["--graph", str(path)] for name, path in graphs.items()},
        "all, the paper's graph": ["--graph", paper_graph],
        "paper": ["--preset", "paper"],
        **{f"paper and {name}": ["--preset", "paper", "--only", name] for name in EXTENSIONS},
    }


def build_graphs(buffer: Path, folder: Path) -> dict[str, Path]:
    """The graph with one of its own extensions off at a time."""
    paths = {}
    for name, options in GRAPHS.items():
        paths[name] = folder / f"{len(paths)}.safetensors"
        words = ["graph", "--model", str(MODEL), "--buffer", str(buffer), "--out", str(paths[name])]
        call([*words, *options])
    return paths


def call(words: list[str]) -> None:
    """Runs an ncs command, its progress on the error stream."""
    subprocess.run(
        [sys.executable, "-m", "ncs", *words], check=True, stdout=subprocess.DEVNULL, cwd=HOME
    )


def judge(options: list[str], path: Path, episodes: int) -> None:
    """Runs what is missing of a row."""
    words = ["evaluate", "--method", "ncs", "--model", str(MODEL), "--out", str(path)]
    words += ["--seeds", "1", "--episodes", str(episodes), "--workers", "1", *options]
    call([*words, "--split", "dev", "--objects", *COUNTS])
    call([*words, "--split", "fresh", "--style", "lookalike", "--objects", "7"])


def cells(path: Path) -> list[str]:
    """The scores of a row: complete and partial at each count, then among look-alikes."""
    results = read_results(path)
    found = []
    for split, counts in (("dev", COUNTS), ("fresh", ("7",))):
        for goal in ("complete", "partial"):
            for count in counts:
                scores = [
                    r.best
                    for r in results
                    if r.split.startswith(split) and r.goal == goal and r.objects == int(count)
                ]
                found.append(f"{mean(scores):.3f}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("--episodes", type=int, default=25)
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = variants(build_graphs(arguments.buffer, Path(folder)))
        for name, options in rows.items():
            path = OUT / f"blocks-{name.replace(' ', '-').replace(',', '').replace(':', '')}.jsonl"
            judge(options, path, arguments.episodes)
            if name == "all extensions":
                heads = [f"{goal} {n}" for goal in ("complete", "partial") for n in COUNTS]
                heads += ["look-alikes complete", "look-alikes partial"]
                print("| | " + " | ".join(heads) + " |")
                print("|---" * (len(heads) + 1) + "|")
            print(f"| {name} | " + " | ".join(cells(path)) + " |", flush=True)


if __name__ == "__main__":
    main()
