"""Where actions may reach, and an action that knows nothing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Floats


@dataclass(frozen=True)
class Arena:
    """A box of a world; along an axis that does not matter it is flat."""

    low: Floats  # (3,) metres
    high: Floats  # (3,) metres
    tolerance: float = 0.0  # metres by which a place may miss; 0 where that is not known

    @property
    def height(self) -> float:
        """The z of its middle: that of every pick and place where height does not matter."""
        return float(self.low[2] + self.high[2]) / 2


def random_action(arena: Arena, rng: np.random.Generator) -> NDArray[np.float32]:
    """An action (6,) whose pick and place are both drawn uniformly from the arena."""
    low_3, high_3 = np.asarray(arena.low), np.asarray(arena.high)
    open_3 = high_3 > low_3  # nothing is drawn where there is nothing to choose
    ends_23 = np.stack([low_3, low_3])
    ends_23[:, open_3] = rng.uniform(low_3[open_3], high_3[open_3], (2, int(open_3.sum())))
    return np.concatenate([ends_23[0], ends_23[1] - ends_23[0]]).astype(np.float32)


def idle_action(arena: Arena) -> NDArray[np.float32]:
    """An action (6,) that puts back whatever it picks."""
    middle_3 = (np.asarray(arena.low) + arena.high) / 2
    return np.concatenate([middle_3, np.zeros(3)]).astype(np.float32)
