"""Algorithm 1 as a whole."""

from dataclasses import fields, replace

import numpy as np
import pytest

from ncs.graph import Experience, GraphConfig, build
from ncs.graph.store import graph_arrays
from ncs.records import Graph


def equal(a: Graph, b: Graph) -> bool:
    one, two = graph_arrays(a), graph_arrays(b)
    assert one.keys() == two.keys()
    return all(np.array_equal(one[name], two[name], equal_nan=True) for name in one)


@pytest.mark.parametrize("config", [GraphConfig.best("block-rearrange"), GraphConfig(n_nodes=16)])
def test_sixteen_places_become_sixteen_nodes_and_every_edge_leads_where_it_says(
    experience, rng, config
):
    graph = build(experience(400, rng), config, rng)
    assert len(graph.node) == 16
    seen = graph.count > 0
    assert seen.sum() > 0.95 * 16 * 15
    start, end = np.nonzero(seen)
    action = graph.action[start, end]
    np.testing.assert_allclose(action[:, :2] * 2, graph.node[start], atol=1e-5)
    np.testing.assert_allclose((action[:, :2] + action[:, 3:5]) * 2, graph.node[end], atol=1e-5)
    known = graph.calibration
    np.testing.assert_allclose(known.pick[:, :2] * 2, graph.node, atol=1e-5)
    np.testing.assert_allclose(known.place[:, :2] * 2, graph.node, atol=1e-5)
    assert known.gap == pytest.approx(0.4, abs=1e-5)
    assert known.error < 1e-6
    assert known.outliers == 0


def test_masks_become_nodes_under_the_papers_settings(experience, rng):
    graph = build(experience(300, rng), GraphConfig.paper("block-rearrange"), rng)
    # Refilling finds all places; surplus nodes have nothing left to stand for.
    assert len(graph.node) == 16
    np.testing.assert_allclose(graph.mask, graph.node, atol=1e-6)
    assert graph.representation == "alpha"


def test_the_mask_of_a_node_is_the_mean_of_its_states_masks(experience, rng):
    graph = build(experience(300, rng), GraphConfig(n_nodes=16), rng)
    assert (graph.mask.argmax(1)[:, None] != np.arange(16)).sum() == 16 * 15
    np.testing.assert_allclose(graph.mask.max(1), 0.95, atol=1e-5)


def test_absent_slots_change_nothing(experience):
    config = GraphConfig(n_nodes=16)
    plain, padded = (
        build(
            experience(60, np.random.default_rng(1), absent=absent),
            config,
            np.random.default_rng(2),
        )
        for absent in (0, 3)
    )
    np.testing.assert_allclose(plain.node, padded.node)
    np.testing.assert_array_equal(plain.count, padded.count)


def test_batches_give_the_same_graph_as_the_whole(experience, rng):
    whole = experience(40, rng)
    batches = (
        Experience(*(getattr(whole, f.name)[i : i + 7] for f in fields(Experience)))
        for i in range(0, 40, 7)
    )
    config = GraphConfig(n_nodes=12, edges="median")
    a = build(whole, config, np.random.default_rng(5))
    b = build(batches, config, np.random.default_rng(5))
    assert equal(a, b)


def test_the_same_seed_gives_the_same_graph_and_another_does_not(experience, rng):
    seen = experience(40, rng, noise=0.05)
    config = GraphConfig(n_nodes=12, restarts=1)
    a, b, c = (build(seen, config, np.random.default_rng(s)) for s in (1, 1, 2))
    assert equal(a, b)
    assert not equal(a, c)


@pytest.mark.parametrize("config", [GraphConfig.best("robogym-rearrange"), GraphConfig()])
def test_a_buffer_without_entities_becomes_an_empty_graph(experience, rng, config):
    seen = experience(4, rng)
    empty = replace(seen, presence=np.zeros_like(seen.presence))
    graph = build(empty, config, rng)
    assert graph.node.shape == (0, 2)
    assert graph.action.shape == (0, 0, 6)
    assert graph.calibration.still == graph.calibration.gap == 0
    assert graph.calibration.world is None
    assert graph.mask.shape == (0, 16)


def test_few_states_are_enough_to_place_the_nodes(experience, rng):
    graph = build(experience(300, rng), GraphConfig(n_nodes=16, max_states=200), rng)
    assert len(graph.node) == 16
    assert graph.count.sum() == 1200
