"""Models from a name and settings."""

import pytest
from tests.tiny_world import Tiny, TinyConfig

from ncs.model.build import build_model
from ncs.records import ConfigError
from ncs.settings import Settings


def test_a_model_is_built_from_its_own_settings() -> None:
    assert isinstance(build_model("tiny", TinyConfig()), Tiny)


def test_settings_of_another_model_are_refused() -> None:
    with pytest.raises(ConfigError, match="tiny takes TinyConfig, got Settings"):
        build_model("tiny", Settings())
