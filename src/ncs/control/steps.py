"""The action that takes an entity from one state to another, as far as the graph knows one.

Legend: M nodes, S state channels.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ncs.control.config import ControlConfig
from ncs.control.room import SHIFTS, Room, escape, off_border
from ncs.graph.bind import bind
from ncs.graph.distances import Floats
from ncs.graph.paths import next_node
from ncs.graph.places import locate
from ncs.records import Graph

# Vain attempts after which every point that would satisfy the constraint may be tried.
FULL_REACH = 4


@dataclass(frozen=True)
class Step:
    """One action between nodes."""

    kind: str  # "edge", "composed", "path" or "residual"
    action: NDArray[np.float32]  # (6,)
    node_from: int
    node_to: int  # where this action leads
    node_goal: int  # where the entity should end
    support: int  # transitions the edge was seen in


@dataclass(frozen=True)
class Caution:
    """What failure has taught about a move."""

    distrusted: frozenset[tuple[str, int, int]] = frozenset()  # kind of action, from, to
    vain: int = 0  # attempts at this goal that failed
    in_use: NDArray[np.bool_] | None = None  # (M,) nodes that a path may not stop at
    room: Room | None = None  # what is near, where it is to be avoided


def find_step(
    graph: Graph,
    state_S: Floats,
    target_S: Floats,
    config: ControlConfig,
    caution: Caution,
    rng: np.random.Generator,
) -> Step | None:
    """The best known action towards a target; None where the graph has none that is trusted.

    Exact places are aimed at first. If that fails the nodes' own places are tried, where things
    have stood before, and then, in turn, other points that would still satisfy the constraint.
    """
    if len(graph.node) == 0:
        return None
    node_from, node_goal = (
        int(node) for node in bind(np.stack([state_S, target_S]), graph.node, graph.bind_metric)
    )
    direct = [seen_edge(graph, node_from, node_goal)]
    if config.composed:
        direct.append(composed_edge(graph, node_from, node_goal, config))
    known = [step for step in direct if step is not None]
    trusted = [s for s in known if (s.kind, node_from, node_goal) not in caution.distrusted]
    if config.residual and len(graph.world) and known:
        plain = trusted and node_from != node_goal and caution.vain % 2 == 1
        reach = graph.still * min(1.0, caution.vain / FULL_REACH)
        if caution.room is not None and caution.vain <= len(SHIFTS):
            shift = 0.0 if caution.vain == 0 else SHIFTS[caution.vain - 1]
            plain, reach = trusted and node_from != node_goal and shift is None, 0.0
            if not plain:
                return dodge(graph, known[0], state_S, target_S, caution.room, shift or 0.0)
        return trusted[0] if plain else aim(graph, known[0], state_S, target_S, reach, rng)
    if trusted:
        return trusted[0]
    step = first_of_path(graph, node_from, node_goal, caution) if config.shortest_path else None
    if step is not None and config.residual and len(graph.world):
        return aim(graph, step, state_S, target_S, 0.0, rng)
    return step


def seen_edge(graph: Graph, node_from: int, node_goal: int) -> Step | None:
    """The action of the edge between two nodes, as in the paper."""
    action_6 = graph.action[node_from, node_goal]
    if np.isnan(action_6).any():
        return None
    support = int(graph.count[node_from, node_goal])
    return Step("edge", action_6, node_from, node_goal, node_goal, support)


def composed_edge(
    graph: Graph, node_from: int, node_goal: int, config: ControlConfig
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


def first_of_path(graph: Graph, node_from: int, node_goal: int, caution: Caution) -> Step | None:
    """The first edge of the shortest trusted path to the goal's node."""
    usable_MM = graph.count > 0
    if caution.in_use is not None:
        usable_MM = usable_MM & ~caution.in_use
        usable_MM[:, node_goal] = graph.count[:, node_goal] > 0
    for kind, i, j in caution.distrusted:
        if kind in ("edge", "path"):
            usable_MM[i, j] = False
    # Support only breaks ties: no path has so many edges that their fractions make up one.
    weight_MM = np.where(usable_MM, 1.0 + 1.0 / (len(graph.node) * (1.0 + graph.count)), 0.0)
    node = next_node(csr_array(weight_MM), node_from, node_goal)
    step = None if node is None else seen_edge(graph, node_from, node)
    return None if step is None else replace(step, kind="path", node_goal=node_goal)


def aim(
    graph: Graph,
    step: Step,
    state_S: Floats,
    target_S: Floats,
    reach: float,
    rng: np.random.Generator,
) -> Step:
    """The same step picked and placed where the states are, rather than where the nodes are.

    Args:
        graph: Holds the regression from states to the world.
        step: What to aim.
        state_S: State of the entity.
        target_S: State it should reach; on the way along a path the next node is the target.
        reach: How far from the target to try another point, and half as far from the entity.
        rng: Source of that point.
    """
    there_S = target_S if step.node_to == step.node_goal else graph.node[step.node_to]
    ends_2S = np.stack([stray(state_S, reach / 2, rng), stray(there_S, reach, rng)])
    exact_23 = locate(ends_2S, graph.world) + graph.offset[[step.node_from, step.node_to]]
    exact_23[1] = inward(exact_23[1], graph)
    action_6 = np.concatenate([exact_23[0], exact_23[1] - exact_23[0]]).astype(np.float32)
    return replace(step, kind="residual", action=action_6)


def dodge(
    graph: Graph, step: Step, state_S: Floats, target_S: Floats, room: Room, shift: float
) -> Step:
    """The step aimed off the border, and beside its target where there is more room.

    Args:
        graph: Holds the regression from states to the world.
        step: What to aim.
        state_S: State of the entity.
        target_S: State it should reach.
        room: What is near.
        shift: How far beside, as a share of the distance at which a constraint holds.
    """
    target_S = np.asarray(target_S)
    # The distance is one of states; along the diagonal of all channels it makes so many metres.
    far_S = target_S + graph.still / np.sqrt(len(target_S))
    ends_33 = locate(np.stack([np.asarray(state_S), target_S, far_S]), graph.world)
    holds = float(np.linalg.norm(ends_33[2, :2] - ends_33[1, :2]))
    pick_3 = ends_33[0] + graph.offset[step.node_from]
    place_3 = off_border(ends_33[1] + graph.offset[step.node_to], room.arena, graph.error)
    place_3[:2] += shift * holds * escape(place_3[:2], room)
    action_6 = np.concatenate([pick_3, place_3 - pick_3]).astype(np.float32)
    return replace(step, kind="residual", action=action_6)


def stray(state_S: Floats, reach: float, rng: np.random.Generator) -> Floats:
    """A state drawn uniformly from the ball around another."""
    if reach <= 0:
        return state_S
    direction_S = rng.normal(size=len(state_S))
    length = reach * rng.random() ** (1 / len(state_S))
    return np.asarray(state_S + length * direction_S / np.linalg.norm(direction_S))


def inward(place_3: Floats, graph: Graph) -> Floats:
    """A place drawn towards the middle of all places by as much as aiming usually misses.

    Beyond the outermost places there is nothing: a miss outwards fails, one inwards does not.
    """
    to_middle_3 = np.nanmean(graph.place, axis=0) - place_3
    distance = float(np.linalg.norm(to_middle_3))
    return np.asarray(place_3 + to_middle_3 * min(1.0, graph.error / max(distance, 1e-9)))
