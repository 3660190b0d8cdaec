"""Graphs of a run are built once each, from what the model saw once."""

from pathlib import Path

import numpy as np
import pytest

from ncs.graph.config import GraphConfig
from ncs.graph.isolate import Experience
from ncs.graph.store import load_config, load_graph
from ncs.reproduction.graphs import (
    GraphPlan,
    GraphShop,
    first_clips,
    graph_plans,
    install,
    representation_plans,
    sets_beside,
    states_beside,
)
from ncs.reproduction.scales import Scale
from ncs.storage import read_arrays

WORLD = "block-rearrange"
SLOTS = {"best": 7, "paper": 5}


def experience(clips: int, first: int = 0) -> Experience:
    number_C = np.arange(first, first + clips, dtype=np.float32)
    fill = np.broadcast_to(number_C[:, None, None, None], (clips, 3, 2, 4))
    presence = np.ones((clips, 3, 2), bool)
    return Experience(fill, fill, fill, presence, np.zeros((clips, 2, 6), np.float32))


@pytest.mark.parametrize("clips", [1, 3, 4, 7])
def test_the_first_clips_are_the_first_ones_across_batches(clips: int) -> None:
    kept = first_clips([experience(3), experience(3, 3), experience(1, 6)], clips)
    assert np.concatenate([part.kind[:, 0, 0, 0] for part in kept]).tolist() == list(range(clips))


def test_there_is_a_graph_for_each_value_of_each_ablation() -> None:
    scale = Scale.named("smoke")
    plans = {plan.name: plan for plan in graph_plans(scale, WORLD, SLOTS)}
    assert {"best", "paper", "representation-paper-alpha", "representation-paper-state"} <= set(
        plans
    )
    for preset in ("best", "paper"):
        for count in scale.clusters:
            config = plans[f"clusters-{preset}-{count}"].config
            assert (config.n_nodes, config.nodes_from_data) == (count, False)
        assert plans[f"slots-{preset}-3"].slots == 3
        assert plans[preset].slots == plans[f"clusters-{preset}-16"].slots == SLOTS[preset]
    assert plans["clips-best-10"].clips == 10
    assert plans["paper"].clips == plans["clips-paper-60"].clips == 60
    assert plans["slots-paper-3"].clips == plans["best"].clips == 40
    assert plans["paper"].config == GraphConfig.paper(WORLD)
    assert plans["best"].config == GraphConfig.best(WORLD)


def test_studies_that_are_not_wanted_need_no_graphs() -> None:
    scale = Scale.named("smoke").narrowed((), (), (), None, None)
    assert [plan.name for plan in graph_plans(scale, WORLD, SLOTS)] == ["best", "paper"]


@pytest.mark.parametrize("world", ["block-rearrange", "robogym-rearrange"])
def test_masks_and_states_are_compared_with_the_papers_metrics_of_each(world: str) -> None:
    alpha, state = (plan.config for plan in representation_plans(world, 10, 5))
    assert (alpha.representation, alpha.cluster_metric) == ("alpha", "iou")
    assert (state.representation, state.cluster_metric) == ("state", "sqeuclidean")
    assert alpha.n_nodes == state.n_nodes == GraphConfig.paper(world).n_nodes


def test_a_graph_is_built_once_and_comes_with_sets_and_states(
    small_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncs.agent import graph_path, shipped_model

    model = shipped_model("blocks-fast-0")
    shop = GraphShop(model, small_buffer, tmp_path / "graphs", states=10)
    paper = GraphConfig.paper(WORLD)
    small = paper.model_copy(update={"n_nodes": 5})
    plans = [GraphPlan("paper", paper, 3, 6), GraphPlan("clusters-paper-5", small, 2, 6)]
    plans.append(GraphPlan("best", GraphConfig.best(WORLD), 3, 6))
    paths = shop.make(plans)
    assert load_config(paths["clusters-paper-5"]) == small
    arrays, _ = read_arrays(states_beside(paths["paper"]))
    assert len(arrays["state"]) == len(arrays["node"]) == 10
    assert sets_beside(paths["best"]).exists()

    def blind(*_: object) -> None:
        raise AssertionError("it looked again")

    monkeypatch.setattr("ncs.agent.perceive.watch", blind)
    assert shop.make(plans) == paths
    folder = tmp_path / "model"
    folder.mkdir()
    install(folder, paths)
    assert len(load_graph(graph_path(folder, "paper")).node) == len(load_graph(paths["paper"]).node)
