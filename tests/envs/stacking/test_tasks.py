"""Tasks of block-stacking can be built, and are of many kinds."""

import numpy as np
import pytest

from ncs.envs.stacking.facts import Style
from ncs.envs.stacking.layouts import LAYOUTS
from ncs.envs.stacking.tasks import (
    NO_GOAL,
    draw_columns,
    draw_pyramid,
    draw_task,
    draw_towers,
    drop,
    is_possible,
    shortest,
    tops,
)
from ncs.puzzle import Move

FRONT, DEPTH = LAYOUTS


@pytest.mark.parametrize("style", ["plain", "xyz"])
@pytest.mark.parametrize("n_cubes", [1, 3, 8])
@pytest.mark.parametrize("goal", ["complete", "partial", "none"])
def test_starts_can_stand_and_goals_ask_for_something(
    style: Style, n_cubes: int, goal: str
) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        task = draw_task(rng, n_cubes, goal, min(2, n_cubes), style)  # type: ignore[arg-type]
        layout = LAYOUTS[int(task.scene["layout"][0])]
        start, built = task.scene["start"], task.scene["goal"]
        assert is_possible(layout, start.tolist())
        wanted = {"complete": n_cubes, "partial": min(2, n_cubes), "none": 0}[goal]
        assert (built != NO_GOAL).sum() == wanted
        assert (task.minimum_moves > 0) == (goal != "none")
        if goal == "complete":
            assert is_possible(layout, built.tolist())


@pytest.mark.parametrize("layout", LAYOUTS, ids=["front", "depth"])
@pytest.mark.parametrize("n_cubes", range(1, 9))
def test_every_shape_holds_every_cube(layout: object, n_cubes: int) -> None:
    for draw in (draw_towers, draw_pyramid, draw_columns):
        height = draw(np.random.default_rng(n_cubes), layout, n_cubes)  # type: ignore[arg-type]
        assert sum(height) == n_cubes
        assert max(height) <= LAYOUTS[0].levels


def test_a_pyramid_rises_and_falls_by_single_steps() -> None:
    for seed in range(20):
        height = [0, *draw_pyramid(np.random.default_rng(seed), FRONT, 7), 0]
        steps = np.diff([top for top in height if top] or [0])
        assert (np.abs(steps) <= 1).all()


def test_a_task_is_the_same_for_the_same_seed() -> None:
    one, two = (draw_task(np.random.default_rng(5), 6, "complete", 2, "plain") for _ in range(2))
    assert all((one.scene[name] == two.scene[name]).all() for name in one.scene)


def test_a_tower_turned_over_on_the_spot_moves_twice_and_elsewhere_once() -> None:
    tower = [0, 5, 10]
    assert len(shortest(FRONT, tower, tower[::-1])) == 6
    assert len(shortest(FRONT, tower, [cell + 1 for cell in tower[::-1]])) == 3


def test_what_stands_in_the_air_of_a_goal_gets_something_under_it() -> None:
    assert shortest(FRONT, [0, 1], [7, NO_GOAL]) == [Move(1, 2), Move(0, 7)]


def test_tops_are_where_cubes_can_be_put() -> None:
    assert tops(FRONT, [0, 5, 1]) == [10, 6, 2, 3, 4]
    full = [0, 5, 10, 15]
    assert tops(FRONT, full) == [1, 2, 3, 4]


def test_dropped_cubes_reach_every_level() -> None:
    rng = np.random.default_rng(0)
    seen = {cell for _ in range(300) for cell in drop(rng, FRONT, 4)}
    assert seen == set(range(FRONT.n_cells))
