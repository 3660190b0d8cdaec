"""What a decision says of itself."""

import numpy as np

from ncs.control import ControlConfig
from ncs.control.algorithm import align

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def test_some_pairs_keep_all_that_is_known_of_them(sim, square, scene):
    pairs = align(sim.pose(square(), scene(CORNER), scene(CORNER[[1, 0, 3, 2]], kind=[0, 1, 2, 3])))
    some = pairs.only(np.array([False, True, False, True]))
    assert len(some) == 2
    assert (some.goal.tolist(), some.now.tolist()) == ([1, 3], [1, 3])
    np.testing.assert_allclose(some.distance, pairs.distance[[1, 3]])


def test_states_are_masks_where_nodes_are(sim, square, scene):
    problem = sim.pose(square(representation="alpha"), scene(CORNER), scene(CORNER))
    assert problem.now_state is problem.now.mask
    assert sim.pose(square(), scene(CORNER), scene(CORNER)).goal_state.shape == (4, 2)


def test_constraints_hold_by_what_the_graph_calls_still(sim, square, scene):
    now, goal = scene(CORNER[:2] + 0.05), scene(CORNER[:2])
    paper = ControlConfig.paper()
    assert sim.answer(square(), now, goal, paper).holds
    assert not sim.answer(square(still=0.01), now, goal, paper).holds
    assert not sim.answer(square(calibration=None), now, goal, paper).holds
    assert not sim.answer(square(), now, scene(np.zeros((0, 2))), paper).holds
