"""Room 5 of 8. Takes entities, a goal and a Graph, gives an action."""

from ncs.control.act import decide
from ncs.control.config import ControlConfig
from ncs.control.decision import Decision, Memory, explain
from ncs.control.policy import GraphPolicy

__all__ = ["ControlConfig", "Decision", "GraphPolicy", "Memory", "decide", "explain"]
