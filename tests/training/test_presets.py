"""Presets: the paper's is the paper's, and all of them can be read back."""

from typing import get_args

import pytest

from ncs.records import ConfigError
from ncs.training.presets import Preset, preset
from ncs.training.schedule import TrainConfig


@pytest.mark.parametrize("name", get_args(Preset))
def test_every_preset_survives_a_round_trip(name: str) -> None:
    config = preset(name)
    assert TrainConfig(**config.model_dump(mode="json")) == config


def test_the_papers_preset_has_the_papers_numbers() -> None:
    config = preset("paper")
    assert (config.model, config.batch) == ("dslate", 32)
    assert config.steps == 200 * 5000 // 32
    assert (config.clip_order, config.clip_norm, config.decay_share) == ("linf", 1.0, 0.0)


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no 'huge', choose one of paper, cpu, fast"):
        preset("huge")
