"""Room 7 of 12. Takes what was trained, gives a player: model, graph and control in one."""

from ncs.agent.agent import Agent
from ncs.agent.build_graph import GraphBuilder, GraphPlan
from ncs.agent.perceive import Perception, see_clips
from ncs.agent.policy import SeeingPolicy
from ncs.agent.presets import Manner, Preset, control_preset, graph_preset
from ncs.agent.shelf import default_model, shipped_model
from ncs.agent.trained import Trained, TrainedModel, arena, graph_path

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
