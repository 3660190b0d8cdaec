"""Finding an action."""

import numpy as np
import pytest

from ncs.control import ControlConfig
from ncs.control.steps import Caution, find_step, inward, stray

NODE = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def way(graph, here, there, distrusted=(), in_use=None, vain=0, **switches):
    caution = Caution(distrusted=frozenset(distrusted), in_use=in_use, vain=vain)
    here, there = np.asarray(here, float), np.asarray(there, float)
    rng = np.random.default_rng(0)
    return find_step(graph, here, there, ControlConfig(**switches), caution, rng)


def step(graph, i, j, distrusted=(), **settings):
    return way(graph, NODE[i], NODE[j], distrusted, **settings)


def test_an_edge_gives_its_own_action(square):
    found = step(square(), 0, 1)
    assert found.kind == "edge"
    assert found.support == 3
    np.testing.assert_allclose(found.action, [-0.1, -0.1, 0.07, 0.2, 0, 0], atol=1e-6)


@pytest.mark.parametrize(("i", "j"), [(0, 2), (1, 0), (2, 2)])
def test_the_paper_knows_no_action_without_an_edge(square, i, j):
    assert step(square(), i, j) is None


def test_pick_and_place_are_composed_where_no_edge_was_seen(square):
    found = step(square(), 3, 1, composed=True)
    assert found.kind == "composed"
    assert found.support == 0
    np.testing.assert_allclose(found.action, [-0.1, 0.1, 0.07, 0.2, -0.2, 0], atol=1e-6)


def test_a_node_nothing_left_is_picked_where_things_arrived(square):
    graph = square()
    pick = graph.pick.copy()
    pick[3] = np.nan
    np.testing.assert_allclose(
        step(square(pick=pick), 3, 1, composed=True).action,
        step(graph, 3, 1, composed=True).action,
    )


def test_a_node_without_any_position_composes_nothing(square):
    none = np.full((4, 3), np.nan, np.float32)
    assert step(square(pick=none, place=none), 3, 1, composed=True) is None


def test_composing_within_a_node_is_pointless_unless_places_are_exact(square):
    assert step(square(), 2, 2, composed=True) is None
    assert step(square(), 2, 2, composed=True, residual=True).kind == "residual"


def test_a_path_begins_with_its_first_edge(square):
    found = step(square(), 0, 2, shortest_path=True)
    assert (found.kind, found.node_from, found.node_to, found.node_goal) == ("path", 0, 1, 2)
    np.testing.assert_allclose(found.action, step(square(), 0, 1).action)


def test_no_path_no_action(square):
    assert step(square(), 2, 0, shortest_path=True) is None


def test_a_path_avoids_places_in_use_but_not_its_goal(square):
    in_use = np.array([False, True, False, False])
    assert step(square(), 0, 2, in_use=in_use, shortest_path=True) is None
    in_use = np.array([False, False, True, False])
    assert step(square(), 0, 2, in_use=in_use, shortest_path=True).node_to == 1


def test_of_equally_short_paths_the_better_supported_is_taken(square):
    graph = square()
    action, count = graph.action.copy(), graph.count.copy()
    for i, j in ((0, 3), (3, 2)):
        action[i, j], count[i, j] = 1, 50
    assert step(square(action=action, count=count), 0, 2, shortest_path=True).node_to == 3


def test_a_distrusted_edge_is_passed_over(square):
    failed = [("edge", 0, 1)]
    assert step(square(), 0, 1, failed) is None
    assert step(square(), 0, 1, failed, composed=True).kind == "composed"
    assert step(square(), 0, 2, failed, shortest_path=True) is None


def test_residual_aims_at_the_states_themselves(square):
    found = way(square(), [-0.9, -1.1], [1.2, -0.8], residual=True)
    assert found.kind == "residual"
    np.testing.assert_allclose(found.action, [-0.09, -0.11, 0.07, 0.21, 0.03, 0], atol=1e-6)


def test_residual_adds_what_the_fit_misses_near_a_node(square):
    offset = np.zeros((4, 3), np.float32)
    offset[1, 0] = 0.01
    found = step(square(offset=offset), 0, 1, residual=True)
    np.testing.assert_allclose(found.action[3], 0.21, atol=1e-6)


def test_residual_invents_no_edge(square):
    assert step(square(), 3, 1, residual=True) is None


def test_residual_aims_at_the_next_node_of_a_path(square):
    found = step(square(), 0, 2, residual=True, shortest_path=True)
    np.testing.assert_allclose(found.action[3:5], [0.2, 0], atol=1e-6)


def test_after_aiming_failed_the_nodes_places_and_other_points_take_turns(square):
    kinds = [step(square(), 0, 1, vain=vain, residual=True).kind for vain in range(4)]
    assert kinds == ["residual", "edge", "residual", "edge"]
    exact, other = (step(square(), 0, 1, vain=vain, residual=True).action for vain in (0, 4))
    moved = np.linalg.norm((other[:2] + other[3:5]) - (exact[:2] + exact[3:5]))
    assert 0 < moved <= square().still / 10  # ten states are a metre


def test_within_one_node_only_other_points_are_tried(square):
    assert step(square(), 2, 2, vain=1, residual=True, composed=True).kind == "residual"


def test_a_plain_step_that_failed_is_not_tried_again(square):
    found = step(square(), 0, 1, [("edge", 0, 1)], vain=1, residual=True)
    assert found.kind == "residual"


def test_aim_errs_towards_the_middle_by_the_usual_miss(square):
    graph = square(error=0.02)
    np.testing.assert_allclose(inward(np.array([0.1, 0, 0.07]), graph), [0.08, 0, 0.07], atol=1e-6)
    np.testing.assert_allclose(inward(np.array([0.01, 0, 0.07]), graph), [0, 0, 0.07], atol=1e-6)


def test_straying_fills_the_ball_and_stays_in_it():
    rng = np.random.default_rng(0)
    points = np.array([stray(np.array([5.0, 5.0]), 2.0, rng) for _ in range(500)])
    length = np.linalg.norm(points - 5, axis=1)
    assert length.max() <= 2
    assert np.mean(length < np.sqrt(2)) == pytest.approx(0.5, abs=0.06)
    np.testing.assert_array_equal(stray(np.ones(2), 0.0, rng), [1, 1])


def test_without_a_fit_there_is_nothing_to_aim_with(square):
    assert step(square(world=np.zeros((0, 3))), 0, 1, residual=True).kind == "edge"


def test_an_empty_graph_knows_nothing(square):
    empty = square(node=np.zeros((0, 2), np.float32), action=np.zeros((0, 0, 6), np.float32))
    assert step(empty, 0, 1, composed=True, residual=True, shortest_path=True) is None
