"""Unsteady hands: the stress test in which every action is carried out a little wrong."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.records import Policy

STREAM = 1  # keeps the noise apart from the policy's own random stream of the same key


class Unsteady:
    """A policy whose actions are carried out with Gaussian noise on every number.

    The noise of an episode depends on its key alone, so that all policies are shaken alike.
    """

    def __init__(self, policy: Policy, spread: float) -> None:
        """Shakes a policy.

        Args:
            policy: Who acts; it is not told.
            spread: Standard deviation, metres.
        """
        self._policy = policy
        self._spread = spread
        self._rngs: list[np.random.Generator] = []

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Starts one episode a lane."""
        self._policy.begin(seed_B)
        self._rngs = [np.random.default_rng([*seed, STREAM]) for seed in seed_B]

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """The policy's actions (B, 6), shaken."""
        action_B6 = self._policy.act(image_BHWC, goal_BHWC, lane_B)
        noise_B6 = [self._rngs[lane].normal(0.0, self._spread, 6) for lane in lane_B]
        return np.asarray(action_B6 + np.array(noise_B6), np.float32)
