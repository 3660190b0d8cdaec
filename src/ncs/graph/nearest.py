"""What a node stands for, and which node a state belongs to.

Legend: N states, M nodes, S state channels.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Floats, pairwise


class Seen(Protocol):
    """Whatever has a state and a mask of every slot: the entities of a picture, or whole clips."""

    @property
    def state(self) -> NDArray[Any]:
        """The model's own states, (..., K, S)."""
        ...

    @property
    def mask(self) -> NDArray[Any]:
        """The share of each cell that a slot claims, (..., K, P)."""
        ...


def states(seen: Seen, representation: str) -> NDArray[Any]:
    """The states that nodes stand for (..., S): masks under "alpha", else the model's states."""
    return seen.mask if representation == "alpha" else seen.state


def bind(state_NS: Floats, node_MS: Floats, metric: str) -> NDArray[np.int64]:
    """The node (N,) nearest each state, the lowest of equals; -1 everywhere in an empty graph."""
    if len(node_MS) == 0:
        return np.full(len(state_NS), -1)
    return np.asarray(pairwise(state_NS, node_MS, metric).argmin(1), np.int64)
