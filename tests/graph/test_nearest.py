"""What nodes stand for, and which one a state belongs to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncs.graph.nearest import bind, states
from ncs.records import Entities


@given(seed=st.integers(0, 999), metric=st.sampled_from(["cosine", "euclidean", "sqeuclidean"]))
def test_a_node_binds_to_itself_and_states_keep_their_order(seed, metric):
    rng = np.random.default_rng(seed)
    node = rng.normal(size=(6, 3))
    order = rng.permutation(6)
    np.testing.assert_array_equal(bind(node[order], node, metric), order)


def test_the_lowest_of_equally_near_nodes_is_taken():
    assert bind(np.zeros((1, 1)), np.array([[1.0], [-1.0], [1.0]]), "euclidean") == 0


@pytest.mark.parametrize(("metric", "expected"), [("cosine", 0), ("euclidean", 1)])
def test_metrics_may_disagree(metric, expected):
    node = np.array([[10.0, 10.0], [1.0, 0.0]])
    assert bind(np.array([[1.0, 0.9]]), node, metric) == expected


def test_an_empty_graph_binds_nothing():
    np.testing.assert_array_equal(bind(np.ones((3, 2)), np.zeros((0, 2)), "cosine"), [-1, -1, -1])


def test_masks_are_the_states_under_alpha_and_nowhere_else():
    one = Entities(np.zeros((1, 3)), np.ones((1, 2)), np.full((1, 4), 2.0), np.ones(1, bool))
    assert states(one, "alpha") is one.mask
    assert states(one, "state") is one.state
