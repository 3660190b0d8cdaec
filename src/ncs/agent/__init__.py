"""Room 7 of 12. Takes what was trained, gives a player: model, graph and control in one.

Names are imported when they are asked for: who judges chance needs no network.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ncs.agent.agent import Agent
    from ncs.agent.build_graph import GraphBuilder, GraphPlan
    from ncs.agent.perceive import Perception, see_clips
    from ncs.agent.policy import SeeingPolicy
    from ncs.agent.presets import Manner, control_preset, graph_preset
    from ncs.agent.shelf import default_model, shipped_model
    from ncs.agent.trained import Trained, TrainedModel, arena, graph_path
    from ncs.records import Preset

HOMES = {
    "Agent": "ncs.agent.agent",
    "GraphBuilder": "ncs.agent.build_graph",
    "GraphPlan": "ncs.agent.build_graph",
    "Manner": "ncs.agent.presets",
    "Perception": "ncs.agent.perceive",
    "Preset": "ncs.records",
    "SeeingPolicy": "ncs.agent.policy",
    "Trained": "ncs.agent.trained",
    "TrainedModel": "ncs.agent.trained",
    "arena": "ncs.agent.trained",
    "control_preset": "ncs.agent.presets",
    "default_model": "ncs.agent.shelf",
    "graph_path": "ncs.agent.trained",
    "graph_preset": "ncs.agent.presets",
    "see_clips": "ncs.agent.perceive",
    "shipped_model": "ncs.agent.shelf",
}
__all__ = [
    "Agent",
    "GraphBuilder",
    "GraphPlan",
    "Manner",
    "Perception",
    "Preset",
    "SeeingPolicy",
    "Trained",
    "TrainedModel",
    "arena",
    "control_preset",
    "default_model",
    "graph_path",
    "graph_preset",
    "see_clips",
    "shipped_model",
]


def __getattr__(name: str) -> Any:
    """A name of this room, from the file it lives in."""
    if name not in HOMES:
        raise AttributeError(f"ncs.agent has no {name!r}")
    return getattr(importlib.import_module(HOMES[name]), name)
