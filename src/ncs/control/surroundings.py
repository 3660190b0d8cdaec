"""What is known of the place where a thing is to be put, and what may be done about it.

Legend: J other things, V attempts in vain, T things so far, 2 coordinates, metres.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles, Floats


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
class Past:
    """How things stood when places were tried in vain; infinitely far away what was not seen."""

    place: Doubles  # (V, 2) what was tried
    others: Doubles  # (V, J, 2) where things of now stood
    gone: Doubles  # (V, G, 2) where things stood that are unseen since


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

    @cached_property
    def past(self) -> Past:
        """How things stood at the attempts that failed."""
        return recall(self.who, self.vain)

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


def recall(who_J: NDArray[np.int64], vain: Sequence[Attempt]) -> Past:
    """How things stood at attempts, by who is who."""
    n_things = 1 + int(np.concatenate([who_J, *(a.who for a in vain)]).max(initial=-1))
    stood_VT2 = np.full((len(vain), n_things, 2), np.inf)
    for stood_T2, attempt in zip(stood_VT2, vain, strict=True):
        stood_T2[attempt.who] = attempt.others
    gone_T = np.ones(n_things, bool)
    gone_T[who_J] = False
    place_V2 = np.array([attempt.place for attempt in vain]).reshape(-1, 2)
    return Past(place_V2, stood_VT2[:, who_J], stood_VT2[:, gone_T])
