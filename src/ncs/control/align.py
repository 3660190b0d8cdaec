"""Which entity of the scene is which entity of the goal.

Legend: K goal slots, J current slots, D type channels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ncs.graph.distances import Doubles, Floats, pairwise


@dataclass(frozen=True)
class Match:
    """A partner for every goal slot, as far as there are partners."""

    slot: NDArray[np.int64]  # (K,) current slot, -1 where none is left
    cost: Doubles  # (K,) distance of the two types, 0 where there is no partner


def type_costs(goal_KD: Floats, now_JD: Floats, whiten_DD: Floats | None = None) -> Doubles:
    """What it costs to match each goal slot with each current slot, (K, J).

    Plain types cost their Euclidean distance, as in the paper. Whitened types cost its square:
    the sum over pairs is then the log-likelihood of the matching, up to a constant.
    """
    if whiten_DD is None:
        return pairwise(goal_KD, now_JD, "euclidean")
    return pairwise(goal_KD @ whiten_DD, now_JD @ whiten_DD, "sqeuclidean")


def align(
    cost_KJ: Doubles,
    goal_present_K: NDArray[np.bool_] | None = None,
    now_present_J: NDArray[np.bool_] | None = None,
) -> Match:
    """The cheapest one-to-one matching of the slots that are present (Hungarian algorithm)."""
    goals, slots = cost_KJ.shape
    row = np.arange(goals) if goal_present_K is None else np.flatnonzero(goal_present_K)
    column = np.arange(slots) if now_present_J is None else np.flatnonzero(now_present_J)
    matched_row, matched_column = linear_sum_assignment(cost_KJ[np.ix_(row, column)])
    slot_K = np.full(goals, -1)
    slot_K[row[matched_row]] = column[matched_column]
    return priced(slot_K, cost_KJ)


def priced(slot_K: NDArray[np.int64], cost_KJ: Doubles) -> Match:
    """A given matching with what it costs."""
    cost_K = np.zeros(len(slot_K))
    matched = np.flatnonzero(slot_K >= 0)
    cost_K[matched] = cost_KJ[matched, slot_K[matched]]
    return Match(slot_K, cost_K)
