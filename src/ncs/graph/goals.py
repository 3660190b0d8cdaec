"""Pictures that stay the same, goals above all: looked at once, or at every step where asked.

Legend: B lanes, H height, W width, C colours.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.records import Entities

Encode = Callable[[NDArray[np.uint8], Sequence[int]], list[Entities]]


class GoalCache:
    """Entities of goals or scenes, encoded once for as long as a lane's picture stays the same."""

    def __init__(self, encode: Encode, anew: bool = False) -> None:
        """Starts without any goal.

        Args:
            encode: Turns pictures (B, H, W, C) of the given lanes into entities, one per picture.
            anew: Encode a picture whenever it is shown, for a model that draws at random.
        """
        self.entities: dict[int, Entities] = {}
        self._encode, self._anew = encode, anew
        self._image: dict[int, NDArray[np.uint8]] = {}

    def refresh(self, goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[int]:
        """Encodes what is to be looked at, in one batch; the lanes whose goal is new come back."""
        new = [
            row
            for row, lane in enumerate(lane_B)
            if lane not in self._image or not np.array_equal(self._image[lane], goal_BHWC[row])
        ]
        rows = list(range(len(lane_B))) if self._anew else new
        if rows:
            lanes = [lane_B[row] for row in rows]
            for row, entities in zip(rows, self._encode(goal_BHWC[rows], lanes), strict=True):
                self._image[lane_B[row]] = goal_BHWC[row].copy()
                self.entities[lane_B[row]] = entities
        return [lane_B[row] for row in new]
