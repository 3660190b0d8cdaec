"""Estimates: of the right size, and without a trace."""

from pathlib import Path

import pytest
import torch
from tests.tiny_world import Clock, TinyConfig, tiny_config

from ncs.data.buffer import open_buffer
from ncs.training.estimate import count_parameters, estimate
from ncs.training.learner import new_model


def test_time_is_that_of_the_slowest_part_times_parts_and_steps(
    tiny_buffer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("tests.tiny_world.time", clock)
    monkeypatch.setattr("ncs.training.estimate.time", clock)
    config = tiny_config(TinyConfig(pause=0.1), batch=8, shards=4, steps=1000)
    cost = estimate(config, open_buffer(tiny_buffer))
    assert cost.seconds_per_step == pytest.approx(0.4)
    assert cost.seconds == pytest.approx(1000 * cost.seconds_per_step)
    assert cost.frames_per_second == pytest.approx(40 / cost.seconds_per_step)
    assert cost.memory > 50e6
    assert cost.disk >= 3 * 4 * sum(cost.parameters.values())


def test_it_leaves_randomness_and_threads_alone(tiny_buffer: Path) -> None:
    before = torch.get_rng_state(), torch.get_num_threads()
    estimate(tiny_config(), open_buffer(tiny_buffer))
    assert torch.equal(torch.get_rng_state(), before[0])
    assert torch.get_num_threads() == before[1]


def test_parameters_are_counted_by_part() -> None:
    model = new_model(tiny_config())
    counts = count_parameters(model)
    assert counts == {"reader": 24, "painter": 21, "mover": 21, "unused": 6}
