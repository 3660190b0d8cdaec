"""Oracle: reads the ground truth and moves along a shortest solution. It bounds all others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.records import Env


class Oracle:
    """The only policy that is handed the worlds it plays in."""

    def __init__(self, envs: Sequence[Env]) -> None:
        self._envs = envs

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Nothing to prepare."""

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """The next move of a shortest solution, for each lane."""
        return np.stack([self._envs[lane].oracle_action() for lane in lane_B])
