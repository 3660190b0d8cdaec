"""How many nodes the data ask for, judged by actions that were held out.

Legend: N moves, H held-out moves, M nodes, S state channels.
"""

import numpy as np

from ncs.graph.calibration import ends, node_positions
from ncs.graph.cluster import cluster
from ncs.graph.distances import Doubles, Floats
from ncs.graph.nearest import bind

# Enough to rank counts; the nodes themselves are placed with all the data.
MAX_MOVES = 4000
RESTARTS = 3


def choose_count(
    before_NS: Floats,
    after_NS: Floats,
    action_N6: Floats,
    most: int,
    metric: str,
    rng: np.random.Generator,
) -> int:
    """The fewest nodes that tell where actions pick and place as well as any count does.

    Too few nodes merge places, so that what one node says misses; too many add nothing. Each
    action is predicted from the nodes at its two ends, as composed edges are, so the number does
    not depend on how many pairs of nodes the buffer happens to show. ``most`` bounds the search.
    """
    kept = rng.permutation(len(action_N6))[:MAX_MOVES]
    if len(kept) < 4:
        return min(most, max(1, len(kept)))
    before_NS, after_NS, action_N6 = before_NS[kept], after_NS[kept], action_N6[kept]

    misses: dict[int, Doubles] = {}

    def miss(n_nodes: int) -> Doubles:
        if n_nodes not in misses:
            misses[n_nodes] = hold_out(before_NS, after_NS, action_N6, n_nodes, metric, rng)
        return misses[n_nodes]

    ladder = candidates(most)
    best_H = min((miss(n_nodes) for n_nodes in ladder), key=np.mean)

    def enough(n_nodes: int) -> bool:
        """Whether the miss exceeds the best by no more than chance, held-out move by move."""
        excess_H = miss(n_nodes) - best_H
        return bool(excess_H.mean() <= excess_H.std() / np.sqrt(len(excess_H)) + 1e-9)

    step = next(i for i, n_nodes in enumerate(ladder) if enough(n_nodes))
    low, high = (ladder[step - 1] if step else 0), ladder[step]
    while high - low > 1:  # between a count that is too small and one that is enough
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
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
) -> Doubles:
    """How far (H,) nodes made from the first half of the moves miss the actions of the second."""
    half = len(action_N6) // 2
    node_MS = cluster(
        np.concatenate([before_NS[:half], after_NS[:half]]),
        n_nodes,
        metric,
        rng,
        restarts=RESTARTS,
    ).centroid
    missed = []
    for state_NS, position_N3 in zip((before_NS, after_NS), halves(action_N6), strict=True):
        label_N = bind(state_NS, node_MS, metric)
        found_M3 = node_positions(position_N3[:half], label_N[:half], len(node_MS))
        # A node that was never used this way costs what a blind guess would.
        centre_3 = np.median(position_N3[:half], axis=0)
        guess_H3 = found_M3[label_N[half:]]
        guess_H3 = np.where(np.isnan(guess_H3), centre_3, guess_H3)
        missed.append(np.linalg.norm(guess_H3 - position_N3[half:], axis=1))
    return np.asarray(missed[0] + missed[1], np.float64)


def halves(action_N6: Floats) -> Doubles:
    """Where actions pick and where they place, (2, N, 3)."""
    return ends(action_N6).reshape(2, -1, 3)
