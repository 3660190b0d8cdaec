"""Plans dig out, build from the bottom, park, break rings, and recover."""

import numpy as np
import pytest
from tests.stacks import COLUMNS, LEVELS, SIDE, drop, points, works

from ncs.control.planning import homeward, is_possible, plan, set_up
from ncs.graph.rules import Box, Rules
from ncs.puzzle import Outlook, solve

INF = np.inf
STACKS = Rules(
    hold=(Box(np.array([-0.1, -INF, 0.0]), np.array([0.1, INF, INF])),),
    block=(Box(np.array([-0.1, -INF, -SIDE / 2]), np.array([0.1, INF, SIDE / 2])),),
    need=Box(np.array([-0.1, -INF, -1.5 * SIDE]), np.array([0.1, INF, -SIDE / 2])),
    ground=Box(np.full(3, -INF), np.array([INF, INF, SIDE])),
)
FLAT = Rules()
CELLS = points(np.arange(len(COLUMNS) * LEVELS))


def play(
    cells: list[int], goals: list[int], rng: np.random.Generator, noise: float, slips: float
) -> int:
    """Moves until every goal holds, with errors of sight and moves that fail by chance."""
    here = np.array(cells)
    for step in range(60):
        if all(goal in (-1, cell) for cell, goal in zip(here, goals, strict=True)):
            return step
        goal_J3 = np.where(np.array(goals)[:, None] >= 0, points(np.array(goals)), np.nan)
        seen_J3 = points(here) + rng.normal(0, noise, (len(here), 3))
        chosen = plan(seen_J3, goal_J3, STACKS, CELLS, SIDE / 2)
        assert chosen is not None
        target = int(np.linalg.norm(CELLS - chosen.place, axis=1).argmin())
        assert works(here, chosen.thing, target)
        if rng.random() >= slips:
            here[chosen.thing] = target
    raise AssertionError("never done")


def test_a_buried_thing_is_dug_out() -> None:
    chosen = plan(points(np.array([0, 5])), points(np.array([1, 5])), STACKS, CELLS, SIDE / 2)
    assert chosen is not None
    assert chosen.thing == 1


def test_a_tower_is_built_from_the_bottom() -> None:
    chosen = plan(
        points(np.array([0, 1, 2])), points(np.array([13, 8, 3])), STACKS, CELLS, SIDE / 2
    )
    assert chosen is not None
    assert chosen.thing == 2
    np.testing.assert_allclose(chosen.place, CELLS[3])
    assert chosen.steps == 3


def test_two_things_on_a_floor_change_places_by_way_of_a_spare_place() -> None:
    place = np.array([[0.0, 0, 0], [0.3, 0, 0]])
    chosen = plan(place, place[::-1], FLAT, np.array([[0.0, 0.5, 0], [0.3, 0, 0]]), 0.1)
    assert chosen is not None
    assert chosen.steps == 3
    assert chosen.place.tolist() == [0.0, 0.5, 0.0]
    assert chosen.home == ()


def test_all_that_can_go_home_is_named() -> None:
    place, goal = points(np.array([0, 1, 5])), points(np.array([2, 3, 4]))
    chosen = plan(place, goal, STACKS, CELLS, SIDE / 2)
    assert chosen is not None
    assert chosen.home == (1, 2)


def test_nothing_is_left_to_do_when_all_goals_hold() -> None:
    place = points(np.array([0, 1]))
    assert plan(place + 0.01, place, STACKS, CELLS, SIDE / 2) is None


def test_nothing_leads_on_where_nothing_can_be_moved() -> None:
    full = np.array([[0.0, 0, 0], [0.3, 0, 0]])
    assert plan(full, full[::-1], FLAT, np.zeros((0, 3)), 0.1) is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_things", [4, 7])
def test_any_goal_is_reached_in_spite_of_noise_and_slips(seed: int, n_things: int) -> None:
    rng = np.random.default_rng(seed)
    start, goals = drop(rng, n_things).tolist(), drop(rng, n_things).tolist()
    for thing in rng.permutation(n_things)[: seed % 3]:
        goals[thing] = -1
    exact = play(start, goals, rng, noise=0.0, slips=0.0)
    assert play(start, goals, rng, noise=0.01, slips=0.0) == exact
    assert play(start, goals, rng, noise=0.01, slips=0.3) >= exact


