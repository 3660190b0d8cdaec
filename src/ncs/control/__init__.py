"""Room 6 of 12. Takes entities, a goal and a Graph, gives an action."""

from ncs.control.algorithm import Steps, decide
from ncs.control.config import ControlConfig
from ncs.control.decision import Decision, Problem
from ncs.control.explain import describe
from ncs.control.policy import GraphPolicy

__all__ = ["ControlConfig", "Decision", "GraphPolicy", "Problem", "Steps", "decide", "describe"]
