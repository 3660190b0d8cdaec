"""Exact places."""

from dataclasses import replace

import numpy as np
import pytest

from ncs.control import ControlConfig
from ncs.control.algorithm import align, furthest
from ncs.control.extensions.residual import inward, stray

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


@pytest.fixture
def move(sim, scene):
    def aimed(graph, here, there, *others, failures=0):
        """What is done about an entity here that should be there, after some failures."""
        problem = sim.pose(graph, scene([here]), scene([there]))
        choice = replace(furthest(problem, align(problem)), failures=failures)
        i, j = (int(np.abs(CORNER - state).sum(1).argmin()) for state in (here, there))
        act = ControlConfig(extensions=(*others, "residual")).steps().act
        return act(problem, choice, i, j)

    return aimed


def test_the_states_themselves_are_aimed_at(move, square):
    found = move(square(), [-0.9, -1.1], [1.2, -0.8])
    assert found.kind == "residual"
    np.testing.assert_allclose(found.action, [-0.09, -0.11, 0.07, 0.21, 0.03, 0], atol=1e-6)


def test_what_the_fit_misses_near_a_node_is_added(move, square):
    offset = np.zeros((4, 3), np.float32)
    offset[1, 0] = 0.01
    np.testing.assert_allclose(
        move(square(offset=offset), CORNER[0], CORNER[1]).action[3], 0.21, atol=1e-6
    )


def test_no_edge_is_invented(move, square):
    assert move(square(), CORNER[3], CORNER[1]) is None
    assert move(square(), CORNER[3], CORNER[1], "composed").kind == "residual"


def test_after_a_failure_the_nodes_places_are_tried_and_then_other_points(move, square):
    tries = [move(square(), CORNER[0], CORNER[1], failures=n) for n in range(5)]
    assert [one.kind for one in tries] == ["residual", "edge", *3 * ["residual"]]
    exact, other = tries[0].action, tries[4].action
    moved = np.linalg.norm((other[:2] + other[3:5]) - (exact[:2] + exact[3:5]))
    assert 0 < moved <= square().calibration.still / 10  # ten states are a metre


@pytest.mark.parametrize("failures", [0, 1])
def test_within_one_node_no_edge_is_needed(move, square, failures):
    found = move(square(), CORNER[2], CORNER[2] + 0.1, failures=failures)
    assert found.kind == "residual"


def test_without_a_fit_there_is_nothing_to_aim_with(move, square):
    assert move(square(world=None), CORNER[0], CORNER[1]).kind == "edge"
    assert move(square(calibration=None), CORNER[0], CORNER[1]).kind == "edge"


def test_aim_errs_towards_the_middle_by_the_usual_miss(square):
    known = square(error=0.02).calibration
    np.testing.assert_allclose(inward(np.array([0.1, 0, 0.07]), known), [0.08, 0, 0.07], atol=1e-6)
    np.testing.assert_allclose(inward(np.array([0.01, 0, 0.07]), known), [0, 0, 0.07], atol=1e-6)


def test_straying_fills_the_ball_and_stays_in_it():
    rng = np.random.default_rng(0)
    points = np.array([stray(np.array([5.0, 5.0]), 2.0, rng) for _ in range(500)])
    length = np.linalg.norm(points - 5, axis=1)
    assert length.max() <= 2
    assert np.mean(length < np.sqrt(2)) == pytest.approx(0.5, abs=0.06)
    np.testing.assert_array_equal(stray(np.ones(2), 0.0, rng), [1, 1])
