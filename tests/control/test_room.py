"""There is room away from what is near."""

import numpy as np
import pytest

from ncs.control import ControlConfig
from ncs.control.room import SHIFTS, Room, escape, off_border
from ncs.control.steps import Caution, find_step
from ncs.graph.arena import Arena

WIDE = Arena(np.array([-10.0, -10]), np.array([10.0, 10]), 0.0)


def test_a_lone_neighbour_is_fled_in_a_straight_line():
    way = escape(np.array([0.1, 0.0]), Room(np.array([[0.0, 0.0]]), WIDE))
    np.testing.assert_allclose(way, [1, 0], atol=1e-3)


def test_of_two_neighbours_the_nearer_one_counts_more():
    way = escape(np.zeros(2), Room(np.array([[-0.1, 0], [0.2, 0]]), WIDE))
    assert way[0] > 0.99


@pytest.mark.parametrize(("place", "inward"), [((-0.29, 0.0), (1, 0)), ((0.0, 0.29), (0, -1))])
def test_the_border_pushes_inwards(place, inward):
    arena = Arena(np.array([-0.3, -0.3]), np.array([0.3, 0.3]), 0.0)
    np.testing.assert_allclose(escape(np.array(place), Room(np.zeros((0, 2)), arena)), inward)


def test_in_the_middle_of_nothing_there_is_nowhere_to_flee():
    assert (escape(np.zeros(2), Room(np.zeros((0, 2)), WIDE)) == 0).all()


def test_only_a_near_border_draws_a_place_inwards():
    arena = Arena(np.array([-0.3, -0.3]), np.array([0.3, 0.3]), 0.0)
    found = off_border(np.array([-0.28, 0.1, 0.5]), arena, 0.01)
    np.testing.assert_allclose(found, [-0.27, 0.1, 0.5])


def test_vain_attempts_go_away_from_a_neighbour_then_to_the_node_and_then_the_other_way(square):
    graph = square()
    here, there = graph.node[0].astype(float), graph.node[1].astype(float)
    config = ControlConfig(residual=True, composed=True)
    room = Room(np.array([[0.1, 0.0]]), WIDE)
    kinds, ends = [], []
    for vain in range(len(SHIFTS) + 1):
        rng = np.random.default_rng(0)
        step = find_step(graph, here, there, config, Caution(vain=vain, room=room), rng)
        kinds.append(step.kind)
        ends.append(step.action[:2] + step.action[3:5])
    assert kinds == ["residual", "residual", "edge", "residual", "residual"]
    gap = np.linalg.norm(np.array(ends) - room.other[0], axis=1)
    assert gap[4] < gap[0] < gap[1] < gap[3]
