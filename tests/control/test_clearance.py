"""Room around a goal, from what failed."""

import numpy as np
import pytest

from ncs.control.clearance import (
    CASES,
    Attempt,
    Scene,
    Space,
    advise,
    imagine,
    learn,
    nudges,
    recall,
    slits,
    sunflower,
)

SPACE = Space(np.zeros(2), np.ones(2), tolerance=0.05, error=0.002, size=0.12, still=0.02)
NOBODY = np.zeros((0, 2))
WALL = np.array([0.05, 0.5])  # a goal beside the wall on the left


def scene(goal, others=NOBODY, vain=(), homes=None, stuck=()):
    others = np.asarray(others, float)
    homes = np.full_like(others, np.nan) if homes is None else np.asarray(homes, float)
    return Scene(np.array([0.8, 0.8]), np.asarray(goal, float), others, homes, vain, stuck)


def advice(*arguments, seed=0, **settings):
    return advise(scene(*arguments, **settings), SPACE, np.random.default_rng(seed))


def test_where_nothing_failed_and_nothing_is_near_the_goal_itself_is_best():
    assert not advice([0.5, 0.5]).shift.any()


@pytest.mark.parametrize("seed", range(5))
def test_beside_a_wall_the_first_point_lies_further_from_it_already(seed):
    assert advice(WALL, seed=seed).shift[0] > 0.002


@pytest.mark.parametrize("seed", range(5))
def test_the_room_of_what_is_still_to_come_is_left_free(seed):
    there, far = np.array([0.17, 0.5]), np.array([0.9, 0.1])  # just beyond the goal at the wall
    alone = advice(WALL, [far], seed=seed).shift[0]
    beside = advice(WALL, [far], homes=[there], seed=seed).shift[0]
    assert beside < alone


def test_what_lies_beside_its_place_may_be_put_right():
    goal, home = np.array([0.5, 0.5]), np.array([0.62, 0.5])
    beside = home + np.array([-0.008, 0.006])
    found = list(nudges(scene(goal, [beside], [Attempt(goal, NOBODY)], [home]), SPACE))
    assert any(np.allclose(beside + shift, home) for _, shift in found)


@pytest.mark.parametrize("seed", range(5))
def test_beside_a_wall_the_next_point_lies_further_from_it(seed):
    shift = advice(WALL, vain=[Attempt(WALL, NOBODY)], seed=seed).shift
    assert shift[0] > 0.002
    assert np.linalg.norm(shift) < SPACE.tolerance


@pytest.mark.parametrize("seed", range(5))
def test_beside_another_thing_the_next_point_lies_further_from_that(seed):
    goal, others = np.array([0.5, 0.5]), np.array([[0.62, 0.5]])
    found = advice(goal, others, [Attempt(goal, others)], stuck=[[0.63, 0.5], [0.64, 0.5]])
    assert found.other < 0
    assert found.shift[0] < -0.002


def test_a_thing_that_leaves_no_room_is_moved_away_from_the_goal():
    other, home = np.array([[0.16, 0.5]]), np.array([[0.18, 0.5]])
    beside = [(dx, dy) for dx in (-0.004, 0.0, 0.004, 0.008) for dy in (-0.01, 0.01)]
    vain = [Attempt(WALL + np.array(offset), other) for offset in beside]
    found = advice(WALL, other, vain, homes=home)
    assert found.other == 0
    assert found.shift[0] > 0


def test_no_point_is_advised_twice():
    goal, vain = np.array([0.5, 0.5]), []
    for seed in range(8):
        shift = advice(goal, vain=vain, seed=seed).shift
        away = [np.linalg.norm(goal + shift - attempt.place) for attempt in vain]
        assert min(away, default=1) >= SPACE.error
        vain.append(Attempt(goal + shift, NOBODY))


def test_cases_in_which_it_should_have_worked_lose_belief():
    blocked = scene(WALL, vain=[Attempt(WALL - [0.005, 0], NOBODY)])
    cases = learn(imagine(blocked, SPACE, np.random.default_rng(0)), blocked, SPACE)
    free = cases.inside(blocked.vain[0].place[None])[:, 0]
    assert 0 < free.sum() < CASES
    assert cases.weight.sum() == pytest.approx(1)
    assert cases.weight[free].max() < cases.weight[~free].min()


def test_a_failure_teaches_nothing_once_what_stood_near_has_gone():
    gone = scene(WALL, vain=[Attempt(WALL, np.array([[0.15, 0.5]]))])
    cases = learn(imagine(gone, SPACE, np.random.default_rng(0)), gone, SPACE)
    np.testing.assert_allclose(cases.weight, 1 / CASES)


def test_things_are_recalled_by_where_they_are_now():
    now = np.array([[0.2, 0.2], [0.9, 0.9]])
    then, gone = recall(now, Attempt(WALL, np.array([[0.21, 0.2], [0.5, 0.5]])), 0.06)
    np.testing.assert_array_equal(then, [[0.21, 0.2], [np.inf, np.inf]])
    np.testing.assert_array_equal(gone, [[0.5, 0.5]])


def test_what_is_where_it_should_be_stays_there():
    goal, home = np.array([0.5, 0.5]), np.array([[0.62, 0.5]])
    vain = [Attempt(goal, NOBODY)]
    assert not list(nudges(scene(goal, home, homes=home), SPACE))
    moves = [shift for _, shift in nudges(scene(goal, home, vain, home), SPACE)]
    assert moves
    assert max(np.linalg.norm(shift) for shift in moves) <= SPACE.still
    away = home + np.array([0.02, 0])
    rest = [shift for _, shift in nudges(scene(goal, away, vain, home), SPACE)]
    assert not any(shift[0] > 0 for shift in rest)


def test_slits_are_fine_along_one_axis_and_within_reach():
    points = slits(0.04, 0.002)
    assert np.linalg.norm(points, axis=1).max() <= 0.04
    wide = points[np.abs(points[:, 1]) > 0.01]
    assert len(wide) == 14
    assert np.abs(wide[:, 0]).max() < 0.006


def test_a_sunflower_fills_its_disc_from_the_middle():
    point = sunflower(2.0, 0.3)
    length = np.linalg.norm(point, axis=1)
    assert length[0] == 0
    assert length.max() == pytest.approx(2)
    assert np.linalg.norm(point.mean(0)) < 0.2
