"""A policy of one's own: picks where the scene shows what the goal does not, and the reverse.

Legend: B lanes, H height, W width, C channels.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.records import EnvFacts

LEAST = 40  # levels by which a pixel differs


class Difference:
    """Knows the arena and two pictures, and nothing of things."""

    def __init__(self, facts: EnvFacts) -> None:
        self._low, self._high = facts.low, facts.high

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Starts an episode a lane, each with its own random stream."""
        self._rng_B = [np.random.default_rng(list(seed)) for seed in seed_B]

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action (B, 6) for each of the given lanes."""
        triples = zip(image_BHWC, goal_BHWC, lane_B, strict=True)
        return np.stack(
            [self._one(image, goal, self._rng_B[lane]) for image, goal, lane in triples]
        )

    def _one(
        self, image: NDArray[np.uint8], goal: NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """From a pixel that differs to another whose colour in the goal is that of the first."""
        now, then = image.astype(int), goal.astype(int)
        differs = np.argwhere(np.abs(now - then).max(axis=-1) > LEAST)
        if not len(differs):
            return np.zeros(6, np.float32)
        pick = differs[rng.integers(len(differs))]
        wanted = np.abs(then[tuple(differs.T)] - now[tuple(pick)]).max(axis=-1) < LEAST
        places = differs[wanted] if wanted.any() else differs
        ends = [
            self._metres(pixel, image.shape) for pixel in (pick, places[rng.integers(len(places))])
        ]
        return np.concatenate([ends[0], ends[1] - ends[0]]).astype(np.float32)

    def _metres(self, pixel: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Where a pixel is, of a camera that looks straight down on the whole arena."""
        share = (pixel[::-1] + 0.5) / [shape[1], shape[0]]
        place = self._low + np.append(share, 0.5) * (self._high - self._low)
        return np.asarray(place, np.float64)


def make(facts: EnvFacts) -> Difference:
    """The policy; ``facts`` say the world, its arena and how many lanes are played at once."""
    return Difference(facts)
