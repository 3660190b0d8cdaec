"""Slots that stand for nothing are neither matched nor chosen.

Legend: K slots.
"""

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.algorithm import Steps
from ncs.control.decision import Pairs, Problem
from ncs.records import Entities

FIELDS = tuple(field.name for field in fields(Entities))


def extend(steps: Steps) -> Steps:
    """Steps that align only what is present."""

    def align(problem: Problem) -> Pairs:
        goal_K, now_J = (np.flatnonzero(side.presence) for side in (problem.goal, problem.now))
        goal, now = some(problem.goal, goal_K), some(problem.now, now_J)
        pairs = steps.align(replace(problem, goal=goal, now=now))
        return replace(pairs, goal=goal_K[pairs.goal], now=now_J[pairs.now])

    return replace(steps, align=align)


def some(entities: Entities, kept: NDArray[np.int64]) -> Entities:
    """The entities of some slots."""
    arrays = (getattr(entities, name) for name in FIELDS)
    if len(kept) and kept[-1] == len(kept) - 1:  # the first so many need not be copied
        return Entities(*(array[: len(kept)] for array in arrays))
    # A model that does not say how sure it is has no confidence to take from.
    return Entities(*(array[kept] if len(array) else array for array in arrays))
