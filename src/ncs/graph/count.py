"""How many nodes the data ask for, judged by actions that were held out.

Legend: N moves, M nodes, S state channels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.graph.bind import bind
from ncs.graph.cluster import cluster
from ncs.graph.distances import Doubles, Floats
from ncs.graph.edges import tag_edges
from ncs.graph.places import ends

# Enough to rank counts; the nodes themselves are placed with all the data.
MAX_MOVES = 4000
RESTARTS = 3


@dataclass(frozen=True)
class Score:
    """How well a graph of that many nodes reproduces held-out actions."""

    miss: float  # metres, mean
    doubt: float  # standard error of that mean


def choose_count(
    before_NS: Floats,
    after_NS: Floats,
    action_N6: Floats,
    most: int,
    metric: str,
    rng: np.random.Generator,
) -> int:
    """The fewest nodes whose edges predict held-out actions as well as the best count does.

    Too few nodes merge places, so that an edge's action misses; too many split places, so that
    edges go unseen. Both show as a miss, and ``most`` bounds the search.
    """
    kept = rng.permutation(len(action_N6))[:MAX_MOVES]
    if len(kept) < 4:
        return min(most, max(1, len(kept)))
    before_NS, after_NS, action_N6 = before_NS[kept], after_NS[kept], action_N6[kept]

    scores: dict[int, Score] = {}

    def score(n_nodes: int) -> Score:
        if n_nodes not in scores:
            scores[n_nodes] = hold_out(before_NS, after_NS, action_N6, n_nodes, metric, rng)
        return scores[n_nodes]

    ladder = candidates(most)
    best = min((score(n_nodes) for n_nodes in ladder), key=lambda found: found.miss)
    enough = best.miss + best.doubt + 1e-9
    step = next(i for i, n_nodes in enumerate(ladder) if score(n_nodes).miss <= enough)
    low, high = (ladder[step - 1] if step else 0), ladder[step]
    while high - low > 1:  # between a count that is too small and one that is enough
        middle = (low + high) // 2
        low, high = (low, middle) if score(middle).miss <= enough else (middle, high)
    return high


def candidates(most: int) -> list[int]:
    """Counts from 2 to the bound, each about a quarter above the one before."""
    ladder = [min(2, most)]
    while ladder[-1] < most:
        ladder.append(min(most, max(ladder[-1] + 1, ladder[-1] * 5 // 4)))
    return ladder


def hold_out(
    before_NS: Floats,
    after_NS: Floats,
    action_N6: Floats,
    n_nodes: int,
    metric: str,
    rng: np.random.Generator,
) -> Score:
    """The miss on the second half of the moves of edges made from the first half."""
    half = len(action_N6) // 2
    node_MS = cluster(
        np.concatenate([before_NS[:half], after_NS[:half]]),
        n_nodes,
        metric,
        rng,
        restarts=RESTARTS,
    ).centroid
    from_N, to_N = bind(before_NS, node_MS, metric), bind(after_NS, node_MS, metric)
    edges = tag_edges(from_N[:half], to_N[:half], action_N6[:half], len(node_MS), "median")
    predicted_N6 = edges.action[from_N[half:], to_N[half:]]
    miss_N = action_distance(predicted_N6, action_N6[half:])
    # An edge that was never seen costs what some other action of the buffer would.
    blind = float(action_distance(action_N6[half:], np.roll(action_N6[half:], 1, axis=0)).mean())
    miss_N = np.where(np.isnan(miss_N), blind, miss_N)
    return Score(float(miss_N.mean()), float(miss_N.std() / np.sqrt(len(miss_N))))


def action_distance(a_N6: Floats, b_N6: Floats) -> NDArray[np.float64]:
    """How far apart two actions pick and place, together, metres."""
    square_N: Doubles = ((ends(a_N6) - ends(b_N6)) ** 2).sum(1).reshape(2, -1).sum(0)
    return np.asarray(np.sqrt(square_N))
