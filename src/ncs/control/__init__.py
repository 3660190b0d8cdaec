"""Room 6 of 12. Takes entities, a goal and a Graph, gives an action."""

from ncs.control.act import decide
from ncs.control.config import ControlConfig
from ncs.control.decision import Decision, Memory, explain
from ncs.control.policy import GraphPolicy

__all__ = ["ControlConfig", "Decision", "GraphPolicy", "Memory", "decide", "explain"]
