"""What to do next."""

import numpy as np

from ncs.control import ControlConfig, Memory
from ncs.control.act import settled_goals
from ncs.control.intend import intend
from ncs.control.order import find_blockers
from ncs.control.view import look

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def intention(graph, now, goal, memory=None, **switches):
    config = ControlConfig(presence=True, choice="argmax", composed=True, **switches)
    memory = memory or Memory()
    view = look(now, goal, graph, config, memory)
    blockers, settled = find_blockers(view, graph), settled_goals(view, graph)
    return intend(view, graph, config, memory, blockers, settled, np.random.default_rng(0))


def test_the_furthest_constraint_is_served(square, scene):
    found = intention(square(), scene(CORNER[[0, 1]]), scene(CORNER[[1, 3]]))
    assert (found.purpose, found.goal, found.entity) == ("constraint", 1, 1)


def test_an_occupied_target_waits(square, scene):
    now, goal = scene(CORNER[[0, 2]]), scene(CORNER[[2, 3]])
    assert intention(square(), now, goal).goal == 0
    assert intention(square(), now, goal, order=True).goal == 1


def test_a_ring_is_broken_by_parking(square, scene):
    found = intention(square(), scene(CORNER[[0, 1]]), scene(CORNER[[1, 0]]), order=True)
    assert found.purpose == "park"
    assert found.target.tolist() in CORNER[[2, 3]].tolist()


def test_an_entity_without_a_goal_makes_way(square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1]], kind=[0])
    found = intention(square(), now, goal, order=True)
    assert (found.purpose, found.entity) == ("park", 1)


def test_on_a_full_table_the_constraint_is_tried_all_the_same(square, scene):
    found = intention(square(), scene(CORNER), scene(CORNER[[1, 2, 3, 0]]), order=True)
    assert found.purpose == "constraint"


def test_what_holds_is_not_touched_again(square, scene):
    almost = CORNER[[0, 1]] + [[0.05, 0], [0, 0]]
    found = intention(square(), scene(almost), scene(CORNER[[0, 2]]), settled=True)
    assert found.goal == 1


def test_when_all_holds_the_least_certain_is_looked_at_and_then_the_next(square, scene):
    now = scene(np.add(CORNER[:2], [[0.01, 0], [0.05, 0]]))
    found = intention(square(), now, scene(CORNER[:2]), settled=True)
    assert (found.purpose, found.goal) == ("recheck", 1)
    found = intention(square(), now, scene(CORNER[:2]), Memory(looks={1: 1}), settled=True)
    assert (found.purpose, found.goal) == ("recheck", 0)


def test_vain_attempts_make_a_constraint_less_urgent(square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1, 3]])
    assert intention(square(), now, goal, Memory(failures={1: 2}), distrust=True).goal == 0
    assert intention(square(), now, goal, Memory(failures={1: 2})).goal == 1
