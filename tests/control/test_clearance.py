"""Room around a goal, from what failed."""

from dataclasses import replace

import numpy as np
import pytest

from ncs.control.cases import imagine
from ncs.control.clearance import WORTH, Room, advise, odds, slits, sunflower, tried
from ncs.control.surroundings import Attempt, Scene, Space, recall

SPACE = Space(np.zeros(2), np.ones(2), tolerance=0.05, error=0.002, size=0.12, still=0.02)
NOBODY = np.zeros((0, 2))
WALL = np.array([0.05, 0.5])  # a goal beside the wall on the left
GOAL = np.array([0.5, 0.5])


def scene(goal, others=NOBODY, vain=(), homes=None, stuck=(), first=None):
    others = np.asarray(others, float)
    homes = np.full_like(others, np.nan) if homes is None else np.asarray(homes, float)
    first, who = others if first is None else np.asarray(first, float), np.arange(len(others))
    here, goal = np.array([0.8, 0.8]), np.asarray(goal, float)
    return Scene(here, goal, others, homes, first, who, vain, stuck)


def attempt(place, others=NOBODY):
    return Attempt(np.asarray(place, float), np.asarray(others, float), np.arange(len(others)))


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


@pytest.mark.parametrize("seed", range(5))
def test_beside_a_wall_the_next_point_lies_further_from_it(seed):
    shift = advice(WALL, vain=[attempt(WALL)], seed=seed).shift
    assert shift[0] > 0.002
    assert np.linalg.norm(shift) < SPACE.tolerance


@pytest.mark.parametrize("seed", range(5))
def test_beside_another_thing_the_next_point_lies_further_from_that(seed):
    goal, others = np.array([0.5, 0.5]), np.array([[0.62, 0.5]])
    found = advice(goal, others, [attempt(goal, others)], stuck=[[0.63, 0.5], [0.64, 0.5]])
    assert found.other < 0
    assert found.shift[0] < -0.002


def test_a_thing_that_leaves_no_room_is_moved_away_from_the_goal():
    other, home = np.array([[0.16, 0.5]]), np.array([[0.18, 0.5]])
    beside = [(dx, dy) for dx in (-0.004, 0.0, 0.004, 0.008) for dy in (-0.01, 0.01)]
    vain = [attempt(WALL + np.array(offset), other) for offset in beside]
    found = advice(WALL, other, vain, homes=home)
    assert found.other == 0
    assert found.shift[0] > 0


def test_no_point_is_advised_twice():
    goal, vain = np.array([0.5, 0.5]), []
    for seed in range(8):
        shift = advice(goal, vain=vain, seed=seed).shift
        away = [np.linalg.norm(goal + shift - attempt.place) for attempt in vain]
        assert min(away, default=1) >= SPACE.error
        vain.append(attempt(goal + shift))


def test_things_are_recalled_by_who_they_are():
    vain = [Attempt(WALL, np.eye(2), np.array([9, 7])), attempt(WALL)]
    past = recall(np.array([4, 7]), vain)
    nowhere = [np.inf, np.inf]
    np.testing.assert_array_equal(past.place, [WALL, WALL])
    np.testing.assert_array_equal(past.others, [[nowhere, [0, 1]], [nowhere, nowhere]])
    assert [1, 0] in past.gone[0].tolist()
    assert np.isinf(past.gone).sum() == past.gone.size - 2


def test_what_failed_may_be_tried_again_once_another_has_moved():
    then, now = np.array([[0.2, 0.5]]), np.array([[0.3, 0.5]])
    point = np.array([WALL, WALL + 0.01])
    np.testing.assert_array_equal(
        tried(point, scene(WALL, then, [attempt(WALL, then)]), 1e-3), [1, 0]
    )
    np.testing.assert_array_equal(
        tried(point, scene(WALL, now, [attempt(WALL, then)]), 1e-3), [0, 0]
    )


def test_for_what_is_where_it_should_be_nothing_is_moved():
    other, vain = np.array([[0.16, 0.5]]), [attempt(WALL, [[0.16, 0.5]])] * 5
    found = replace(scene(WALL, other, vain), here=WALL + 0.01)
    assert advise(found, SPACE, np.random.default_rng(0)).other < 0


@pytest.mark.parametrize("seed", range(8))
def test_advice_is_the_same_where_all_others_are_thought_of_as_moved(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    others = GOAL + rng.uniform(-0.15, 0.15, (4, 2))
    homes = others + rng.normal(0, 0.02, (4, 2))
    homes[seed % 4 :: 2] = np.nan
    vain = [attempt(GOAL + rng.normal(0, 0.01, 2), others) for _ in range(1 + seed % 3)]
    found = advice(GOAL, others, vain, homes=homes, seed=seed)
    monkeypatch.setattr(Room, "obstacles", lambda room, *_: set(range(len(room.scene.others))))
    again = advice(GOAL, others, vain, homes=homes, seed=seed)
    assert found.other == again.other
    np.testing.assert_array_equal(found.shift, again.shift)


def test_what_stands_aside_is_no_obstacle():
    seen = scene(GOAL, [[0.56, 0.5], [0.72, 0.5]], [attempt(GOAL)])
    cases = imagine(seen, SPACE, np.random.default_rng(0))
    room = Room.look(seen, SPACE, cases, GOAL[None])
    assert sorted(room.clear) == [0, 1]
    assert room.obstacles(np.zeros(1), WORTH) == {0}


def test_odds_are_of_the_cases_in_which_anything_works():
    stay, aside = np.zeros((2, 4, 3), bool)
    stay[0, 1] = aside[1, 2] = True
    found = odds([stay, aside], np.full(4, 0.25))
    np.testing.assert_allclose(found, [[0, 0.5, 0], [0, 0, 0.5]])
    np.testing.assert_allclose(odds([stay[2:]], np.full(2, 0.5)), np.zeros((1, 3)))


@pytest.mark.parametrize("seed", range(3))
def test_what_has_no_place_of_its_own_is_parked_far_from_the_goal(seed):
    other = np.array([[0.16, 0.5]])
    vain = [attempt(WALL + np.array([dx, 0]), other) for dx in (-0.004, 0.0, 0.004, 0.008)]
    found = advice(WALL, other, vain, seed=seed)
    assert found.other == 0
    assert np.abs(other[0] + found.shift - WALL).max() > 2 * SPACE.size


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
