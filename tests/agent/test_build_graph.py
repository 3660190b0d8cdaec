"""Graphs of a model and a buffer: one builder, which looks once and refuses foreign worlds."""

from pathlib import Path

import numpy as np
import pytest

from ncs.agent import GraphBuilder, graph_path, shipped_model
from ncs.agent.build_graph import BEST_CLIPS, first_clips, install
from ncs.baselines.set_store import load_sets, sets_path
from ncs.data.buffer import open_buffer
from ncs.graph.isolate import Experience
from ncs.graph.store import load_graph
from ncs.records import ConfigError

MODEL = shipped_model("blocks-fast-0")


def experience(clips: int, first: int = 0) -> Experience:
    number_C = np.arange(first, first + clips, dtype=np.float32)
    fill = np.broadcast_to(number_C[:, None, None, None], (clips, 3, 2, 4))
    presence = np.ones((clips, 3, 2), bool)
    return Experience(fill, fill, fill, presence, np.zeros((clips, 2, 6), np.float32))


@pytest.mark.parametrize("clips", [1, 3, 4, 7])
def test_the_first_clips_are_the_first_ones_across_batches(clips: int) -> None:
    kept = first_clips([experience(3), experience(3, 3), experience(1, 6)], clips)
    assert np.concatenate([part.kind[:, 0, 0, 0] for part in kept]).tolist() == list(range(clips))


def test_a_plan_is_the_presets_but_for_what_is_named(small_buffer: Path) -> None:
    builder = GraphBuilder(MODEL, open_buffer(small_buffer))
    best, paper = builder.plan("best"), builder.plan("paper")
    assert (best.slots, paper.slots) == (8, 5)
    assert best.clips == paper.clips == 130 < BEST_CLIPS
    named = builder.plan("best", clips=9, slots=6, n_nodes=5, edges=None)
    assert (named.clips, named.slots, named.config.n_nodes) == (9, 6, 5)
    assert named.config.edges == best.config.edges


def test_clips_are_looked_at_once_for_many_graphs(
    small_buffer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = GraphBuilder(MODEL, open_buffer(small_buffer))
    builder.look(6, 5)
    monkeypatch.setattr("ncs.agent.build_graph.see_clips", None)
    few = builder.build(builder.plan("best", clips=3, slots=6, n_nodes=4, nodes_from_data=False))
    assert sum(len(part.action) for part in few.seen) == 3
    assert few.sets is None
    assert few.graph.checkpoint == builder.trained.weights


def test_a_graph_is_installed_with_the_scenes_of_nf(small_buffer: Path, tmp_path: Path) -> None:
    builder = GraphBuilder(MODEL, open_buffer(small_buffer))
    plan = builder.plan("paper", clips=3, n_nodes=5)
    path = install(builder.build(plan, with_sets=True), tmp_path)
    assert path == graph_path(tmp_path, "paper")
    assert len(load_graph(path, builder.trained.weights).node) == 5
    assert load_sets(sets_path(tmp_path, "paper"), builder.trained.weights).scene


def test_a_buffer_of_another_world_is_refused(small_buffer: Path) -> None:
    with pytest.raises(ConfigError, match="was trained on robogym-rearrange"):
        GraphBuilder(shipped_model("robogym-fast-0"), open_buffer(small_buffer))
