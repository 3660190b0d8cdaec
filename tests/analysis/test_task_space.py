"""The size of the task space is the paper's."""

from itertools import combinations

import pytest

from ncs.analysis.task_space import count_trajectories
from ncs.records import ConfigError


def count_by_walking(places: int, objects: int, steps: int) -> int:
    """Walks every trajectory of a small board."""
    states = list(combinations(range(places), objects))
    for _ in range(steps):
        states = [
            tuple(sorted({*state} - {taken} | {free}))
            for state in states
            for taken in state
            for free in range(places)
            if free not in state
        ]
    return len(states)


@pytest.mark.parametrize(("places", "objects", "steps"), [(4, 2, 2), (5, 1, 3), (5, 3, 2)])
def test_the_formula_counts_what_a_walk_finds(places: int, objects: int, steps: int) -> None:
    walked = count_by_walking(places, objects, steps)
    assert count_trajectories(places, objects, steps) == walked


def test_seven_blocks_have_as_many_trajectories_as_the_paper_says() -> None:
    assert count_trajectories(16, 7, 7) == 11440 * 63**7
    assert 4.5e16 <= count_trajectories(16, 7, 7) < 4.6e16


def test_nothing_to_move_is_one_trajectory_for_each_start() -> None:
    assert count_trajectories(16, 3, 0) == 560
    assert count_trajectories(16, 16, 1) == 0


@pytest.mark.parametrize(("objects", "steps"), [(17, 1), (-1, 1), (3, -1)])
def test_impossible_boards_are_refused(objects: int, steps: int) -> None:
    with pytest.raises(ConfigError, match="must"):
        count_trajectories(16, objects, steps)
