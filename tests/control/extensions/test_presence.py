"""Slots that stand for nothing."""

import numpy as np

from ncs.control import ControlConfig

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
CONFIG = ControlConfig(choice="argmax", extensions=("presence",))


def test_absent_slots_are_not_matched_and_the_others_keep_their_numbers(sim, square, scene):
    now = scene(CORNER, kind=[7, 1, 2, 3], presence=[False, True, True, True])
    goal = scene(CORNER[[1, 2, 3, 0]], kind=[3, 7, 1, 2], presence=[True, False, True, True])
    pairs = sim.answer(square(), now, goal, CONFIG).pairs
    assert dict(zip(pairs.goal.tolist(), pairs.now.tolist(), strict=True)) == {0: 3, 2: 1, 3: 2}
    assert (pairs.cost == 0).all()


def test_without_it_they_are_matched_like_others(sim, square, scene):
    now = scene(CORNER[:2], presence=[False, True])
    found = sim.answer(square(), now, scene(CORNER[:2]), ControlConfig())
    assert len(found.pairs) == 2


def test_a_scene_of_nothing_but_background_is_stirred(sim, square, scene):
    nothing = scene(CORNER[:2], presence=[False, False])
    found = sim.answer(square(), nothing, scene(CORNER[:2]), CONFIG)
    assert (found.kind, found.purpose, len(found.pairs)) == ("random", "nothing", 0)


def test_a_goal_of_nothing_but_background_asks_for_nothing(sim, square, scene):
    nothing = scene(CORNER[:2], presence=[False, False])
    found = sim.answer(square(), scene(CORNER[:2]), nothing, CONFIG)
    assert found.kind == "idle"
    assert (found.action[3:] == 0).all()
