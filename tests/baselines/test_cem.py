"""The cross-entropy method."""

import math

import pytest
import torch

from ncs.baselines import cem
from ncs.baselines.cem import CemConfig, minimise, sample

LOW, HIGH = torch.tensor([-1.0, -2.0, 0.0]), torch.tensor([1.0, 2.0, 0.5])


def test_the_paper_has_thirteen_elites_of_250():
    config = CemConfig()
    assert (config.iterations, config.population, config.elites) == (10, 250, 13)


def test_it_finds_the_bottom_of_a_bowl():
    bottom = torch.tensor([0.3, -1.1, 0.4])
    found = minimise(
        lambda x: (x - bottom).square().sum(dim=1),
        (LOW + HIGH) / 2,
        LOW,
        HIGH,
        CemConfig(iterations=20),
        torch.Generator().manual_seed(0),
    )
    torch.testing.assert_close(found, bottom, atol=0.02, rtol=0)


def test_candidates_stay_within_bounds_and_two_deviations():
    mean = torch.tensor([0.9, 0.0, 0.25])
    variance = torch.tensor([4.0, 0.01, 4.0])
    drawn = sample(mean, variance, LOW, HIGH, 4000, torch.Generator().manual_seed(0))
    assert (drawn >= LOW - 1e-6).all()
    assert (drawn <= HIGH + 1e-6).all()
    assert (drawn[:, 1].abs() <= 0.2).all()
    # A normal distribution cut at two deviations has .8796 of the deviation it had.
    expected = 0.8796 * torch.tensor([0.05, 0.1, 0.125])
    torch.testing.assert_close(drawn.std(dim=0), expected, rtol=0.05, atol=0)
    torch.testing.assert_close(drawn.mean(dim=0), mean, rtol=0, atol=0.01)


def test_rounds_are_those_of_mbrl_lib_on_the_same_candidates(monkeypatch):
    generator = torch.Generator().manual_seed(3)
    batches = [torch.rand(20, 3, generator=generator) for _ in range(2)]
    asked = []

    def remembered(mean, variance, *_):
        asked.append((mean, variance))
        return batches[len(asked) - 1]

    monkeypatch.setattr(cem, "sample", remembered)
    config = CemConfig(iterations=2, population=20, elite_ratio=0.11, keep=0.1)
    start = (LOW + HIGH) / 2
    found = minimise(lambda x: x[:, 0], start, LOW, HIGH, config, generator)
    mean, variance = start, ((HIGH - LOW) ** 2) / 16
    for (asked_mean, asked_variance), batch in zip(asked, batches, strict=True):
        torch.testing.assert_close(asked_mean, mean)
        torch.testing.assert_close(asked_variance, variance)
        elite = batch[batch[:, 0].argsort()][:3]  # a share of .11 of 20, rounded up
        mean = 0.1 * mean + 0.9 * elite.mean(dim=0)
        variance = 0.1 * variance + 0.9 * elite.var(dim=0, unbiased=False)
    torch.testing.assert_close(found, mean)


def test_a_cost_that_is_no_number_is_the_worst():
    def cost(x):
        return torch.where(x[:, 0] > 0, torch.nan, x[:, 0].square())

    found = minimise(
        cost, (LOW + HIGH) / 2, LOW, HIGH, CemConfig(), torch.Generator().manual_seed(0)
    )
    assert found[0] == pytest.approx(0, abs=0.1)
    assert not math.isnan(found.sum())
