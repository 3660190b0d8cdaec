"""Shortest paths."""

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_array

from ncs.graph.paths import next_node


@pytest.mark.parametrize("seed", range(20))
def test_walking_from_node_to_node_is_as_short_as_networkx_says(seed):
    rng = np.random.default_rng(seed)
    weight = np.where(rng.random((12, 12)) < 0.15, rng.uniform(0.5, 2, (12, 12)), 0)
    oracle = networkx.from_numpy_array(weight, create_using=networkx.DiGraph)
    for start in range(12):
        for goal in range(12):
            if start == goal or not networkx.has_path(oracle, start, goal):
                assert next_node(csr_array(weight), start, goal) is None
                continue
            length, node = 0.0, start
            while node != goal:
                following = next_node(csr_array(weight), node, goal)
                length += weight[node, following]
                node = following
            expected = networkx.dijkstra_path_length(oracle, start, goal)
            assert length == pytest.approx(expected)
