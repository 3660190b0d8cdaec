"""What a decision is made from, step by step, and what comes of it.

Legend: N pairs, S state channels.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncs.control import explain
from ncs.graph.arena import Arena
from ncs.graph.attempts import where
from ncs.graph.distances import Doubles, Floats
from ncs.graph.nearest import states
from ncs.records import Entities, Graph


@dataclass(frozen=True)
class Problem:
    """A scene, a goal, and what may be used to bring the one to the other."""

    now: Entities
    goal: Entities
    graph: Graph
    arena: Arena  # where random actions may reach
    rng: np.random.Generator

    @property
    def now_state(self) -> Floats:
        """States (J, S) of the scene's entities, as the graph's nodes understand them."""
        return states(self.now, self.graph.representation)

    @property
    def goal_state(self) -> Floats:
        """States (K, S) of the goal's entities, as the graph's nodes understand them."""
        return states(self.goal, self.graph.representation)

    @cached_property
    def places(self) -> Doubles:
        """Where entities are (J + K, 3), scene and goal, metres, if the graph knows of a world."""
        assert self.graph.calibration is not None
        state_XS = np.concatenate([self.now_state, self.goal_state])
        return where(state_XS, self.graph, self.graph.calibration)

    @property
    def now_place(self) -> Doubles:
        """Where the scene's entities are (J, 3)."""
        return self.places[: len(self.now_state)]

    @property
    def goal_place(self) -> Doubles:
        """Where the goal's entities are (K, 3)."""
        return self.places[len(self.now_state) :]

    @property
    def still(self) -> float:
        """A constraint holds if its two states are no further apart than this."""
        return self.graph.calibration.still if self.graph.calibration else 0.0


@dataclass(frozen=True)
class Pairs:
    """Constraints: entities of the goal with the entities of the scene that should satisfy them."""

    goal: NDArray[np.int64]  # (N,) entity of the goal
    now: NDArray[np.int64]  # (N,) its counterpart in the scene
    cost: Doubles  # (N,) how differently the two look
    distance: Doubles  # (N,) how far their states are apart

    def __len__(self) -> int:
        """Pairs, N."""
        return len(self.goal)

    def only(self, kept_N: NDArray[np.bool_]) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.goal[kept_N], self.now[kept_N], self.cost[kept_N], self.distance[kept_N])


@dataclass(frozen=True)
class Choice:
    """The entity that is to move next, and where to."""

    goal: int  # entity of the goal that is served
    entity: int  # entity of the scene that moves
    state: Floats  # (S,) where it is
    target: Floats  # (S,) where it should be
    purpose: str = "constraint"  # "park" puts it aside to make room
    failures: int = 0  # earlier attempts at the same goal that failed


@dataclass(frozen=True)
class Move:
    """An action that is known to take an entity from node to node."""

    kind: str  # where it comes from: "edge", or the name of an extension
    action: NDArray[np.float32]  # (6,)


@dataclass(frozen=True)
class Decision:
    """One step of control, with all that it rests on."""

    action: NDArray[np.float32]  # (6,)
    problem: Problem
    pairs: Pairs
    choice: Choice | None = None  # None where there is no pair to choose from
    node_from: int = -1  # node of the entity that moves; -1 where the graph has none
    node_to: int = -1  # node of its target; -1 where the graph has none
    move: Move | None = None  # None: the action is random, or idle where nothing is asked

    @property
    def kind(self) -> str:
        """Where the action comes from: the move's kind, "random" or "idle"."""
        if self.move is not None:
            return self.move.kind
        return "random" if self.choice is not None or self.problem.goal.presence.any() else "idle"

    @property
    def purpose(self) -> str:
        """What the action is for: the choice's purpose, or "nothing"."""
        return "nothing" if self.choice is None else self.choice.purpose

    @property
    def holds(self) -> bool:
        """Whether every constraint seems to hold already."""
        return self.choice is not None and bool((self.pairs.distance <= self.problem.still).all())

    @property
    def reason(self) -> str:
        """Why, in one sentence."""
        return explain.reason(self)
