"""Models by name."""

import pytest
from tests.tiny_world import Tiny, TinyConfig

from ncs.model.registry import build_model, find_model
from ncs.records import ConfigError
from ncs.settings import Settings


def test_a_registered_model_is_found_and_built() -> None:
    assert find_model("tiny").model is Tiny
    assert isinstance(build_model("tiny", TinyConfig()), Tiny)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no 'gpt', choose one of dslate, placed"):
        find_model("gpt")


def test_settings_of_another_model_are_refused() -> None:
    with pytest.raises(ConfigError, match="tiny takes TinyConfig, got Settings"):
        build_model("tiny", Settings())
