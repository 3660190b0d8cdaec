"""Random: the pick and the place are two points drawn uniformly in the arena."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.data.seeds import stream


class Chance:
    """A policy that looks at nothing."""

    def __init__(self, low_3: NDArray[np.float64], high_3: NDArray[np.float64]) -> None:
        self._low_3 = low_3
        self._high_3 = high_3

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Gives each lane its stream."""
        self._rngs = [stream("policy", *seed) for seed in seed_B]

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """Two points in the arena as a pick and a displacement, for each lane."""
        return np.stack(
            [random_action(self._rngs[lane], self._low_3, self._high_3) for lane in lane_B]
        )


def random_action(
    rng: np.random.Generator, low_3: NDArray[np.float64], high_3: NDArray[np.float64]
) -> NDArray[np.float32]:
    """A pick w and a place w + dw, both uniform in the arena, as (w, dw)."""
    pick_3, place_3 = rng.uniform(low_3, high_3, (2, 3))
    return np.concatenate([pick_3, place_3 - pick_3]).astype(np.float32)
