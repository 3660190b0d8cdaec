"""Occupied targets."""

import numpy as np
import pytest

from ncs.control import ControlConfig, Memory
from ncs.control.order import entity_to_park, find_blockers, parking_nodes
from ncs.control.view import look

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def view_of(graph, now, goal):
    return look(now, goal, graph, ControlConfig(presence=True), Memory())


def test_what_stands_on_a_goal_blocks_it_unless_it_belongs_there(square, scene):
    now = scene(CORNER[[0, 1, 2]])
    goal = scene(CORNER[[0, 2, 3]])
    blockers = find_blockers(view_of(square(), now, goal), square())
    assert blockers == {0: (), 1: (2,), 2: ()}


def test_absent_slots_block_nothing(square, scene):
    now = scene(CORNER[[0, 1]], presence=[True, False])
    blockers = find_blockers(view_of(square(), now, scene(CORNER[[1]], kind=[0])), square())
    assert blockers == {0: ()}


@pytest.mark.parametrize(
    ("blockers", "goal_of", "settled", "expected"),
    [
        ({0: (7,)}, {}, set(), 7),  # an entity without a goal is in the way
        ({0: (1,), 1: (0,)}, {0: 0, 1: 1}, set(), 0),  # a swap: either may go
        ({0: (1,), 1: (2,), 2: (9,)}, {1: 1, 2: 2}, set(), 9),  # a chain is followed to its end
        ({0: (1,), 1: (2,), 2: (1,)}, {0: 0, 1: 1, 2: 2}, set(), 1),  # a ring off the start
        ({0: (1,), 1: ()}, {0: 0, 1: 1}, {1}, None),  # only what belongs there blocks it
        ({0: (1, 5), 1: ()}, {0: 0, 1: 1}, {1}, 5),
    ],
)
def test_who_waits_for_whom_tells_whom_to_park(blockers, goal_of, settled, expected):
    assert entity_to_park(0, blockers, goal_of, frozenset(settled)) == expected


def test_parking_avoids_entities_and_goals(square, scene):
    view = view_of(square(), scene(CORNER[[0, 1]]), scene(CORNER[[1, 0]]))
    assert set(parking_nodes(view, square())) == {2, 3}
    view = view_of(square(), scene(CORNER[[0, 1]]), scene(CORNER[[1, 3]]))
    assert list(parking_nodes(view, square())) == [2]


def test_goals_are_used_for_parking_if_there_is_no_other_place(square, scene):
    view = view_of(square(), scene(CORNER[[0, 1, 2]]), scene(CORNER[[1, 2, 3]]))
    assert list(parking_nodes(view, square())) == [3]


def test_a_full_table_has_no_parking(square, scene):
    view = view_of(square(), scene(CORNER), scene(CORNER[[1, 2, 3, 0]]))
    assert len(parking_nodes(view, square())) == 0
