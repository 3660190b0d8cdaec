"""Noise shakes what is done, the same way for everybody, and nothing else."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ncs.evaluation.noise import Unsteady

PICTURE = np.zeros((2, 4, 4, 3), np.uint8)


class Statue:
    """Always the same action."""

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        self.seeds = seed_B

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        return np.ones((len(lane_B), 6), np.float32)


def shaken(spread: float, seeds: Sequence[Sequence[int]], steps: int) -> NDArray[np.float32]:
    policy = Unsteady(Statue(), spread)
    policy.begin(seeds)
    lanes = range(len(seeds))
    return np.stack([policy.act(PICTURE, PICTURE, list(lanes)) for _ in range(steps)])


@pytest.mark.parametrize("spread", [0.01, 0.05])
def test_noise_has_no_bias_and_the_spread_that_was_asked_for(spread: float) -> None:
    noise = shaken(spread, [(0, 1), (0, 2)], 2000) - 1
    assert abs(noise.mean()) < 4 * spread / np.sqrt(noise.size)
    assert noise.std() == pytest.approx(spread, rel=0.02)


def test_an_episode_is_shaken_the_same_way_whoever_plays_beside_it() -> None:
    both, alone = shaken(0.1, [(0, 1), (0, 2)], 3), shaken(0.1, [(0, 2)], 3)
    np.testing.assert_array_equal(both[:, 1], alone[:, 0])
    assert (both[:, 0] != both[:, 1]).any()
