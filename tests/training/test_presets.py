"""Presets: the paper's is the paper's, and all of them can be read back."""

from typing import get_args

import pytest

from ncs.records import ConfigError
from ncs.training.presets import Preset, altered, preset
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


def test_values_are_json_or_bare_words_and_what_is_not_asked_for_stays() -> None:
    usual = preset("cpu")
    settings = ["network.slot_width=64", "precision=bf16-mixed"]
    found = altered(usual, {"steps": 7, "batch": None}, settings)
    assert (found.steps, found.batch) == (7, usual.batch)
    assert (found.network.slot_width, found.precision) == (64, "bf16-mixed")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("net.width=7", "net.width: there is no such setting"), ("steps", "must be NAME=VALUE")],
)
def test_a_setting_that_is_none_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        altered(preset("cpu"), {}, [text])
