"""Graphs of a run are built once each, from what the model saw once."""

from pathlib import Path

import pytest

from ncs.agent import GraphPlan, graph_path, shipped_model
from ncs.graph.config import GraphConfig
from ncs.graph.store import load_config, load_graph
from ncs.reproduction.artefacts import Run
from ncs.reproduction.graphs import (
    GraphFiles,
    copy_graphs,
    graph_plans,
    representation_plans,
    sets_beside,
    states_beside,
)
from ncs.reproduction.scales import Scale
from ncs.storage import read_arrays

WORLD = "block-rearrange"
SMOKE = Scale.named("smoke")
SLOTS = {"best": 7, "paper": 5}


def test_there_is_a_graph_for_each_value_of_each_ablation() -> None:
    scale = SMOKE
    plans = graph_plans(scale, WORLD, SLOTS)
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
    scale = SMOKE.narrowed((), (), (), None, None)
    assert list(graph_plans(scale, WORLD, SLOTS)) == ["best", "paper"]


@pytest.mark.parametrize("world", ["block-rearrange", "robogym-rearrange"])
def test_masks_and_states_are_compared_with_the_papers_metrics_of_each(world: str) -> None:
    alpha, state = (plan.config for plan in representation_plans(SMOKE, world, 5).values())
    assert (alpha.representation, alpha.cluster_metric) == ("alpha", "iou")
    assert (state.representation, state.cluster_metric) == ("state", "sqeuclidean")
    assert alpha.n_nodes == state.n_nodes == GraphConfig.paper(world).n_nodes


def test_a_graph_is_built_once_and_comes_with_sets_and_states(
    small_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = shipped_model("blocks-fast-0")
    run = Run(SMOKE.model_copy(update={"states": 10}), tmp_path)
    files = GraphFiles(model, small_buffer, run)
    paper = GraphConfig.paper(WORLD)
    small = paper.model_copy(update={"n_nodes": 5})
    plans = {
        "paper": GraphPlan("paper", paper, 3, 6),
        "clusters-paper-5": GraphPlan("paper", small, 2, 6),
        "best": GraphPlan("best", GraphConfig.best(WORLD), 3, 6),
    }
    paths = files.make(plans)
    assert load_config(paths["clusters-paper-5"]) == small
    arrays, _ = read_arrays(states_beside(paths["paper"]))
    assert len(arrays["state"]) == len(arrays["node"]) == 10
    assert sets_beside(paths["best"]).exists()
    monkeypatch.setattr("ncs.agent.build_graph.see_clips", None)  # nobody looks again
    assert GraphFiles(model, small_buffer, run).make(plans) == paths
    folder = tmp_path / "model"
    folder.mkdir()
    copy_graphs(paths, folder)
    assert len(load_graph(graph_path(folder, "paper")).node) == len(load_graph(paths["paper"]).node)
