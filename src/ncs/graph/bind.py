"""Which node a state belongs to.

Legend: N states, M nodes, S state channels.
"""

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Floats, pairwise


def bind(state_NS: Floats, node_MS: Floats, metric: str) -> NDArray[np.int64]:
    """The node (N,) nearest each state, the lowest of equals; -1 everywhere in an empty graph."""
    if len(node_MS) == 0:
        return np.full(len(state_NS), -1)
    return np.asarray(pairwise(state_NS, node_MS, metric).argmin(1), np.int64)
