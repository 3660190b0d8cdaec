"""Pure scores: fractional success of an episode, and its mean and error over seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Score:
    """Fractional success of one episode."""

    final: float  # at the end
    best: float  # at its best moment, the start included


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds."""

    mean: float
    error: float  # standard error over seeds; 0 with a single seed
    seeds: int
    episodes: int


def fractional_success(satisfied_T: NDArray[np.int32], n_constraints: int) -> Score:
    """Change in satisfied constraints over those unsatisfied at the start.

    An episode that starts with nothing to do counts as solved as long as it stays so.
    """
    unsatisfied = n_constraints - int(satisfied_T[0])
    if unsatisfied == 0:
        return Score(float(satisfied_T[-1] == n_constraints), 1.0)
    gain_T = (satisfied_T - satisfied_T[0]) / unsatisfied
    return Score(float(gain_T[-1]), float(gain_T.max()))


def over_seeds(scores_by_seed: Mapping[int, Sequence[float]]) -> Estimate:
    """Mean of the seeds' means, with its standard error."""
    means = np.array([np.mean(scores) for _, scores in sorted(scores_by_seed.items())])
    n_seeds = len(means)
    error = float(means.std(ddof=1) / np.sqrt(n_seeds)) if n_seeds > 1 else 0.0
    n_episodes = sum(len(scores) for scores in scores_by_seed.values())
    return Estimate(float(means.mean()), error, n_seeds, n_episodes)
