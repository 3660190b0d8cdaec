"""The cross-entropy method, with the formulas of mbrl-lib that the paper's MPC was built on.

Legend: P population, E elites, D numbers of one candidate.
"""

import math
from collections.abc import Callable

import torch
from pydantic import Field
from torch import Tensor

from ncs.settings import Settings

TAIL = 2.0  # samples lie within so many standard deviations


class CemConfig(Settings):
    """How a plan is searched for; the first three are the paper's."""

    iterations: int = Field(10, ge=1, le=1000)
    population: int = Field(250, ge=2, le=100_000)
    elite_ratio: float = Field(0.05, gt=0, le=1)
    keep: float = Field(0.1, ge=0, lt=1)  # of the old mean and variance; mbrl-lib's examples

    @property
    def elites(self) -> int:
        """Candidates that the next round is drawn after."""
        return math.ceil(self.population * self.elite_ratio)


def minimise(
    cost: Callable[[Tensor], Tensor],
    start_D: Tensor,
    low_D: Tensor,
    high_D: Tensor,
    config: CemConfig,
    generator: torch.Generator,
) -> Tensor:
    """The mean (D,) of the last round's elites.

    Args:
        cost: Gives the cost (P,) of candidates (P, D); one that is no number is the worst.
        start_D: Mean of the first round.
        low_D: Least value of each number.
        high_D: Greatest value of each number.
        config: How to search.
        generator: Where the candidates come from.
    """
    mean_D, variance_D = start_D, ((high_D - low_D) / 4).square()
    for _ in range(config.iterations):
        candidate_PD = sample(mean_D, variance_D, low_D, high_D, config.population, generator)
        cost_P = cost(candidate_PD).nan_to_num(nan=math.inf)
        elite_ED = candidate_PD[cost_P.topk(config.elites, largest=False).indices]
        mean_D = config.keep * mean_D + (1 - config.keep) * elite_ED.mean(dim=0)
        new_D = elite_ED.var(dim=0, correction=0)
        variance_D = config.keep * variance_D + (1 - config.keep) * new_D
    return mean_D


def sample(
    mean_D: Tensor,
    variance_D: Tensor,
    low_D: Tensor,
    high_D: Tensor,
    population: int,
    generator: torch.Generator,
) -> Tensor:
    """Candidates (P, D) from a normal distribution cut at two deviations.

    Where a bound is nearer than that, the deviation is made smaller, so all lie within bounds.
    """
    room_D = torch.minimum(mean_D - low_D, high_D - mean_D).clamp(min=0) / TAIL
    deviation_D = torch.minimum(variance_D.sqrt(), room_D)
    inside = math.erf(TAIL / math.sqrt(2))
    share_PD = torch.rand((population, len(mean_D)), generator=generator, dtype=torch.float64)
    normal_PD = math.sqrt(2) * torch.erfinv(inside * (2 * share_PD - 1))
    return mean_D + normal_PD.to(mean_D.dtype) * deviation_D
