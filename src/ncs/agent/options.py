"""What may be asked of a method, checked once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ncs.agent.shelf import default_model
from ncs.baselines import MODELS
from ncs.records import ConfigError, Preset
from ncs.settings import Settings

RIVALS = tuple(MODELS)  # have a policy of their own, made by 'ncs train-rival'


class MethodOptions(Settings):
    """What may be asked of a method; none takes all of it."""

    world: str
    label: str = ""
    model: Path | None = None
    preset: Preset = "best"
    graph: Path | None = None  # instead of the preset's
    slots: int | None = Field(None, ge=1, le=64)  # instead of the preset's
    without: tuple[str, ...] = ()  # extensions to switch off
    only: tuple[str, ...] = ()  # extensions to switch on
    choice: Literal["sample", "argmax"] | None = None
    settings: Mapping[str, Any] = Field(default_factory=dict)  # others, by name

    def given(self) -> set[str]:
        """Names of those that were asked for, but for those that all methods take."""
        usual = type(self)(world=self.world, label=self.label)
        return {name for name, value in self if value != getattr(usual, name)}

    def folder(self, name: str) -> Path:
        """The folder that was named, or the world's own where a method looks through a model."""
        if self.model is None and name in RIVALS:
            raise ConfigError(f"model: {name} needs one; make it with 'ncs train-rival'")
        return self.model or default_model(self.world)
