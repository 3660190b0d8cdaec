"""Which entity should go where next: a constraint, a blocker out of the way, or a second look.

Legend: K entities of the goal, S state channels.
"""

from dataclasses import dataclass

import numpy as np

from ncs.control.choose import select
from ncs.control.config import ControlConfig
from ncs.control.decision import Memory
from ncs.control.order import entity_to_park, parking_nodes
from ncs.control.steps import Caution, find_step
from ncs.control.view import View
from ncs.graph.distances import Floats
from ncs.records import Graph


@dataclass(frozen=True)
class Intent:
    """One entity and the state it should reach."""

    entity: int  # row of the scene's side of the view
    target: Floats  # (S,)
    goal: int  # row of the goal's side that is served
    purpose: str  # "constraint", "park" or "recheck"
    why: str  # in plain words


def intend(
    view: View,
    graph: Graph,
    config: ControlConfig,
    memory: Memory,
    blockers: dict[int, tuple[int, ...]],
    settled: frozenset[int],
    rng: np.random.Generator,
) -> Intent:
    """The next intention; the view must hold at least one matched pair."""
    pool = [int(goal) for goal in view.matched]
    unmet = [goal for goal in pool if goal not in settled]
    if config.settled and not unmet:
        return recheck(view, memory)
    if (config.settled or config.order) and unmet:
        pool = unmet
    if config.order:
        free = [goal for goal in pool if not blockers[goal]]
        if not free:
            parked = park(view, graph, config, memory, blockers, settled, pool, rng)
            if parked is not None:
                return parked
        pool = free or pool
    goal = pick_goal(pool, view, config, memory, rng)
    return Intent(
        entity=int(view.match.slot[goal]),
        target=view.goal.state[goal],
        goal=goal,
        purpose="constraint",
        why=f"goal {goal} is {view.distance[goal]:.3g} from holding"
        + (f" and one of {len(pool)} to choose from" if len(pool) > 1 else ""),
    )


def pick_goal(
    pool: list[int], view: View, config: ControlConfig, memory: Memory, rng: np.random.Generator
) -> int:
    """One goal of a pool, by distance; each vain attempt halves its weight."""
    weight_K = view.distance[pool]
    if config.distrust:
        weight_K = weight_K * 0.5 ** np.array([memory.failures.get(goal, 0) for goal in pool])
    return pool[select(weight_K, rng, config.choice)]


def recheck(view: View, memory: Memory) -> Intent:
    """The least certain of constraints that all seem to hold, to be put right once more."""

    def doubtful_first(goal: int) -> tuple[int, float, float]:
        sure = min(view.now.confidence[view.match.slot[goal]], view.goal.confidence[goal])
        return memory.looks.get(goal, 0), float(sure), -float(view.distance[goal])

    goal = min((int(goal) for goal in view.matched), key=doubtful_first)
    return Intent(
        entity=int(view.match.slot[goal]),
        target=view.goal.state[goal],
        goal=goal,
        purpose="recheck",
        why=f"every constraint seems to hold; goal {goal} is the least certain",
    )


def park(
    view: View,
    graph: Graph,
    config: ControlConfig,
    memory: Memory,
    blockers: dict[int, tuple[int, ...]],
    settled: frozenset[int],
    pool: list[int],
    rng: np.random.Generator,
) -> Intent | None:
    """An entity moved out of the way to a spare node; None where nothing helps."""
    start = pick_goal(pool, view, config, memory, rng)
    goal_of = {int(view.match.slot[goal]): int(goal) for goal in view.matched}
    entity = entity_to_park(start, blockers, goal_of, settled)
    if entity is None:
        return None
    caution = Caution(distrusted=memory.distrusted)
    for node in parking_nodes(view, graph):
        target_S = graph.node[node]
        step = find_step(graph, view.now.state[entity], target_S, config, caution, rng)
        if step and (step.kind, step.node_from, step.node_to) not in memory.distrusted:
            return Intent(
                entity=entity,
                target=target_S,
                goal=start,
                purpose="park",
                why=f"every open goal is occupied; clearing the way for goal {start}",
            )
    return None
