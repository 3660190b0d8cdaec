"""Occupied targets."""

import numpy as np
import pytest

from ncs.control import ControlConfig
from ncs.control.algorithm import align
from ncs.control.decision import Pairs
from ncs.control.extensions.order import blockers, entity_to_park, spare_nodes

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def choice(sim, graph, now, goal, *others):
    config = ControlConfig(choice="argmax", extensions=("presence", "composed", *others))
    return sim.answer(graph, now, goal, config).choice


def test_an_occupied_target_waits(sim, square, scene):
    now, goal = scene(CORNER[[0, 2]]), scene(CORNER[[2, 3]])
    assert choice(sim, square(), now, goal).goal == 0
    assert choice(sim, square(), now, goal, "order").goal == 1


def test_a_ring_is_broken_by_parking(sim, square, scene):
    found = choice(sim, square(), scene(CORNER[[0, 1]]), scene(CORNER[[1, 0]]), "order")
    assert found.purpose == "park"
    assert found.target.tolist() in CORNER[[2, 3]].tolist()


def test_an_entity_without_a_goal_makes_way(sim, square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1]], kind=[0])
    found = choice(sim, square(), now, goal, "order")
    assert (found.purpose, found.entity) == ("park", 1)


def test_nothing_is_parked_where_no_move_leads(sim, square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1, 0]])
    config = ControlConfig(choice="argmax", extensions=("order",))
    found = sim.answer(square(count=np.zeros((4, 4), np.int64)), now, goal, config)
    assert found.choice.purpose == "constraint"


def test_on_a_full_table_the_constraint_is_tried_all_the_same(sim, square, scene):
    found = choice(sim, square(), scene(CORNER), scene(CORNER[[1, 2, 3, 0]]), "order")
    assert found.purpose == "constraint"


def test_when_all_holds_the_choice_is_left_to_others(sim, square, scene):
    now = scene(np.add(CORNER[:2], [[0.01, 0], [0.05, 0]]))
    assert choice(sim, square(), now, scene(CORNER[:2]), "order").goal == 1


def test_what_stands_on_a_goal_blocks_it_unless_it_belongs_there(sim, square, scene):
    problem = sim.pose(square(), scene(CORNER[[0, 1, 2]]), scene(CORNER[[0, 2, 3]]))
    taken = blockers(problem, align(problem), square().calibration)
    assert np.argwhere(taken).tolist() == [[1, 2]]


def test_absent_slots_block_nothing(sim, square, scene):
    now = scene(CORNER[[0, 1]], presence=[True, False])
    problem = sim.pose(square(), now, scene(CORNER[[1]], kind=[0]))
    assert not blockers(problem, align(problem), square().calibration).any()


@pytest.mark.parametrize(
    ("blocked", "partner", "settled", "expected"),
    [
        ({0: [7]}, [0], [], 7),  # an entity without a goal is in the way
        ({0: [1], 1: [0]}, [0, 1], [], 0),  # a swap: either may go
        ({0: [1], 1: [2], 2: [7]}, [0, 1, 2], [], 7),  # a chain is followed to its end
        ({0: [1], 1: [2], 2: [1]}, [0, 1, 2], [], 1),  # a ring off the start
        ({0: [1]}, [0, 1], [1], None),  # only what belongs there blocks it
        ({0: [1, 5]}, [0, 1], [1], 5),
    ],
)
def test_who_waits_for_whom_tells_whom_to_park(blocked, partner, settled, expected):
    n = len(partner)
    taken = np.zeros((n, 8), bool)
    for goal, entities in blocked.items():
        taken[goal, entities] = True
    pairs = Pairs(np.arange(n), np.array(partner), np.zeros(n), np.ones(n))
    unmet = ~np.isin(np.arange(n), settled)
    assert entity_to_park(0, pairs, taken, unmet) == expected


@pytest.mark.parametrize(
    ("now", "goal", "spare"),
    [
        ([0, 1], [1, 0], {2, 3}),  # neither entities nor goals are in the way
        ([0, 1], [1, 3], {2}),
        ([0, 1, 2], [1, 2, 3], {3}),  # goals are used if there is no other place
        ([0, 1, 2, 3], [1, 2, 3, 0], set()),
    ],
)
def test_parking_avoids_entities_and_goals(sim, square, scene, now, goal, spare):
    problem = sim.pose(square(), scene(CORNER[now]), scene(CORNER[goal]))
    assert set(spare_nodes(problem, square().calibration)) == spare
