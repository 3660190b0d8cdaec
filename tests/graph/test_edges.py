"""Actions on edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncs.graph.edges import tag_edges

FROM = np.array([0, 0, 0, 1, 2])
TO = np.array([1, 1, 1, 0, 2])
ACTION = np.repeat(np.array([[1.0], [2.0], [6.0], [7.0], [8.0]]), 6, 1)


@pytest.mark.parametrize(("rule", "expected"), [("last", 6), ("mean", 3), ("median", 2)])
def test_an_edge_carries_what_its_rule_says(rule, expected):
    edges = tag_edges(FROM, TO, ACTION, 3, rule)
    assert (edges.action[0, 1] == expected).all()
    assert (edges.action[1, 0] == 7).all()
    assert (edges.action[2, 2] == 8).all()
    np.testing.assert_array_equal(edges.count, [[0, 3, 0], [1, 0, 0], [0, 0, 1]])


@given(seed=st.integers(0, 999), rule=st.sampled_from(["last", "mean", "median"]))
def test_there_is_an_action_exactly_where_something_was_counted(seed, rule):
    rng = np.random.default_rng(seed)
    ends = rng.integers(4, size=(2, 12))
    edges = tag_edges(*ends, rng.normal(size=(12, 6)), 4, rule)
    np.testing.assert_array_equal(np.isnan(edges.action).any(-1), edges.count == 0)
    assert edges.count.sum() == 12


def test_no_moves_make_no_edges():
    none = np.zeros(0, int)
    edges = tag_edges(none, none, np.zeros((0, 6)), 2, "last")
    assert np.isnan(edges.action).all()
    assert edges.action.shape == (2, 2, 6)
