"""A target that is taken waits, and a ring of them is broken by parking one.

Legend: N pairs, J entities of the scene, M nodes.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.algorithm import Steps
from ncs.control.decision import Choice, Pairs, Problem
from ncs.graph.distances import Doubles, Floats, pairwise
from ncs.graph.nearest import bind
from ncs.records import Calibration


def extend(steps: Steps) -> Steps:
    """Steps that select among constraints whose targets are free, or else make room."""

    def select(problem: Problem, pairs: Pairs) -> Choice:
        unmet_N, known = pairs.distance > problem.still, problem.graph.calibration
        if known is None or not unmet_N.any():
            return steps.select(problem, pairs)
        taken_NJ = blockers(problem, pairs, known)
        free_N = unmet_N & ~taken_NJ.any(axis=1)
        if free_N.any():
            return steps.select(problem, pairs.only(free_N))
        choice = steps.select(problem, pairs.only(unmet_N))
        entity = entity_to_park(choice.goal, pairs, taken_NJ, unmet_N)
        return choice if entity is None else park(problem, choice, entity, steps, known)

    return replace(steps, select=select)


def blockers(problem: Problem, pairs: Pairs, known: Calibration) -> NDArray[np.bool_]:
    """Which entities stand where each constraint's own should go, (N, J)."""
    target_NS, metric = problem.goal_state[pairs.goal], problem.graph.isolate_metric
    taken_NJ = pairwise(target_NS, problem.now_state, metric) < known.near
    taken_NJ &= problem.now.presence
    taken_NJ[np.arange(len(pairs)), pairs.now] = False
    return taken_NJ


def entity_to_park(
    goal: int, pairs: Pairs, taken_NJ: NDArray[np.bool_], unmet_N: NDArray[np.bool_]
) -> int | None:
    """The entity whose removal frees a goal, found by following who waits for whom.

    The chain ends at an entity that has no goal of its own, or closes into a ring, of which any
    member will do. None where all that blocks is already where it belongs.
    """
    pair_of = {int(entity): n for n, entity in enumerate(pairs.now)}
    n: int | None = int(np.flatnonzero(pairs.goal == goal)[0])
    passed: set[int] = set()
    last = None
    while n is not None and n not in passed:
        passed.add(n)
        blocking = [int(entity) for entity in np.flatnonzero(taken_NJ[n])]
        movable = [e for e in blocking if e not in pair_of or unmet_N[pair_of[e]]]
        if not movable:
            return last
        last = movable[0]
        n = pair_of.get(last)
    return last


def park(problem: Problem, choice: Choice, entity: int, steps: Steps, known: Calibration) -> Choice:
    """The choice to put an entity aside on a spare node; the given one if no move leads to any."""
    state_S, graph = problem.now_state[entity], problem.graph
    i = int(bind(state_S[None], graph.node, graph.bind_metric)[0])
    for node in spare_nodes(problem, known):
        parked = Choice(choice.goal, entity, state_S, graph.node[node], "park", choice.failures)
        if steps.act(problem, parked, i, node) is not None:
            return parked
    return choice


def spare_nodes(problem: Problem, known: Calibration) -> Iterator[int]:
    """Nodes where nothing stands and nothing should, the most remote first.

    Goals are only avoided as long as there is another place.
    """
    clear_M = clearance(problem, problem.now_state[problem.now.presence])
    spare_M = np.minimum(clear_M, clearance(problem, problem.goal_state[problem.goal.presence]))
    room_M = spare_M if (spare_M >= known.near).any() else clear_M
    far_first = np.argsort(-room_M, kind="stable")
    yield from far_first[room_M[far_first] >= known.near].tolist()


def clearance(problem: Problem, state_JS: Floats) -> Doubles:
    """How far each node (M,) is from the nearest of some states."""
    if len(state_JS) == 0:
        return np.full(len(problem.graph.node), np.inf)
    graph = problem.graph
    return np.asarray(pairwise(graph.node, state_JS, graph.isolate_metric).min(1))
