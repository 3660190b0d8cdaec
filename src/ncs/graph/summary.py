"""What a graph is like, in numbers a person can judge."""

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from ncs.records import Graph


def summarise(graph: Graph) -> dict[str, Any]:
    """Nodes and edges, how much of the graph they cover, and in how many parts it falls.

    ``coverage`` is the share of ordered pairs of different nodes that have an edge; ``support``
    the median number of moves behind an edge; ``spread`` how far, on average over moves, an action
    lies from its edge's, in metres; ``components`` counts the parts between which no
    edge leads, 1 being best; ``outliers`` is the share of moves whose action contradicts the slot
    that was isolated.
    """
    n_nodes = len(graph.node)
    has_edge = graph.count > 0
    between = has_edge & ~np.eye(n_nodes, dtype=bool)
    pairs = max(n_nodes * (n_nodes - 1), 1)
    parts = connected_components(has_edge, directed=True, connection="weak")[0] if n_nodes else 0
    return {
        "nodes": n_nodes,
        "edges": int(has_edge.sum()),
        "transitions": int(graph.count.sum()),
        "coverage": round(float(between.sum() / pairs), 4),
        "support": float(np.median(graph.count[has_edge])) if has_edge.any() else 0.0,
        "spread": round(_mean_spread(graph), 4),
        "components": int(parts),
        "outliers": round(graph.calibration.outliers, 4) if graph.calibration else 0.0,
        "representation": graph.representation,
        "checkpoint": graph.checkpoint,
    }


def _mean_spread(graph: Graph) -> float:
    """How impure edges are, weighed by the moves behind them."""
    if graph.spread is None or not graph.count.any():
        return 0.0
    return float(np.average(graph.spread, weights=graph.count))
