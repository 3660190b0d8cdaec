"""A policy in one file, outside the package: it picks the middle and puts it where it is told."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.records import EnvFacts


class Still:
    """Moves whatever is in the middle by a fixed distance."""

    def __init__(self, facts: EnvFacts, shift: float = 0.0) -> None:
        middle_3 = (facts.low + facts.high) / 2
        self._action_6 = np.array([*middle_3, shift, 0, 0], np.float32)

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        pass

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        return np.stack([self._action_6 for _ in lane_B])
