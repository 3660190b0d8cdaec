"""A graph in numbers, by a hand-made table."""

import numpy as np

from ncs.graph.edges import tag_edges
from ncs.graph.summary import summarise
from ncs.records import Graph


def graph_of(moves: list[tuple[int, int, float]], n_nodes: int) -> Graph:
    origin, target, x = map(np.array, zip(*moves, strict=True))
    action = np.zeros((len(moves), 6))
    action[:, 0] = x
    edges = tag_edges(origin, target, action, n_nodes, "mean")
    mask = np.zeros((n_nodes, 4), np.float32)
    node = np.zeros((n_nodes, 2), np.float32)
    return Graph(node, edges.action, edges.count, mask, spread=edges.spread)


def test_figures_of_a_small_graph() -> None:
    facts = summarise(graph_of([(0, 1, 0.0), (0, 1, 0.2), (1, 0, 0.5), (2, 3, 0.1)], 4))
    assert (facts["nodes"], facts["edges"], facts["transitions"]) == (4, 3, 4)
    assert facts["coverage"] == round(3 / 12, 4)
    assert facts["components"] == 2
    assert facts["support"] == 1.0
    assert facts["spread"] == 0.05  # 0.1 for the two moves of the first edge, 0 for the others


def test_an_empty_graph_has_figures_too() -> None:
    empty = np.zeros((0, 0))
    graph = Graph(empty, np.zeros((0, 0, 6)), empty.astype(int), empty)  # type: ignore[arg-type]
    assert summarise(graph)["nodes"] == 0
