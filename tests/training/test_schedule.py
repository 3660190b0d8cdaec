"""What each step of a run gets depends on its settings and the step alone."""

import numpy as np
import pytest
import torch
from tests.tiny_world import TinyConfig, tiny_config

from ncs.records import ConfigError
from ncs.training.schedule import (
    TrainConfig,
    draw_clips,
    rate,
    stream,
    torch_seeded,
    training_clips,
)


def test_every_training_clip_comes_once_an_epoch_and_no_other() -> None:
    config = tiny_config(batch=4)
    seen = np.concatenate([draw_clips(config, 10, 5, step).index for step in range(10)])
    for epoch in range(4):
        assert sorted(seen[10 * epoch : 10 * epoch + 10]) == list(range(10))


def test_held_out_clips_are_the_last_and_are_never_drawn() -> None:
    config = tiny_config(holdout=0.25)
    assert training_clips(config, 10) == 7
    drawn = np.concatenate([draw_clips(config, 7, 5, step).index for step in range(50)])
    assert drawn.max() == 6
    with pytest.raises(ConfigError, match="holdout"):
        training_clips(config, 1)


def test_windows_stay_inside_clips_and_reach_both_ends() -> None:
    config = tiny_config(clip_frames=2)
    first = np.concatenate([draw_clips(config, 10, 5, step).first for step in range(50)])
    assert set(first) == {0, 1, 2, 3}
    assert not draw_clips(tiny_config(), 10, 5, 0).first.any()


def test_draws_depend_on_seed_and_step_and_nothing_else() -> None:
    config = tiny_config()
    once, again = draw_clips(config, 99, 5, 7), draw_clips(config, 99, 5, 7)
    assert (once.index == again.index).all()
    assert (once.index != draw_clips(config, 99, 5, 8).index).any()
    assert (once.index != draw_clips(tiny_config(seed=1), 99, 5, 7).index).any()


def test_streams_of_longer_keys_are_not_those_of_shorter_ones() -> None:
    config = tiny_config()
    values = {stream(config, "noise", *key).random() for key in [(), (0,), (0, 0), (2**32,)]}
    assert len(values) == 4


def test_torchs_global_state_is_lent_and_given_back() -> None:
    before = torch.get_rng_state()
    with torch_seeded(3, torch.device("cpu")) as generator:
        first = torch.rand(2), torch.rand(2, generator=generator)
    assert torch.equal(torch.get_rng_state(), before)
    with torch_seeded(3, torch.device("cpu")) as generator:
        assert torch.equal(torch.rand(2), first[0])


@pytest.mark.parametrize(
    ("step", "expected"), [(0, 0.1), (4, 0.5), (9, 1.0), (59, 1.0), (80, 0.5), (100, 0.0)]
)
def test_rates_of_a_table(step: int, expected: float) -> None:
    config = tiny_config(steps=100, decay_share=0.4)
    assert rate(config, 1.0, 10, step) == pytest.approx(expected, abs=1e-9)


def test_rate_without_warmup_and_decay_is_the_peak() -> None:
    assert {rate(tiny_config(), 0.3, 0, step) for step in range(12)} == {0.3}


def test_settings_survive_a_round_trip_with_their_network() -> None:
    config = tiny_config(TinyConfig(width=8), average=0.9)
    again = TrainConfig(**config.model_dump(mode="json"))
    assert again == config
    assert isinstance(again.network, TinyConfig)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"batch": 5}, "shards: must divide batch 5"),
        ({"devices": 4, "batch": 4}, "devices: must divide shards 2"),
        ({"network": {"depth": 3}}, "network.depth: there is no such setting"),
        ({"network": 3}, "network: must be TinyConfig"),
        ({"model": "gpt"}, "model: there is no 'gpt'"),
        ({"steps": -1}, "steps: input should be greater than or equal to 0, got -1"),
    ],
)
def test_bad_settings_are_refused_by_name(values: dict[str, object], complaint: str) -> None:
    good = {"model": "tiny", "network": {}, "batch": 4}
    with pytest.raises(ConfigError, match=complaint.replace("(", r"\(")):
        TrainConfig(**{**good, **values})


def test_the_difference_of_two_runs_is_named() -> None:
    config = tiny_config()
    assert config.difference(tiny_config(checkpoint_every=1, threads=2)) is None
    other = tiny_config(TinyConfig(width=8))
    assert config.difference(other) == "network.width is 6 here and 8 there"
