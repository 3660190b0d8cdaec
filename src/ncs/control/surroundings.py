"""What is known of the place where a thing is to be put, and what may be done about it.

Legend: J other things, 2 coordinates, metres.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Floats


@dataclass(frozen=True)
class Space:
    """Bounds and measures of a world."""

    low: Floats  # (2,) corners of where things may be
    high: Floats  # (2,)
    tolerance: float  # by which a place may miss
    error: float  # usual misreading of a place
    size: float  # things are hardly ever nearer to each other than this
    still: float  # what is no further from its goal than this is taken to be there


@dataclass(frozen=True)
class Attempt:
    """A place that was tried in vain, and what stood around."""

    place: Floats  # (2,)
    others: Floats  # (J, 2)
    who: NDArray[np.int64]  # (J,) which things they are


@dataclass(frozen=True)
class Scene:
    """A thing, its goal, and what stands around."""

    here: Floats  # (2,)
    goal: Floats  # (2,)
    others: Floats  # (J, 2)
    homes: Floats  # (J, 2) where the others should be; NaN where it does not matter
    first: Floats  # (J, 2) where the others stood at first
    who: NDArray[np.int64]  # (J,) which things the others are
    vain: Sequence[Attempt] = ()  # of this thing
    stuck: Sequence[Floats] = ()  # (2,) each: where others could not be put

    def only(self, kept: NDArray[np.int64]) -> "Scene":
        """The scene with some of the others."""
        others, homes = self.others[kept], self.homes[kept]
        first, who = self.first[kept], self.who[kept]
        return replace(self, others=others, homes=homes, first=first, who=who)


@dataclass(frozen=True)
class Advice:
    """What to move, and by how much."""

    other: int  # -1: the thing itself, beside its goal
    shift: Floats  # (2,) from the goal, or from where the other is
