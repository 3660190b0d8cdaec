"""Where in the world states are."""

import numpy as np
import pytest

from ncs.graph.attempts import attempts_of, metres_per_state, where
from ncs.graph.isolate import Experience
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


def test_an_attempt_before_or_after_which_a_thing_is_hidden_teaches_nothing():
    node = np.array([[x, 0, z] for x in (0.0, 1.0) for z in (0.0, 1.0)], np.float32)
    known = Calibration(**{**vars(KNOWN), "world": np.eye(4, 3, -1), "offset": np.zeros((4, 3))})
    graph = Graph(
        node=node,
        action=np.full((4, 4, 6), np.nan, np.float32),
        count=np.zeros((4, 4), np.int64),
        mask=np.eye(4, dtype=np.float32),
        calibration=known,
    )
    state = np.zeros((1, 5, 2, 3), np.float32)
    state[..., 1, 0] = 1.0
    presence = np.ones((1, 5, 2), bool)
    presence[0, 3, 1] = False  # hidden in one frame of five
    action = np.zeros((1, 4, 6), np.float32)
    action[..., 5] = [0.0, 1.0, 2.0, 3.0]
    blank = np.zeros((1, 5, 2, 1), np.float32)
    found = attempts_of(Experience(blank, state, blank, presence, action), graph, known)
    assert found.place[:, 2].tolist() == [0.0, 1.0]
