"""Scores by hand-made tables."""

import math

import numpy as np
import pytest

from ncs.evaluation.metrics import fractional_success, over_seeds


@pytest.mark.parametrize(
    ("satisfied", "constraints", "final", "best"),
    [
        ([0, 1, 2, 3, 4], 4, 1.0, 1.0),
        ([0, 0, 0], 4, 0.0, 0.0),
        ([0, 1, 2, 1], 4, 0.25, 0.5),  # a constraint won and lost again
        ([3, 2, 4], 7, 0.25, 0.25),  # three of seven hold at the start
        ([3, 2], 7, -0.25, 0.0),  # what held was broken
        ([2], 2, 1.0, 1.0),  # nothing to do
        ([2, 1], 2, 0.0, 1.0),
    ],
)
def test_fractional_success(
    satisfied: list[int], constraints: int, final: float, best: float
) -> None:
    score = fractional_success(np.array(satisfied, np.int32), constraints)
    assert (score.final, score.best) == (final, best)


def test_the_error_is_over_seeds_not_over_episodes() -> None:
    estimate = over_seeds({0: [1.0, 0.0], 1: [1.0, 1.0], 2: [0.0, 0.0]})
    assert estimate.mean == pytest.approx(0.5)
    assert estimate.error == pytest.approx(0.5 / math.sqrt(3))
    assert (estimate.seeds, estimate.episodes) == (3, 6)


def test_one_seed_has_no_error() -> None:
    assert over_seeds({4: [0.2, 0.4]}).error == 0.0
