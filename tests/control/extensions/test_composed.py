"""Edges that were never seen."""

import numpy as np
import pytest

from ncs.control import ControlConfig

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
CONFIG = ControlConfig(extensions=("composed",))


@pytest.fixture
def move(sim, scene):
    def between(graph, i, j):
        return sim.answer(graph, scene(CORNER[[i]]), scene(CORNER[[j]]), CONFIG)

    return between


def test_pick_and_place_are_joined_where_no_edge_was_seen(move, square):
    found = move(square(), 3, 1)
    assert found.kind == "composed"
    np.testing.assert_allclose(found.action, [-0.1, 0.1, 0.07, 0.2, -0.2, 0], atol=1e-6)


def test_an_edge_that_was_seen_comes_first(move, square):
    assert move(square(), 0, 1).kind == "edge"


@pytest.mark.parametrize(("lost", "i", "j"), [("pick", 3, 1), ("place", 1, 3)])
def test_a_node_that_nothing_left_is_known_by_what_arrived_and_the_other_way(
    move, square, lost, i, j
):
    known = getattr(square().calibration, lost).copy()
    known[3] = np.nan
    np.testing.assert_allclose(
        move(square(**{lost: known}), i, j).action, move(square(), i, j).action
    )


def test_a_node_without_any_position_joins_nothing(move, square):
    none = np.full((4, 3), np.nan, np.float32)
    assert move(square(pick=none, place=none), 3, 1).kind == "random"


def test_within_a_node_there_is_nothing_to_join(move, square):
    assert move(square(), 2, 2).kind == "random"
