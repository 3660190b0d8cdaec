"""Actions become edges between nodes.

Legend: N moves, M nodes.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Floats

EdgeRule = Literal["last", "mean", "median"]


@dataclass(frozen=True)
class Edges:
    """The action and the support of every pair of nodes."""

    action: NDArray[np.float32]  # (M, M, 6), NaN where there is no edge
    count: NDArray[np.int64]  # (M, M)
    spread: NDArray[np.float32]  # (M, M) root mean square of what actions differ by from the edge's


def tag_edges(
    from_N: NDArray[np.int64],
    to_N: NDArray[np.int64],
    action_N6: Floats,
    n_nodes: int,
    rule: EdgeRule,
) -> Edges:
    """Edges that carry the last, the mean or the median action seen between two nodes."""
    action_MM6 = np.full((n_nodes, n_nodes, 6), np.nan, np.float32)
    count_MM = np.zeros((n_nodes, n_nodes), np.int64)
    spread_MM = np.zeros((n_nodes, n_nodes), np.float32)
    np.add.at(count_MM, (from_N, to_N), 1)
    # A stable sort keeps the order in time within each edge.
    order = np.argsort(from_N * n_nodes + to_N, kind="stable")
    starts = np.flatnonzero(np.diff(from_N[order] * n_nodes + to_N[order], prepend=-1))
    for group in np.split(order, starts[1:]) if len(order) else []:
        action_G6 = action_N6[group]
        tag_6 = action_G6[-1] if rule == "last" else getattr(np, rule)(action_G6, axis=0)
        edge = from_N[group[0]], to_N[group[0]]
        action_MM6[edge] = tag_6
        spread_MM[edge] = np.sqrt(np.square(action_G6 - tag_6).sum(axis=1).mean())
    return Edges(action_MM6, count_MM, spread_MM)
