"""A policy of one's own, as 'ncs evaluate --method' takes it: the one file that a rival needs."""

from collections.abc import Sequence

import numpy as np

from ncs.records import EnvFacts


class Middle:
    """Picks the middle of the arena, always."""

    def __init__(self, facts: EnvFacts, share: float) -> None:
        self._middle_3 = facts.low + share * (facts.high - facts.low)

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Nothing to prepare."""

    def act(self, image_BHWC: np.ndarray, goal_BHWC: np.ndarray, lane_B: Sequence[int]):
        """The same action (B, 6) for each lane."""
        action_6 = np.concatenate([self._middle_3, np.zeros(3)]).astype(np.float32)
        return np.stack([action_6] * len(lane_B))


def make(facts: EnvFacts, share: float = 0.5) -> Middle:
    """The policy."""
    return Middle(facts, share)


def make_nothing(facts: EnvFacts) -> None:
    """No policy."""
