"""Targets that are taken: what stands in the way, what to move first, where to park it.

Legend: J entities of the scene, K of the goal, M nodes.
"""

import numpy as np
from numpy.typing import NDArray

from ncs.control.view import View, near
from ncs.graph.distances import pairwise
from ncs.records import Graph


def find_blockers(view: View, graph: Graph) -> dict[int, tuple[int, ...]]:
    """For each matched goal, the entities that stand where its partner should go."""
    matched = view.matched
    if len(matched) == 0:
        return {}
    distance_KJ = pairwise(view.goal.state[matched], view.now.state, graph.isolate_metric)
    taken_KJ = (distance_KJ < near(graph)) & view.now.present
    taken_KJ[np.arange(len(matched)), view.match.slot[matched]] = False
    return {
        int(goal): tuple(int(entity) for entity in np.flatnonzero(taken_J))
        for goal, taken_J in zip(matched, taken_KJ, strict=True)
    }


def entity_to_park(
    start: int,
    blockers: dict[int, tuple[int, ...]],
    goal_of: dict[int, int],
    settled: frozenset[int],
) -> int | None:
    """The entity whose removal frees a goal, found by following who waits for whom.

    The chain ends at an entity that has no goal of its own, or closes into a ring, of which any
    member will do. None where all that blocks is already where it belongs.

    Args:
        start: Goal to begin with.
        blockers: Entities in the way of each goal.
        goal_of: Goal of each entity that has one.
        settled: Goals that hold.
    """
    passed: set[int] = set()
    goal: int | None = start
    last = None
    while goal is not None and goal not in passed:
        passed.add(goal)
        movable = [entity for entity in blockers[goal] if goal_of.get(entity) not in settled]
        if not movable:
            return last
        last = movable[0]
        goal = goal_of.get(last)
    return last


def parking_nodes(view: View, graph: Graph) -> NDArray[np.int64]:
    """Nodes where nothing stands and nothing should, the most remote first.

    Goals are only avoided as long as there is another place.
    """
    seen_JS = view.now.state[view.now.present]
    goal_KS = view.goal.state[view.goal.present]
    clear_M = clearance(graph, seen_JS)
    spare_M = np.minimum(clear_M, clearance(graph, goal_KS))
    for room_M in (spare_M, clear_M):
        far_first = np.argsort(-room_M, kind="stable")
        free = far_first[room_M[far_first] >= near(graph)]
        if len(free):
            return free
    return np.zeros(0, np.int64)


def clearance(graph: Graph, state_JS: NDArray[np.floating]) -> NDArray[np.float64]:
    """How far each node (M,) is from the nearest of some states."""
    if len(state_JS) == 0:
        return np.full(len(graph.node), np.inf)
    return np.asarray(pairwise(graph.node, state_JS, graph.isolate_metric).min(1))
