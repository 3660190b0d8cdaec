"""Graphs on disk."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from ncs.graph import GraphConfig, build, load_graph, save_graph
from ncs.graph.rules import Box, Rules, write_rules
from ncs.graph.store import OLDER, graph_arrays, graph_hash, load_config
from ncs.records import Calibration, DataError, Graph
from ncs.storage import write_arrays

CONFIG = GraphConfig(n_nodes=10, edges="median")


@pytest.fixture
def graph(experience, rng) -> Graph:
    return build(experience(20, rng), CONFIG, rng, checkpoint="a" * 64)


def same(a: Graph | Calibration, b: Graph | Calibration) -> None:
    for field in fields(a):
        before, after = getattr(a, field.name), getattr(b, field.name)
        if isinstance(before, Calibration):
            same(before, after)
        elif isinstance(before, np.ndarray):
            assert before.dtype == after.dtype
            np.testing.assert_array_equal(before, after)
        else:
            assert before == after


def test_a_graph_comes_back_to_the_bit(graph, tmp_path):
    path = tmp_path / "graph.safetensors"
    assert len(save_graph(path, graph, CONFIG)) == 64
    found = load_graph(path, checkpoint="a" * 64)
    same(graph, found)
    assert graph_hash(found) == graph_hash(graph)
    assert load_config(path) == CONFIG


def test_what_is_not_there_does_not_come_back(graph, tmp_path):
    path = tmp_path / "graph.safetensors"
    for bare in (
        replace(graph, calibration=None, spread=None),
        replace(graph, calibration=replace(graph.calibration, world=None)),
    ):
        save_graph(path, bare, CONFIG)
        same(bare, load_graph(path))


@pytest.mark.parametrize("fitted", [True, False])
def test_the_older_format_is_read_as_the_same_graph(graph, tmp_path, fitted):
    if not fitted:
        graph = replace(graph, calibration=replace(graph.calibration, world=None))
    arrays, known = graph_arrays(graph), graph.calibration
    arrays.setdefault("world", np.zeros((0, 3)))  # how a fit that is missing was kept
    scalars = {f.name: v for f in fields(graph) if isinstance(v := getattr(graph, f.name), str)}
    scalars |= {name: getattr(known, name) for name in ("still", "gap", "error", "outliers")}
    about = {"format": OLDER, "graph": scalars, "config": CONFIG.model_dump(mode="json")}
    path = tmp_path / "graph.safetensors"
    write_arrays(path, arrays, about)
    same(graph, load_graph(path, checkpoint="a" * 64))
    assert load_config(path) == CONFIG


def test_shipped_graphs_keep_their_names():
    """Results name the graph they were made with by its hash; a new format does not change it."""
    path = Path(__file__).parents[2] / "checkpoints" / "blocks-cpu-0" / "graph-paper.safetensors"
    assert graph_hash(load_graph(path))[:8] == "099fea91"


def test_an_empty_graph_can_be_kept(tmp_path):
    none = np.zeros((0, 2), np.float32)
    empty = Graph(none, np.zeros((0, 0, 6), np.float32), np.zeros((0, 0), np.int64), none)
    path = tmp_path / "graph.safetensors"
    save_graph(path, empty, CONFIG)
    assert load_graph(path).node.shape == (0, 2)


def test_a_graph_of_other_weights_is_refused(graph, tmp_path):
    path = tmp_path / "graph.safetensors"
    save_graph(path, graph, CONFIG)
    with pytest.raises(DataError, match="built with checkpoint aaaaaaaaaaaa, not bbbbbbbbbbbb"):
        load_graph(path, checkpoint="b" * 64)


def test_a_damaged_graph_is_refused(graph, tmp_path):
    path = tmp_path / "graph.safetensors"
    save_graph(path, graph, CONFIG)
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="damaged"):
        load_graph(path)


def test_a_file_of_another_sort_is_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    write_arrays(path, {"x": np.zeros(3)}, {"format": "weights"})
    for load in (load_graph, load_config):
        with pytest.raises(DataError, match="not a graph"):
            load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        load_graph(tmp_path / "nowhere")


def test_a_rule_that_is_open_to_one_side_is_kept(graph, tmp_path):
    """Boxes of rules have infinite faces where there is no bound."""
    box = Box(np.array([-0.1, -np.inf, 0.0]), np.array([0.1, np.inf, np.inf]), 3, 4)
    table = write_rules(Rules(block=(box,)))
    known = replace(graph.calibration, rules=table)
    path = tmp_path / "graph.safetensors"
    save_graph(path, replace(graph, calibration=known), CONFIG)
    kept = load_graph(path).calibration.rules
    np.testing.assert_array_equal(kept, table)
    save_graph(
        path, replace(graph, calibration=replace(known, rules=np.full_like(table, np.nan))), CONFIG
    )
    with pytest.raises(DataError, match="rules holds NaN"):
        load_graph(path)
