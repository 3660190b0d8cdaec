"""Takes results of 'ncs evaluate', gives OGBench's own table: success by task, whole or not at all.

python -m ogbench_cubes.score results/ogbench-cubes-0.jsonl.gz
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ncs.evaluation.results import read_results
from ncs.records import Result
from ogbench_cubes.facts import N_TASKS, VARIANTS

# Best of OGBench's own baselines from pixels (HIQL), per cent over the five tasks; none for four.
PUBLISHED = {1: "89", 2: "39", 3: "21", 4: ""}
HEAD = ["", "method", *(f"task {n + 1}" for n in range(N_TASKS)), "all five", "moves"]
LAST = "published, 5-D actions"


def table(results: list[Result]) -> list[list[str]]:
    """Rows of cells: a world and a method each."""
    groups: dict[tuple[int, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.objects, result.label].append(result)
    rows = [[*HEAD, LAST]]
    for (objects, label), group in sorted(groups.items()):
        tasks = [[r for r in group if r.episode % N_TASKS == n] for n in range(N_TASKS)]
        cells = [share(task) for task in tasks]
        moves = np.mean([r.steps / r.minimum_moves for r in group if solved(r)] or [np.nan])
        told = "" if np.isnan(moves) else f"{moves:.2f} x"
        rows.append([VARIANTS[objects], label, *cells, share(group), told, PUBLISHED[objects]])
    return rows


def solved(result: Result) -> bool:
    """Whether OGBench calls the episode a success."""
    return result.best >= 1.0


def share(group: list[Result]) -> str:
    """Successes of how many episodes, and their share."""
    if not group:
        return ""
    good = sum(map(solved, group))
    return f"{good}/{len(group)} = {good / len(group):.2f}"


def as_markdown(paths: Sequence[Path]) -> str:
    """The table of some files of results, in lines."""
    rows = table([result for path in paths for result in read_results(path)])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def main() -> None:
    """Prints the table of the files that are named."""
    print(as_markdown([Path(path) for path in sys.argv[1:]]))


if __name__ == "__main__":
    main()
