"""Moves of others that make room."""

from dataclasses import replace

import numpy as np
from tests.control.test_clearance import SPACE, attempt, scene

from ncs.control.aside import nudges, spare_place

GOAL = np.array([0.5, 0.5])
FAILED = [attempt(GOAL)]
ONE = np.array([0])


def test_what_lies_beside_its_place_may_be_put_right():
    home = np.array([0.62, 0.5])
    beside = home + np.array([-0.008, 0.006])
    found = list(nudges(scene(GOAL, [beside], FAILED, [home]), SPACE, ONE, {0}))
    assert any(np.allclose(beside + advice.shift, home) for advice in found)


def test_what_is_where_it_should_be_stays_there():
    home = np.array([[0.62, 0.5]])
    moves = [one.shift for one in nudges(scene(GOAL, home, FAILED, home), SPACE, ONE, {0})]
    assert moves
    assert max(np.linalg.norm(shift) for shift in moves) <= SPACE.still
    away = home + np.array([0.02, 0])
    rest = [one.shift for one in nudges(scene(GOAL, away, FAILED, home), SPACE, ONE, {0})]
    assert not any(shift[0] > 0 for shift in rest)


def test_others_are_counted_among_those_that_were_asked_for():
    others = np.array([[0.1, 0.1], [0.62, 0.5]])
    found = list(nudges(scene(GOAL, others, FAILED), SPACE, np.array([1]), {0}))
    assert [one.other for one in found] == [0]


def test_only_those_that_were_asked_for_are_moved():
    others, both = np.array([[0.4, 0.5], [0.62, 0.5]]), np.arange(2)
    found = list(nudges(scene(GOAL, others, FAILED, others), SPACE, both, {1}))
    assert {one.other for one in found} == {1}
    assert not list(nudges(scene(GOAL, others, FAILED, others), SPACE, both, set()))


def test_a_spare_place_keeps_clear_of_things_goals_and_the_border():
    others, homes = np.array([[0.2, 0.2], [0.2, 0.8]]), np.array([[0.8, 0.2], [np.nan, np.nan]])
    problem = replace(scene(GOAL, others, homes=homes), here=np.array([0.8, 0.8]))
    place = spare_place(problem, SPACE)
    taken = np.array([*others, homes[0], GOAL, problem.here])
    assert np.abs(taken - place).max(1).min() > 1.5 * SPACE.size
    assert min(place.min(), 1 - place.max()) > SPACE.size / 2


def test_a_place_that_failed_is_not_spare():
    problem = scene(GOAL)
    first = spare_place(problem, SPACE)
    second = spare_place(replace(problem, stuck=[first]), SPACE)
    assert np.linalg.norm(first - second) >= SPACE.size / 2


def test_where_every_place_failed_none_is_spare():
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 30)] * 2), -1).reshape(-1, 2)
    assert spare_place(scene(GOAL, stuck=list(grid)), SPACE) is None
