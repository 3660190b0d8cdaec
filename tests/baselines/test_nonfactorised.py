"""The non-factorised rival."""

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_array

from ncs.baselines.nonfactorised import (
    SetGraphPolicy,
    build_sets,
    next_node,
    plan,
    scene_of,
)
from ncs.graph import Arena, Experience
from ncs.records import Entities, Graph, Policy

ARENA = Arena(np.array([-1.0, -1.0, 0.1]), np.array([1.0, 1.0, 0.1]))
NODE = np.arange(4, dtype=np.float32)[:, None]  # four places on a line
GRAPH = Graph(
    node=NODE,
    action=np.full((4, 4, 6), np.nan, np.float32),
    count=np.zeros((4, 4), np.int64),
    mask=np.zeros((4, 1), np.float32),
)
# Clips of two entities, one of them moved at a time; the last clip swaps the slots' order.
PLACES = np.array([[[0, 1], [0, 2], [3, 2]], [[3, 2], [3, 1], [0, 1]], [[2, 0], [3, 0], [3, 1]]])


def experience(place_CTK=PLACES, presence=None) -> Experience:
    state = place_CTK[..., None].astype(np.float32)
    clips, frames, _ = place_CTK.shape
    action = np.arange(clips * (frames - 1) * 6, dtype=np.float32).reshape(clips, frames - 1, 6)
    presence = np.ones(place_CTK.shape, bool) if presence is None else presence
    return Experience(state, state, state, presence, action)


def entities(*places) -> Entities:
    state = np.array(places, np.float32)[:, None]
    return Entities(state, state, state, np.ones(len(places), bool))


def test_a_scene_is_the_same_in_any_order_of_slots():
    everyone = np.ones(3, bool)
    state = np.array([[2.1], [0.0], [2.9]])
    for order in ([0, 1, 2], [2, 0, 1]):
        assert scene_of(state[order], everyone, GRAPH) == (0, 2, 3)


def test_scenes_and_edges_are_those_seen():
    sets = build_sets(experience(), GRAPH)
    assert set(sets.scene) == {(0, 1), (0, 2), (2, 3), (1, 3), (0, 3)}
    seen = {(sets.scene[i], sets.scene[j]) for i, j in sets.edge}
    assert seen == {
        ((0, 1), (0, 2)),
        ((0, 2), (2, 3)),
        ((2, 3), (1, 3)),
        ((1, 3), (0, 1)),
        ((0, 2), (0, 3)),
        ((0, 3), (1, 3)),
    }


def test_the_last_action_is_kept():
    twice = experience(PLACES[[0, 0]])
    sets = build_sets(twice, GRAPH)
    np.testing.assert_array_equal(plan(sets, (0, 1), (0, 2)), twice.action[1, 0])


def test_a_plan_is_as_short_as_networkx_says_and_every_step_was_seen():
    sets = build_sets(experience(), GRAPH)
    oracle = networkx.DiGraph()
    for (i, j), action in zip(sets.edge, sets.action, strict=True):
        oracle.add_edge(sets.scene[i], sets.scene[j], action=action)
    for start in sets.scene:
        for goal in sets.scene:
            steps, scene = 0, start
            while scene != goal:
                action = plan(sets, scene, goal)
                scene = next(
                    there
                    for _, there, edge in oracle.out_edges(scene, data=True)
                    if (edge["action"] == action).all()
                )
                steps += 1
            assert steps == networkx.shortest_path_length(oracle, start, goal)


@pytest.mark.parametrize("scenes", [((0, 1, 2), (0, 1)), ((0, 1), (0, 1, 1)), ((0, 1), (0, 1))])
def test_what_cannot_be_bound_or_needs_no_move_has_no_plan(scenes):
    assert plan(build_sets(experience(), GRAPH), *scenes) is None


def test_batches_add_up():
    whole = build_sets(experience(), GRAPH)
    parts = build_sets((experience(PLACES[i : i + 1]) for i in range(3)), GRAPH)
    assert whole.scene == parts.scene
    np.testing.assert_array_equal(whole.edge, parts.edge)


def test_absent_slots_can_be_left_out():
    presence = np.ones(PLACES.shape, bool)
    presence[..., 1] = False
    sets = build_sets(experience(presence=presence), GRAPH, presence=True)
    assert set(sets.scene) == {(0,), (2,), (3,)}


def test_the_policy_plans_where_it_can_and_is_random_elsewhere():
    shows = {0: entities(0, 1), 1: entities(3, 2), 2: entities(0, 1, 2)}

    def encode(image, lanes):
        return [shows[int(picture[0, 0, 0])] for picture in image]

    sets = build_sets(experience(), GRAPH)
    policy: Policy = SetGraphPolicy(encode, sets, GRAPH, ARENA)
    policy.begin([[1], [2]])
    now = np.array([0, 2], np.uint8).reshape(2, 1, 1, 1).repeat(3, 3)
    goal = np.array([1, 1], np.uint8).reshape(2, 1, 1, 1).repeat(3, 3)
    actions = policy.act(now, goal, [0, 1])
    np.testing.assert_array_equal(actions[0], plan(sets, (0, 1), (2, 3)))
    assert (np.abs(actions[1, :2]) <= 1).all()
    assert actions[1, 2] == np.float32(0.1)
    assert policy.act(now[:0], goal[:0], []).shape == (0, 6)


def test_no_experience_of_entities_makes_every_action_random():
    nobody = np.zeros(PLACES.shape, bool)
    sets = build_sets(experience(presence=nobody), GRAPH, presence=True)
    assert plan(sets, (0, 1), (0, 2)) is None


@pytest.mark.parametrize("seed", range(20))
def test_walking_from_node_to_node_is_as_short_as_networkx_says(seed):
    rng = np.random.default_rng(seed)
    weight = np.where(rng.random((12, 12)) < 0.15, rng.uniform(0.5, 2, (12, 12)), 0)
    oracle = networkx.from_numpy_array(weight, create_using=networkx.DiGraph)
    for start in range(12):
        for goal in range(12):
            if start == goal or not networkx.has_path(oracle, start, goal):
                assert next_node(csr_array(weight), start, goal) is None
                continue
            length, node = 0.0, start
            while node != goal:
                following = next_node(csr_array(weight), node, goal)
                length += weight[node, following]
                node = following
            expected = networkx.dijkstra_path_length(oracle, start, goal)
            assert length == pytest.approx(expected)
