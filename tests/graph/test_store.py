"""Graphs on disk."""

from dataclasses import fields

import numpy as np
import pytest

from ncs.graph import GraphConfig, build, load_graph, save_graph
from ncs.graph.store import load_config
from ncs.records import DataError, Graph
from ncs.storage import write_arrays

CONFIG = GraphConfig(n_nodes=10, edges="median")


@pytest.fixture
def graph(experience, rng) -> Graph:
    return build(experience(20, rng), CONFIG, rng, checkpoint="a" * 64)


def test_a_graph_comes_back_to_the_bit(graph, tmp_path):
    path = tmp_path / "graph.safetensors"
    assert len(save_graph(path, graph, CONFIG)) == 64
    found = load_graph(path, checkpoint="a" * 64)
    for field in fields(Graph):
        before, after = getattr(graph, field.name), getattr(found, field.name)
        if isinstance(before, np.ndarray):
            assert before.dtype == after.dtype
            np.testing.assert_array_equal(before, after)
        else:
            assert before == after
    assert load_config(path) == CONFIG


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
