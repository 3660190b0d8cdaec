"""What the two presets stand for: the paper's settings, or every extension on."""

from typing import Literal

from ncs.control.config import ControlConfig
from ncs.graph.config import GraphConfig

Preset = Literal["paper", "best"]


def control_preset(preset: Preset) -> ControlConfig:
    """The control settings of a preset."""
    return ControlConfig.paper() if preset == "paper" else ControlConfig.best()


def graph_preset(preset: Preset, world: str) -> GraphConfig:
    """The graph settings of a preset."""
    return GraphConfig.paper(world) if preset == "paper" else GraphConfig.best(world)
