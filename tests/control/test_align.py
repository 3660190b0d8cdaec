"""Matching scene and goal."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncs.control.align import align, type_costs


@given(seed=st.integers(0, 999), slots=st.integers(1, 8))
def test_a_shuffle_is_undone(seed, slots):
    rng = np.random.default_rng(seed)
    goal = rng.normal(size=(slots, 4))
    order = rng.permutation(slots)
    match = align(type_costs(goal, goal[order]))
    np.testing.assert_array_equal(order[match.slot], np.arange(slots))
    np.testing.assert_allclose(match.cost, 0, atol=1e-12)


@given(seed=st.integers(0, 9999), slots=st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_no_other_assignment_is_cheaper(seed, slots):
    cost = np.random.default_rng(seed).random((slots, slots))
    row = np.arange(slots)
    cheapest = min(cost[row, list(order)].sum() for order in permutations(range(slots)))
    assert align(cost).cost.sum() == pytest.approx(cheapest)


@given(seed=st.integers(0, 999))
def test_shuffling_the_goal_shuffles_the_match(seed):
    rng = np.random.default_rng(seed)
    cost = rng.random((5, 7))
    order = rng.permutation(5)
    np.testing.assert_array_equal(align(cost[order]).slot, align(cost).slot[order])


@given(seed=st.integers(0, 999))
def test_equal_costs_still_give_one_partner_each(seed):
    slots = np.random.default_rng(seed).integers(1, 8)
    assert sorted(align(np.ones((slots, slots))).slot) == list(range(slots))


def test_absent_slots_get_no_partner():
    cost = np.array([[0.0, 1, 2], [5, 5, 5], [0, 9, 1]])
    match = align(cost, np.array([True, False, True]), np.array([False, True, True]))
    np.testing.assert_array_equal(match.slot, [1, -1, 2])
    np.testing.assert_array_equal(match.cost, [1, 0, 1])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_nothing_matches_nothing(shape):
    match = align(np.zeros(shape))
    np.testing.assert_array_equal(match.slot, np.full(shape[0], -1))


def test_more_goals_than_entities_leave_the_dearest_goal_alone():
    np.testing.assert_array_equal(align(np.array([[1.0], [0.5], [2]])).slot, [-1, 0, -1])


def test_plain_costs_are_euclidean_and_whitened_ones_squared():
    goal, now = np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]])
    assert type_costs(goal, now)[0, 0] == pytest.approx(5)
    assert type_costs(goal, now, np.diag([1.0, 0.5]))[0, 0] == pytest.approx(9 + 4)
