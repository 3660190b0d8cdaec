"""What a decision is made from: entities of scene and goal, as the switches let them be seen.

Legend: J entities of the scene and K of the goal (slots, or tracks where they are remembered),
D type channels, S state channels, M nodes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.control.align import Match, align, priced, type_costs
from ncs.control.config import ControlConfig
from ncs.control.decision import Attempt, Memory
from ncs.control.track import Expected, Tracks, follow
from ncs.graph.distances import Doubles, Floats, paired, pairwise
from ncs.records import Entities, Graph


@dataclass(frozen=True)
class Side:
    """The entities of one picture, or of all pictures of it so far."""

    kind: Floats  # (J, D)
    state: Floats  # (J, S)
    present: NDArray[np.bool_]  # (J,)
    slot: NDArray[np.int64]  # (J,) slot of the picture, -1 for one that is only remembered
    confidence: Doubles  # (J,) in [0, 1]
    tracks: Tracks | None


@dataclass(frozen=True)
class View:
    """Scene and goal side by side."""

    now: Side
    goal: Side
    cost: Doubles  # (K, J) of matching by type
    match: Match  # entity of the scene for each entity of the goal
    distance: Doubles  # (K,) between matched states, 0 where there is no match

    @property
    def matched(self) -> NDArray[np.int64]:
        """Entities of the goal that have a partner."""
        return np.flatnonzero(self.match.slot >= 0)


def states(entities: Entities, graph: Graph) -> Floats:
    """The field of entities that the graph's nodes stand for, (K, S)."""
    return entities.mask if graph.representation == "alpha" else entities.state


def near(graph: Graph) -> float:
    """How close two states are when they claim the same place.

    Half the gap that entities keep from each other: nearer than that, one of two is in the way.
    """
    return max(graph.still, graph.gap / 2)


def present(entities: Entities, config: ControlConfig) -> NDArray[np.bool_]:
    """Slots (K,) that take part."""
    return entities.presence if config.presence else np.ones_like(entities.presence)


def confidence(entities: Entities) -> Doubles:
    """How sure each slot is (K,); full confidence where the model does not say."""
    if len(entities.confidence) != len(entities.presence):
        return np.ones(len(entities.presence))
    return np.asarray(entities.confidence, np.float64)


def look(
    now: Entities, goal: Entities, graph: Graph, config: ControlConfig, memory: Memory
) -> View:
    """Scene and goal with their entities matched."""
    here = see(now, graph, config, memory.tracks, expected(memory.last))
    if memory.goal is goal and memory.goal_tracks is not None:
        there = recall(goal, memory.goal_tracks)
    else:
        there = see(goal, graph, config, memory.goal_tracks, Expected(anything=False))
    whiten_DD = graph.whiten if config.whiten and graph.whiten.size else None
    cost_KJ = type_costs(there.kind, here.kind, whiten_DD)
    match = align(cost_KJ, there.present, here.present)
    match = overrule(match, cost_KJ, memory.matching, here.present)
    distance_K = differences(there, here, match, graph.isolate_metric)
    return View(now=here, goal=there, cost=cost_KJ, match=match, distance=distance_K)


def see(
    entities: Entities,
    graph: Graph,
    config: ControlConfig,
    tracks: Tracks | None,
    moved: Expected,
) -> Side:
    """The entities of a picture, joined with what is remembered if memory is switched on."""
    state_KS, present_K = states(entities, graph), present(entities, config)
    if not config.remember:
        slot_K = np.arange(len(present_K))
        return Side(entities.kind, state_KS, present_K, slot_K, confidence(entities), None)
    metric, radius = graph.isolate_metric, near(graph)
    return recall(
        entities, follow(tracks, entities.kind, state_KS, present_K, moved, metric, radius)
    )


def recall(entities: Entities, tracks: Tracks) -> Side:
    """The entities that tracks stand for; what is not in the picture is not certain at all."""
    sure_K = np.append(confidence(entities), 0.0)  # slot -1 reads the zero at the end
    return Side(tracks.kind, tracks.state, tracks.alive, tracks.slot, sure_K[tracks.slot], tracks)


def expected(last: Attempt | None) -> Expected:
    """What the last action may have moved."""
    if last is None or last.kind == "random":
        return Expected()
    return Expected(before=last.before, target=last.target, anything=False)


def overrule(
    match: Match,
    cost_KJ: Doubles,
    matching: tuple[int, ...] | None,
    present_J: NDArray[np.bool_],
) -> Match:
    """The matching that memory asks for, as long as it fits what is seen."""
    if matching is None or len(matching) != len(match.slot):
        return match
    slot_K = np.array(matching, np.int64)
    if not present_J[slot_K[slot_K >= 0]].all():
        return match
    return priced(slot_K, cost_KJ)


def differences(goal: Side, now: Side, match: Match, metric: str) -> Doubles:
    """How far each goal entity's partner is from its goal (K,)."""
    distance_K = np.zeros(len(match.slot))
    matched = match.slot >= 0
    distance_K[matched] = paired(goal.state[matched], now.state[match.slot[matched]], metric)
    return distance_K


def nodes_in_use(view: View, graph: Graph, mover: int) -> NDArray[np.bool_]:
    """Nodes (M,) where an entity other than the mover stands."""
    others_J = view.now.present & (np.arange(len(view.now.present)) != mover)
    if not others_J.any() or len(graph.node) == 0:
        return np.zeros(len(graph.node), bool)
    distance_JM = pairwise(view.now.state[others_J], graph.node, graph.isolate_metric)
    return np.asarray((distance_JM < near(graph)).any(0))