def test_a_search_that_gives_up_still_moves() -> None:
    tower = points(np.array([0, 5, 10, 15]))
    chosen = plan(tower, tower[::-1], STACKS, CELLS, SIDE / 2, most=1)
    assert chosen is not None
    assert chosen.thing == 3
    assert chosen.steps == 0


def test_a_goal_that_nothing_can_ever_meet_keeps_none_of_the_others_waiting() -> None:
    in_the_air = np.array([[0.0, 0.0, 9 * SIDE]])
    goal = np.concatenate([in_the_air, points(np.array([3]))])
    chosen = plan(points(np.array([0, 1])), goal, STACKS, CELLS, SIDE / 2)
    assert chosen is not None
    assert chosen.steps == 1
    assert chosen.thing == 1


def test_of_two_goals_at_one_place_the_one_that_holds_stays() -> None:
    goal = points(np.array([1, 1, 2]))
    chosen = plan(points(np.array([0, 1, 3])), goal, STACKS, CELLS, SIDE / 2)
    assert chosen is not None
    assert (chosen.thing, chosen.steps) == (2, 1)


def test_a_search_weighs_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    estimate = Outlook.estimate
    monkeypatch.setattr(
        Outlook, "estimate", lambda own, places: calls.append(places) or estimate(own, places)
    )
    goal = points(np.array([15, 10, 5, 0, 16, 11]))
    plan(points(np.array([0, 5, 10, 15, 1, 6])), goal, STACKS, CELLS, SIDE / 2, most=20)
    moves = 6 * len(CELLS)  # of one arrangement, at most
    assert len(calls) <= 2 * (20 + moves) + 2 * moves


def test_going_home_is_not_named_where_it_undoes_the_plan() -> None:
    # The lowest of a tower of four should be the second's; the top was just put aside.
    place, goal = points(np.array([5, 2, 10, 0])), np.full((4, 3), np.nan)
    goal[:2] = points(np.array([0, 15]))
    chosen = plan(place, goal, STACKS, CELLS, SIDE / 2)
    assert chosen is not None
    assert chosen.steps == 7
    assert chosen.home == ()


def crowd(n_places: int) -> np.ndarray:
    """Spare places on the floor and above it, as a graph with many nodes has them."""
    rng = np.random.default_rng(0)
    spare_P3 = rng.uniform([-3, 0, 0], [3, 0, SIDE / 8], (n_places, 3))
    spare_P3[::2, 2] += SIDE * rng.integers(1, 3, len(spare_P3[::2]))
    return spare_P3


@pytest.mark.parametrize("seed", range(10))
def test_what_could_go_home_first_leaves_the_rest_of_a_plan_possible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    here, goal = (points(drop(rng, 6)) for _ in range(2))
    board = set_up(here, goal, STACKS, CELLS, SIDE / 2)
    moves = solve(board.puzzle, board.start, board.goal)
    assert moves is not None
    home = homeward(board, moves)
    for k, move in enumerate(moves):
        once = [other.thing for other in moves].count(move.thing) == 1
        order = [move, *moves[:k], *moves[k + 1 :]]
        assert (move.thing in home) == (once and is_possible(board, order))


def test_of_many_spare_places_as_many_as_there_are_things_are_weighed() -> None:
    place_J3 = points(np.array([0, 5, 10]))
    board = set_up(place_J3, place_J3[::-1], STACKS, crowd(120), SIDE / 2)
    assert len(board.point) <= 8
    assert len(solve(board.puzzle, board.start, board.goal, most=200) or ()) == 6


def test_what_may_lie_under_a_goal_is_kept_among_many_spare_places() -> None:
    high_3 = points(np.array([10]))
    board = set_up(
        points(np.array([2, 3])),
        np.vstack([high_3, [[np.nan] * 3]]),
        STACKS,
        np.vstack([crowd(120), points(np.array([0, 5]))]),
        SIDE / 2,
    )
    column = np.abs(board.point - high_3)[:, 0] < 0.1
    assert column.sum() >= 2
    assert len(board.point) < 20


def test_where_few_places_are_free_all_of_them_stay() -> None:
    board = set_up(points(np.arange(4)), points(np.array([1, 0, 3, 2])), STACKS, CELLS, SIDE / 2)
    assert len(board.point) == len(CELLS)
