"""What was decided and why, as a record and as JSON.

Legend: S state channels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.control.track import Tracks
from ncs.graph.distances import Floats
from ncs.records import Entities


@dataclass(frozen=True)
class Pair:
    """A constraint: an entity of the goal and the entity of the scene that should satisfy it."""

    goal: int  # slot of the goal, -1 for one that is only remembered
    now: int  # slot of the scene, -1 for one that is only remembered
    cost: float  # how differently the two look
    distance: float  # how far the two states are apart
    settled: bool  # near enough to hold
    blockers: tuple[int, ...] = ()  # slots of the scene that stand where it should go


@dataclass(frozen=True)
class Attempt:
    """What an action was meant to do, so that the next picture can tell whether it did."""

    kind: str
    node_from: int
    node_to: int
    goal: int  # entity of the goal it served, a row of the view
    before: Floats  # (S,) state of the entity when it was picked
    target: Floats  # (S,) state it should have reached


@dataclass(frozen=True)
class Memory:
    """What an episode has taught so far; a new one knows nothing."""

    last: Attempt | None = None
    distrusted: frozenset[tuple[str, int, int]] = frozenset()  # kind of action, from, to
    failures: Mapping[int, int] = field(default_factory=dict)  # of each entity of the goal
    looks: Mapping[int, int] = field(default_factory=dict)  # second looks at each of them
    tracks: Tracks | None = None  # entities of the scene
    goal_tracks: Tracks | None = None  # entities of the goal
    goal: Entities | None = None  # the goal as it was last seen
    rejected: frozenset[tuple[int, ...]] = frozenset()  # matchings that held and did not end it
    matching: tuple[int, ...] | None = None  # the matching in force instead of the cheapest


@dataclass(frozen=True)
class Decision:
    """One step of control."""

    action: NDArray[np.float32]  # (6,)
    kind: str  # "edge", "composed", "path", "residual", "random" or "done"
    purpose: str  # "constraint", "park", "recheck" or "nothing"
    reason: str  # in plain words
    pairs: tuple[Pair, ...]
    chosen: int | None  # index into pairs, of the constraint that is served
    moved: int | None  # slot of the scene that is to move
    node_from: int | None
    node_to: int | None  # where this action leads
    node_goal: int | None  # where it is to end; differs from node_to on the way along a path
    support: int  # transitions the edge was seen in
    memory: Memory


def explain(decision: Decision) -> dict[str, Any]:
    """A decision as plain values that JSON can hold, its memory reduced to what it distrusts."""
    return {
        "action": [float(number) for number in decision.action],
        "kind": decision.kind,
        "purpose": decision.purpose,
        "reason": decision.reason,
        "pairs": [
            {
                "goal": pair.goal,
                "now": pair.now,
                "cost": pair.cost,
                "distance": pair.distance,
                "settled": pair.settled,
                "blockers": list(pair.blockers),
            }
            for pair in decision.pairs
        ],
        "chosen": decision.chosen,
        "moved": decision.moved,
        "node_from": decision.node_from,
        "node_to": decision.node_to,
        "node_goal": decision.node_goal,
        "support": decision.support,
        "distrusted": [list(edge) for edge in sorted(decision.memory.distrusted)],
    }
