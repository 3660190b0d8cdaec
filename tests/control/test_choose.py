"""Choosing a constraint."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncs.control.choose import select


def test_a_constraint_is_drawn_in_proportion_to_its_distance():
    rng = np.random.default_rng(0)
    drawn = np.bincount([select(np.array([1.0, 0, 3]), rng) for _ in range(4000)], minlength=3)
    np.testing.assert_allclose(drawn / 4000, [0.25, 0, 0.75], atol=0.03)


def test_when_all_hold_every_one_is_as_good():
    rng = np.random.default_rng(0)
    drawn = np.bincount([select(np.zeros(4), rng) for _ in range(4000)], minlength=4)
    np.testing.assert_allclose(drawn / 4000, 0.25, atol=0.03)


def test_negative_distances_count_as_none():
    rng = np.random.default_rng(0)
    assert {select(np.array([-5.0, 1]), rng) for _ in range(50)} == {1}


@given(seed=st.integers(0, 999))
def test_the_furthest_is_chosen_without_drawing(seed):
    distance = np.random.default_rng(seed).random(6)
    assert select(distance, np.random.default_rng(0), "argmax") == distance.argmax()


@pytest.mark.parametrize("choice", ["sample", "argmax"])
def test_the_lowest_of_equals_or_any(choice):
    found = select(np.ones(3), np.random.default_rng(0), choice)
    assert found == 0 or choice == "sample"
