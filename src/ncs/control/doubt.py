"""Second thoughts about a matching: all constraints seem to hold, yet the episode goes on.

Legend: K goal slots, J entities of the scene.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles

# Whitened types of one object differ by about one in every direction. Exchanging two look-alikes
# that were confused costs little more than the matching that was chosen; beyond this the two are
# told apart with certainty, and an exchange could only do harm.
DOUBTFUL = 25.0


def second_thought(
    cost_KJ: Doubles,
    slot_K: NDArray[np.int64],
    present_J: NDArray[np.bool_],
    rejected: frozenset[tuple[int, ...]],
) -> tuple[int, ...] | None:
    """The likeliest other matching: two partners exchanged, or one taken from those without.

    Args:
        cost_KJ: Squared distance of whitened types.
        slot_K: The cheapest matching, -1 where a goal slot has no partner.
        present_J: Entities that may be matched.
        rejected: Matchings that were tried.

    Returns:
        The entity of each goal slot, or None where every other matching is rejected or far-fetched.
    """
    goals = np.flatnonzero(slot_K >= 0)
    spare = np.setdiff1d(np.flatnonzero(present_J), slot_K)
    options: list[tuple[float, tuple[int, ...]]] = []

    def consider(change: dict[int, int]) -> None:
        other_K = slot_K.copy()
        extra = 0.0
        for goal, entity in change.items():
            other_K[goal] = entity
            extra += float(cost_KJ[goal, entity] - cost_KJ[goal, slot_K[goal]])
        matching = tuple(int(entity) for entity in other_K)
        if extra <= DOUBTFUL and matching not in rejected:
            options.append((extra, matching))

    for a, b in combinations(goals, 2):
        consider({int(a): int(slot_K[b]), int(b): int(slot_K[a])})
    for goal in goals:
        for entity in spare:
            consider({int(goal): int(entity)})
    return min(options)[1] if options else None
