"""Where in the world states are."""

import numpy as np
import pytest

from ncs.graph.attempts import metres_per_state, where
from ncs.records import Calibration, Graph

NODE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
OFFSET = np.zeros((4, 3), np.float32)
OFFSET[1, 0] = 0.01
KNOWN = Calibration(
    still=0.1,
    gap=1.0,
    error=0.0,
    outliers=0.0,
    pick=np.zeros((4, 3), np.float32),
    place=np.zeros((4, 3), np.float32),
    world=np.array([[0, 0, 0.07], [0.1, 0, 0], [0, 0.1, 0]]),
    offset=np.zeros((4, 3), np.float32),
)
GRAPH = Graph(
    node=NODE,
    action=np.full((4, 4, 6), np.nan, np.float32),
    count=np.zeros((4, 4), np.int64),
    mask=np.eye(4, dtype=np.float32),
    calibration=KNOWN,
)


def test_a_state_is_as_many_metres_as_its_nodes_say():
    assert metres_per_state(GRAPH, KNOWN) == pytest.approx(0.1)


def test_what_the_fit_misses_near_a_node_is_added():
    known = Calibration(**{**vars(KNOWN), "offset": OFFSET})
    state = np.array([[[1.0, -1], [1, 1]]])
    expected = [[[0.11, -0.1, 0.07], [0.1, 0.1, 0.07]]]
    np.testing.assert_allclose(where(state, GRAPH, known), expected, atol=1e-6)
