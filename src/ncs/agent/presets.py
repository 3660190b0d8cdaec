"""What the two presets stand for: the paper's settings, or every extension on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ncs.control.config import ControlConfig
from ncs.control.extensions import EYES
from ncs.graph.config import GraphConfig
from ncs.records import Preset

PRESETS: tuple[Preset, ...] = ("best", "paper")
# Extensions of how a model infers slots; a model that has no such addition takes no notice.
SIGHT = (*EYES, "presence")


def sight(preset: Preset, without: Sequence[str] = (), only: Sequence[str] = ()) -> tuple[str, ...]:
    """The additions a model infers slots with: none in the paper's preset, all in the other."""
    on = {*only, *(SIGHT if preset == "best" else ())} - {*without}
    return tuple(name for name in SIGHT if name in on)


def of_control(names: Sequence[str]) -> list[str]:
    """The extensions among some that control has to know."""
    return [name for name in names if name not in EYES]


def control_preset(preset: Preset) -> ControlConfig:
    """The control settings of a preset."""
    return ControlConfig.paper() if preset == "paper" else ControlConfig.best()


@dataclass(frozen=True)
class Manner:
    """How an agent plays: a preset, and what is to be otherwise."""

    preset: Preset = "best"
    without: Sequence[str] = ()  # extensions that are off
    only: Sequence[str] = ()  # extensions that are on in the paper's preset
    choice: Literal["sample", "argmax"] | None = None  # None: the preset's way

    @property
    def control(self) -> ControlConfig:
        """How it decides."""
        changes = of_control(self.without), of_control(self.only), self.choice
        return control_preset(self.preset).changed(*changes)

    @property
    def sight(self) -> tuple[str, ...]:
        """What is added to how a model infers slots."""
        return sight(self.preset, self.without, self.only)


def graph_preset(preset: Preset, world: str) -> GraphConfig:
    """The graph settings of a preset."""
    return GraphConfig.paper(world) if preset == "paper" else GraphConfig.best(world)
