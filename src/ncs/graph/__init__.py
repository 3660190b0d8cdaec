"""Room 5 of 12. Takes entity transitions, gives a Graph."""

from ncs.graph.arena import Arena
from ncs.graph.build import build
from ncs.graph.config import GraphConfig
from ncs.graph.isolate import Experience
from ncs.graph.store import load_graph, save_graph

__all__ = ["Arena", "Experience", "GraphConfig", "build", "load_graph", "save_graph"]
