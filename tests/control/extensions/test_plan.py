"""What waits, what is dug out and what is put aside."""

import numpy as np

from ncs.control import ControlConfig
from ncs.graph.rules import Box, Rules, write_rules

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
INF = np.inf
# A thing cannot be picked while another is above it, that is, further up along y.
HELD = Rules(hold=(Box(np.array([-0.05, 0.1, -INF]), np.array([0.05, INF, INF])),))


def choice(sim, graph, now, goal, *others):
    config = ControlConfig(choice="argmax", extensions=("presence", "composed", *others))
    return sim.answer(graph, now, goal, config).choice


def test_an_occupied_target_waits(sim, square, scene):
    now, goal = scene(CORNER[[0, 2]]), scene(CORNER[[2, 3]])
    assert choice(sim, square(), now, goal).goal == 0
    assert choice(sim, square(), now, goal, "plan").goal == 1


def test_a_ring_is_broken_by_parking(sim, square, scene):
    found = choice(sim, square(), scene(CORNER[[0, 1]]), scene(CORNER[[1, 0]]), "plan")
    assert found.purpose == "park"
    assert found.target.tolist() in CORNER[[2, 3]].tolist()


def test_an_entity_without_a_goal_makes_way(sim, square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1]], kind=[0])
    found = choice(sim, square(), now, goal, "plan")
    assert (found.purpose, found.entity) == ("park", 1)


def test_what_holds_another_goes_first(sim, square, scene):
    now, goal = scene(CORNER[[0, 3]]), scene(CORNER[[1]], kind=[0])
    rules = write_rules(HELD)
    assert choice(sim, square(), now, goal, "plan").entity == 0
    found = choice(sim, square(rules=rules), now, goal, "plan")
    assert (found.purpose, found.entity) == ("park", 1)


def test_absent_slots_are_in_nobodys_way(sim, square, scene):
    now = scene(CORNER[[0, 1]], presence=[True, False])
    found = choice(sim, square(), now, scene(CORNER[[1]], kind=[0]), "plan")
    assert (found.purpose, found.entity) == ("constraint", 0)


def test_on_a_full_table_the_constraint_is_tried_all_the_same(sim, square, scene):
    found = choice(sim, square(), scene(CORNER), scene(CORNER[[1, 2, 3, 0]]), "plan")
    assert found.purpose == "constraint"


def test_when_all_holds_the_choice_is_left_to_others(sim, square, scene):
    now = scene(np.add(CORNER[:2], [[0.01, 0], [0.05, 0]]))
    assert choice(sim, square(), now, scene(CORNER[:2]), "plan").goal == 1


def test_without_places_the_choice_is_left_to_others(sim, square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1, 0]])
    assert choice(sim, square(world=None), now, goal, "plan").purpose == "constraint"
