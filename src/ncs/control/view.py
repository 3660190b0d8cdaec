"""What a decision is made from: entities of scene and goal, as the switches let them be seen.

Legend: J entities of the scene (slots, or tracks where they are remembered), K goal slots,
D type channels, S state channels, M nodes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.control.align import Match, align, type_costs
from ncs.control.config import ControlConfig
from ncs.control.decision import Attempt, Memory
from ncs.control.track import Expected, Tracks, follow
from ncs.graph.distances import Doubles, Floats, paired, pairwise
from ncs.records import Entities, Graph


@dataclass(frozen=True)
class View:
    """Scene and goal side by side."""

    kind: Floats  # (J, D)
    state: Floats  # (J, S)
    present: NDArray[np.bool_]  # (J,)
    slot: NDArray[np.int64]  # (J,) slot of the scene, -1 for one that is only remembered
    confidence: Doubles  # (J,) in [0, 1]
    goal_state: Floats  # (K, S)
    goal_present: NDArray[np.bool_]  # (K,)
    goal_confidence: Doubles  # (K,)
    cost: Doubles  # (K, J) of matching by type
    match: Match  # entity of the scene for each goal slot
    distance: Doubles  # (K,) between matched states, 0 where there is no match
    tracks: Tracks | None

    @property
    def matched(self) -> NDArray[np.int64]:
        """Goal slots that have a partner."""
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
    kind_JD: Floats = now.kind
    state_JS = states(now, graph)
    present_J, sure_J = present(now, config), confidence(now)
    slot_J = np.arange(len(kind_JD))
    tracks = None
    if config.remember:
        tracks = follow(
            memory.tracks,
            kind_JD,
            state_JS,
            present_J,
            expected(memory.last),
            graph.isolate_metric,
            near(graph),
        )
        slot_J = tracks.slot
        kind_JD, state_JS, present_J = tracks.kind, tracks.state, tracks.alive
        sure_J = np.where(slot_J >= 0, sure_J[slot_J], 0.0) if len(sure_J) else np.zeros(0)
    goal_present_K = present(goal, config)
    whiten_DD = graph.whiten if config.whiten and graph.whiten.size else None
    cost_KJ = type_costs(goal.kind, kind_JD, whiten_DD)
    match = align(cost_KJ, goal_present_K, present_J)
    match = overrule(match, cost_KJ, memory.matching, present_J)
    return View(
        kind=kind_JD,
        state=state_JS,
        present=present_J,
        slot=slot_J,
        confidence=sure_J,
        goal_state=states(goal, graph),
        goal_present=goal_present_K,
        goal_confidence=confidence(goal),
        cost=cost_KJ,
        match=match,
        distance=differences(states(goal, graph), state_JS, match, graph.isolate_metric),
        tracks=tracks,
    )


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
    """The matching that memory asks for, as long as the entities it names are still there."""
    if matching is None:
        return match
    slot_K = np.array(matching, np.int64)
    if not present_J[slot_K[slot_K >= 0]].all():
        return match
    return Match(slot_K, np.where(slot_K >= 0, cost_KJ[np.arange(len(slot_K)), slot_K], 0.0))


def differences(goal_KS: Floats, state_JS: Floats, match: Match, metric: str) -> Doubles:
    """How far each goal slot's partner is from its goal (K,)."""
    distance_K = np.zeros(len(goal_KS))
    matched = match.slot >= 0
    distance_K[matched] = paired(goal_KS[matched], state_JS[match.slot[matched]], metric)
    return distance_K


def nodes_in_use(view: View, graph: Graph, mover: int) -> NDArray[np.bool_]:
    """Nodes (M,) where an entity other than the mover stands."""
    others_J = view.present & (np.arange(len(view.present)) != mover)
    if not others_J.any() or len(graph.node) == 0:
        return np.zeros(len(graph.node), bool)
    distance_JM = pairwise(view.state[others_J], graph.node, graph.isolate_metric)
    return np.asarray((distance_JM < near(graph)).any(0))
