"""The action that takes an entity from one state to another, as far as the graph knows one.

Legend: M nodes, S state channels.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ncs.control.config import ControlConfig
from ncs.graph.bind import bind
from ncs.graph.distances import Floats
from ncs.graph.paths import next_node
from ncs.graph.places import locate
from ncs.records import Graph

Distrusted = frozenset[tuple[str, int, int]]


@dataclass(frozen=True)
class Step:
    """One action between nodes."""

    kind: str  # "edge", "composed", "path" or "residual"
    action: NDArray[np.float32]  # (6,)
    node_from: int
    node_to: int  # where this action leads
    node_goal: int  # where the entity should end
    support: int  # transitions the edge was seen in


def find_step(
    graph: Graph,
    state_S: Floats,
    target_S: Floats,
    config: ControlConfig,
    distrusted: Distrusted = frozenset(),
    in_use_M: NDArray[np.bool_] | None = None,
) -> Step | None:
    """The best known action towards a target; None where the graph has none that is trusted.

    Args:
        graph: Where to look.
        state_S: State of the entity.
        target_S: State it should reach.
        config: Which extensions may be used.
        distrusted: Kinds of action between nodes that have failed.
        in_use_M: Nodes that a path may not stop at.
    """
    if len(graph.node) == 0:
        return None
    node_from, node_goal = (
        int(node) for node in bind(np.stack([state_S, target_S]), graph.node, graph.bind_metric)
    )
    step = None
    for find in finders(config):
        step = find(graph, node_from, node_goal, config, distrusted, in_use_M)
        if step is not None and (step.kind, node_from, step.node_to) not in distrusted:
            break
        step = None
    if step is None or not config.residual or len(graph.world) == 0:
        return step
    if ("residual", node_from, step.node_to) in distrusted:
        # Aiming was what failed. Within one node the plain action leads nowhere.
        return step if node_from != step.node_to else None
    return aim(graph, step, state_S, target_S)


Finder = Callable[
    [Graph, int, int, ControlConfig, Distrusted, NDArray[np.bool_] | None], Step | None
]


def finders(config: ControlConfig) -> list[Finder]:
    """Ways to find an action, in the order they are tried."""
    found: list[Finder] = [seen_edge]
    if config.composed:
        found.append(composed_edge)
    if config.shortest_path:
        found.append(first_of_path)
    return found


def seen_edge(
    graph: Graph,
    node_from: int,
    node_goal: int,
    config: ControlConfig,
    distrusted: Distrusted,
    in_use_M: NDArray[np.bool_] | None,
) -> Step | None:
    """The action of the edge between the two nodes, as in the paper."""
    action_6 = graph.action[node_from, node_goal]
    if np.isnan(action_6).any():
        return None
    support = int(graph.count[node_from, node_goal])
    return Step("edge", action_6, node_from, node_goal, node_goal, support)


def composed_edge(
    graph: Graph,
    node_from: int,
    node_goal: int,
    config: ControlConfig,
    distrusted: Distrusted,
    in_use_M: NDArray[np.bool_] | None,
) -> Step | None:
    """An action that picks as from the one node and places as at the other."""
    if node_from == node_goal and not (config.residual and len(graph.world)):
        return None
    pick_3, place_3 = position(graph, node_from, "pick"), position(graph, node_goal, "place")
    if np.isnan(pick_3).any() or np.isnan(place_3).any():
        return None
    action_6 = np.concatenate([pick_3, place_3 - pick_3]).astype(np.float32)
    return Step("composed", action_6, node_from, node_goal, node_goal, 0)


def position(graph: Graph, node: int, end: str) -> NDArray[np.float32]:
    """World position (3,) of a node: by the moves that end there this way, else by the others."""
    first, second = (graph.pick, graph.place) if end == "pick" else (graph.place, graph.pick)
    if len(first) == 0:
        return np.full(3, np.nan, np.float32)
    position_3: NDArray[np.float32] = (second if np.isnan(first[node]).any() else first)[node]
    return position_3


def first_of_path(
    graph: Graph,
    node_from: int,
    node_goal: int,
    config: ControlConfig,
    distrusted: Distrusted,
    in_use_M: NDArray[np.bool_] | None,
) -> Step | None:
    """The first edge of the shortest path to the goal's node."""
    usable_MM = graph.count > 0
    if in_use_M is not None:
        usable_MM = usable_MM & ~in_use_M
        usable_MM[:, node_goal] = graph.count[:, node_goal] > 0
    for kind, i, j in distrusted:
        if kind in ("edge", "path"):
            usable_MM[i, j] = False
    # Support only breaks ties: no path has so many edges that their fractions make up one.
    weight_MM = np.where(usable_MM, 1.0 + 1.0 / (len(graph.node) * (1.0 + graph.count)), 0.0)
    node = next_node(csr_array(weight_MM), node_from, node_goal)
    if node is None:
        return None
    step = seen_edge(graph, node_from, node, config, distrusted, None)
    return None if step is None else replace(step, kind="path", node_goal=node_goal)


def aim(graph: Graph, step: Step, state_S: Floats, target_S: Floats) -> Step:
    """The same step picked and placed where the states are, rather than where the nodes are."""
    # On the way along a path the next node is the target.
    there_S = target_S if step.node_to == step.node_goal else graph.node[step.node_to]
    exact_23 = locate(np.stack([state_S, there_S]), graph.world)
    exact_23 = exact_23 + graph.offset[[step.node_from, step.node_to]]
    action_6 = np.concatenate([exact_23[0], exact_23[1] - exact_23[0]]).astype(np.float32)
    return replace(step, kind="residual", action=action_6)
