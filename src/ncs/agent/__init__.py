"""Room 7 of 12. Takes what was trained, gives a player: model, graph and control in one."""

from ncs.agent.agent import Agent
from ncs.agent.perceive import Eye, watch
from ncs.agent.presets import Preset, control_preset, graph_preset
from ncs.agent.trained import (
    PAPER_SPARE,
    Mind,
    arena,
    default_model,
    graph_path,
    graph_slots,
    shipped_model,
)

__all__ = [
    "PAPER_SPARE",
    "Agent",
    "Eye",
    "Mind",
    "Preset",
    "arena",
    "control_preset",
    "default_model",
    "graph_path",
    "graph_preset",
    "graph_slots",
    "shipped_model",
    "watch",
]
