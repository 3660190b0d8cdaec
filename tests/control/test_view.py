"""What a decision is made from."""

from dataclasses import replace

import numpy as np

from ncs.control import ControlConfig, Memory
from ncs.control.view import confidence, look, near, nodes_in_use, states

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def test_the_graph_says_which_field_is_the_state(square, scene):
    seen = scene(CORNER)
    assert states(seen, square()) is seen.state
    assert states(seen, square(representation="alpha")) is seen.mask


def test_near_is_half_the_gap_and_never_less_than_rest(square):
    assert near(square(gap=1.0, still=0.1)) == 0.5
    assert near(square(gap=0.0, still=0.1)) == 0.1


def test_confidence_is_full_where_the_model_says_nothing(scene):
    seen = scene(CORNER)
    assert (confidence(seen) == 1).all()
    sure = replace(seen, confidence=np.array([0.5, 1, 1, 1], np.float32))
    assert confidence(sure)[0] == 0.5


def test_distances_are_between_matched_states(square, scene):
    now, goal = scene(CORNER[[1, 0]], kind=[1, 0]), scene(CORNER[[0, 2]], kind=[0, 1])
    view = look(now, goal, square(), ControlConfig(), Memory())
    np.testing.assert_array_equal(view.match.slot, [1, 0])
    np.testing.assert_allclose(view.distance, [0, 2])


def test_presence_decides_who_is_matched_only_if_switched_on(square, scene):
    now = scene(CORNER[:2], presence=[True, False])
    goal = scene(CORNER[[2, 3]], presence=[True, False])
    for on, matched in ((True, [0, -1]), (False, [0, 1])):
        view = look(now, goal, square(), ControlConfig(presence=on), Memory())
        np.testing.assert_array_equal(view.match.slot, matched)


def test_whitening_changes_what_looks_alike(square, scene):
    now, goal = scene(CORNER[:2]), scene(CORNER[:2])
    now = replace(now, kind=np.array([[0, 0, 0], [1, 9, 0]], np.float32))
    goal = replace(goal, kind=np.array([[0, 9, 0], [1, 0, 0]], np.float32))
    graph = square(whiten=np.diag([1.0, 0.001, 1.0]).astype(np.float32))
    for on, matched in ((True, [0, 1]), (False, [1, 0])):
        view = look(now, goal, graph, ControlConfig(whiten=on), Memory())
        np.testing.assert_array_equal(view.match.slot, matched)


def test_what_is_remembered_is_matched_though_it_is_not_seen(square, scene):
    config = ControlConfig(remember=True)
    goal = scene(CORNER[[2, 3]])
    first = look(scene(CORNER[:2]), goal, square(), config, Memory())
    memory = Memory(tracks=first.now.tracks, goal_tracks=first.goal.tracks, goal=goal)
    memory = replace(memory, last=None)
    view = look(scene(CORNER[:1]), goal, square(), config, memory)
    np.testing.assert_array_equal(view.match.slot, [0, 1])
    np.testing.assert_array_equal(view.now.slot, [0, -1])
    np.testing.assert_array_equal(view.now.confidence, [1, 0])


def test_an_unchanged_goal_is_not_counted_twice_and_a_new_look_adds_to_it(square, scene):
    config = ControlConfig(remember=True)
    goal = scene(CORNER[:1])
    first = look(scene(CORNER), goal, square(), config, Memory())
    memory = Memory(goal_tracks=first.goal.tracks, goal=goal)
    same = look(scene(CORNER), goal, square(), config, memory)
    assert same.goal.tracks.seen.tolist() == [1]
    more = look(scene(CORNER), scene(CORNER[:2]), square(), config, memory)
    assert more.goal.tracks.seen.tolist() == [2, 1]


def test_nodes_in_use_are_those_of_the_others(square, scene):
    view = look(scene(CORNER[:2]), scene(CORNER[:2]), square(), ControlConfig(), Memory())
    np.testing.assert_array_equal(nodes_in_use(view, square(), 0), [False, True, False, False])
