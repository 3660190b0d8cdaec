"""Takes rows of frozen test tasks, gives a table a world and goal kind, the best first.

Every line names the tasks, the checkpoint and the commit, so that anybody can play it again with
'ncs verify', and the floor of chance stands in every table. Rows that cannot be true are refused.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ncs.analysis.formatter import Grid, counts_of, estimate_text, evidence_text, label_text
from ncs.analysis.table import NAMELESS, Row, ScoreName, our_rows, paper_rows
from ncs.evaluation.suite import suite_hash
from ncs.evaluation.verify import audit
from ncs.records import DataError, Result

SPLIT = "test"
FLOOR = "random"  # the method that does what chance does


def leaderboard(results: Iterable[Result], score: ScoreName) -> list[Grid]:
    """The tables, in the order in which worlds first come; refuses what cannot be true."""
    held = [result for result in results if result.split == SPLIT]
    if not held:
        raise DataError("no row is of frozen test tasks; run 'ncs evaluate --split test'")
    for complaint in audit(held):
        raise DataError(f"{complaint}; a leaderboard takes whole cells alone")
    commits = _commits(held)
    tables: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in our_rows(held, score):
        tables[row.world, row.goal].append(row)
    return [_grid(where, rows, commits) for where, rows in tables.items()]


def _grid(where: tuple[str, str], rows: Sequence[Row], commits: dict[str, str]) -> Grid:
    """One table."""
    world, goal = where
    if not any(row.method == FLOOR for row in rows):
        raise DataError(
            f"{world}, {goal} goals: no row of {FLOOR}, so nobody can tell what chance reaches; "
            f"add the file of 'ncs evaluate --world {world} --method {FLOOR}'"
        )
    counts = counts_of(rows)
    every = [*rows, *(row for row in paper_rows(world, goal) if row.method == "NCS")]
    ordered = sorted(every, key=lambda row: -_mean(row, counts))
    lines = [_line(row, counts, commits) for row in ordered]
    head = ("", *(f"{n} objects" for n in counts), "evidence", "checkpoint", "commit")
    title = f"{world}, {goal} goals (tasks {suite_hash(world, SPLIT)})"
    return Grid(title, (head, *lines))


def _mean(row: Row, counts: Sequence[int]) -> float:
    """Over all numbers of objects of the table; one that is missing counts as 0."""
    return float(np.mean([row.cells[n].mean if n in row.cells else 0.0 for n in counts]))


def _line(row: Row, counts: Sequence[int], commits: dict[str, str]) -> tuple[str, ...]:
    cells = (estimate_text(row.cells.get(n)) for n in counts)
    checkpoint = "" if row.source == "paper" else row.checkpoint
    commit = commits.get(_key(row), "")
    return (label_text(row, NAMELESS), *cells, evidence_text(row), checkpoint, commit)


def _key(row: Row | Result) -> str:
    return "/".join((row.world, row.goal, row.method, row.split, row.config, row.checkpoint))


def _commits(results: Iterable[Result]) -> dict[str, str]:
    """The commits that played the rows of each line."""
    found: dict[str, set[str]] = defaultdict(set)
    for result in results:
        found[_key(result)].add(result.commit or result.code)
    return {key: ", ".join(sorted(commits)) for key, commits in found.items()}
