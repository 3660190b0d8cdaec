"""Where each thing of an episode stands and first stood, by places alone.

A thing is known again by where it was seen last, or by where the last action was to take it.

Legend: T things so far, J things seen, 2 coordinates, metres.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ncs.graph.distances import Doubles, Floats, length, pairwise


class Trail:
    """Things and their places, picture by picture."""

    def __init__(self) -> None:
        """Begins an episode in which nothing was seen."""
        self.first: Doubles = np.zeros((0, 2))  # (T, 2) where things were seen first
        self._last: Doubles = np.zeros((0, 2))  # (T, 2)
        self._move: tuple[Floats, Floats] | None = None  # (2,) each, from where to where

    def expect(self, here_2: Floats, there_2: Floats) -> None:
        """Takes note of an action that may move what is at one place to another."""
        self._move = (here_2, there_2)

    def see(self, place_J2: Floats, reach: float) -> NDArray[np.int64]:
        """Which thing (J,) each of a picture's is; one further than reach from all is new."""
        away_TJ = pairwise(self._last, place_J2, "euclidean")
        if self._move is not None and len(self._last):
            mover = int(length(self._last - self._move[0]).argmin())
            there_J = length(place_J2 - self._move[1])
            away_TJ[mover] = np.minimum(away_TJ[mover], there_J)
        self._move = None
        who_J = np.full(len(place_J2), -1)
        for t, j in zip(*linear_sum_assignment(np.minimum(away_TJ, reach)), strict=True):
            who_J[j] = t if away_TJ[t, j] < reach else -1
        new_J = np.flatnonzero(who_J < 0)
        if len(new_J):
            who_J[new_J] = len(self.first) + np.arange(len(new_J))
            self.first = np.concatenate([self.first, place_J2[new_J]])
            self._last = np.concatenate([self._last, place_J2[new_J]])
        self._last[who_J] = place_J2
        return who_J
