"""Types in a learned metric."""

import numpy as np

from ncs.control import ControlConfig
from ncs.records import Entities

CONFIG = ControlConfig(extensions=("whiten",))
# One object's type wanders along the first channel from place to place; objects differ by the rest.
NOW, GOAL = [[5.0, 0, 0], [0.0, 1, 0]], [[0.0, 0, 0], [5.0, 1, 0]]
WHITEN = np.diag([0.1, 1, 1]).astype(np.float32)


def entities(kind) -> Entities:
    kind = np.asarray(kind, np.float32)
    n = len(kind)
    return Entities(kind, np.zeros((n, 2), np.float32), np.zeros((n, 4)), np.ones(n, bool))


def test_what_one_object_varies_in_counts_less(sim, square):
    graph, now, goal = square(whiten=WHITEN), entities(NOW), entities(GOAL)
    assert sim.answer(graph, now, goal, ControlConfig()).pairs.now.tolist() == [1, 0]
    pairs = sim.answer(graph, now, goal, CONFIG).pairs
    assert pairs.now.tolist() == [0, 1]
    np.testing.assert_allclose(pairs.cost, [0.5, 0.5])


def test_a_graph_without_calibration_is_matched_plainly(sim, square):
    graph, now, goal = square(calibration=None), entities(NOW), entities(GOAL)
    assert sim.answer(graph, now, goal, CONFIG).pairs.now.tolist() == [1, 0]


def test_decisions_keep_the_types_as_they_were_seen(sim, square):
    now, goal = entities(NOW), entities(GOAL)
    found = sim.answer(square(whiten=WHITEN), now, goal, CONFIG)
    assert found.problem.now is now
