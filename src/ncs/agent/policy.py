"""A policy that looks through a trained model: perception and what acts on it begin together.

Legend: B lanes, H height, W width, C channels.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncs.agent.perceive import Perception
from ncs.records import Policy

Acting = TypeVar("Acting", bound=Policy)


class SeeingPolicy(Generic[Acting]):
    """Perception, and a policy that was given it to see through."""

    def __init__(self, perception: Perception, acting: Acting) -> None:
        self._perception, self.acting = perception, acting

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Forgets the past and starts one episode per lane, each with its own random streams."""
        self._perception.begin(seed_B)
        self.acting.begin(seed_B)

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action (B, 6) for each of the given lanes."""
        return self.acting.act(image_BHWC, goal_BHWC, lane_B)
