"""Where actions may reach, and an action that knows nothing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Floats


@dataclass(frozen=True)
class Arena:
    """A rectangle of a world's floor."""

    low: Floats  # (2,) metres
    high: Floats  # (2,) metres
    height: float  # z of every pick and place: it is fixed in these worlds


def random_action(arena: Arena, rng: np.random.Generator) -> NDArray[np.float32]:
    """An action (6,) whose pick and place are both drawn uniformly from the arena."""
    pick_2, place_2 = rng.uniform(arena.low, arena.high, (2, 2))
    return np.array([*pick_2, arena.height, *(place_2 - pick_2), 0.0], np.float32)


def idle_action(arena: Arena) -> NDArray[np.float32]:
    """An action (6,) that puts back whatever it picks."""
    middle_2 = (np.asarray(arena.low) + arena.high) / 2
    return np.array([*middle_2, arena.height, 0.0, 0.0, 0.0], np.float32)
