"""The leaderboard ranks, prints its evidence and the floor, and takes nothing that cannot be."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ncs.analysis.leaderboard import leaderboard
from ncs.evaluation.suite import frozen_task, suite_hash, task_hash
from ncs.records import DataError, Result

WORLD = "block-rearrange"


def row(method: str, episode: int, best: float) -> Result:
    task = frozen_task(WORLD, "test", "complete", 4, episode)
    return Result(
        method=method,
        world=WORLD,
        goal="complete",
        objects=4,
        seed=0,
        episode=episode,
        split="test",
        task=task_hash(task),
        config="0" * 12,
        code="0.1.0",
        minimum_moves=task.minimum_moves,
        steps=4,
        unsatisfied=4,
        final=best,
        best=best,
        seconds=0.1,
        weights="abc" if method != "random" else "",
        commit=f"commit-of-{method}",
    )


def rows(**scores: float) -> list[Result]:
    return [row(method, episode, best) for method, best in scores.items() for episode in range(2)]


def lines_of(results: Sequence[Result]) -> list[tuple[str, ...]]:
    (grid,) = leaderboard(results, "best")
    assert grid.title == f"{WORLD}, complete goals (tasks {suite_hash(WORLD, 'test')})"
    return list(grid.rows)


def test_the_best_comes_first_with_its_evidence_and_the_floor_beside() -> None:
    head, *lines = lines_of(rows(random=0.05, mine=1.0, other=0.5))
    assert head == ("", "4 objects", "evidence", "checkpoint", "commit")
    assert [line[0] for line in lines] == ["mine", "NCS (paper)", "other", "random"]
    assert lines[0][1:] == ("1.000", "1 seeds x 2", "abc", "commit-of-mine")


def test_without_the_floor_there_is_no_table() -> None:
    with pytest.raises(DataError, match="no row of random"):
        leaderboard(rows(mine=1.0), "best")


def test_dev_and_fresh_tasks_do_not_count() -> None:
    tuned = [replace(one, split="dev") for one in rows(tuned=1.0)]
    assert [line[0] for line in lines_of([*rows(random=0.1), *tuned])[1:]] == [
        "NCS (paper)",
        "random",
    ]
    with pytest.raises(DataError, match="no row is of frozen test tasks"):
        leaderboard(tuned, "best")


@pytest.mark.parametrize("change", [{"unsatisfied": 0}, {"task": "0" * 12}, {"episode": 5}])
def test_rows_that_cannot_be_true_are_refused(change: dict[str, object]) -> None:
    first, *rest = rows(mine=1.0)
    with pytest.raises(DataError, match="whole cells alone"):
        leaderboard([*rows(random=0.1), replace(first, **change), *rest], "best")
