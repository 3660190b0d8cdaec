"""Constraints are served in the order of a plan, and what is in the way is put aside.

The plan is a search by the rules that were learned from moves that failed; where none failed the
only rule is that two things cannot be at one place.

Legend: N pairs, J entities of the scene, M nodes, S state channels, 3 coordinates, metres.
"""

import functools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.algorithm import Steps
from ncs.control.decision import Choice, Pairs, Problem
from ncs.control.planning import Plan, plan
from ncs.graph.attempts import GRAPHS, metres_per_state, node_places, where
from ncs.graph.distances import Doubles
from ncs.graph.rules import Rules, read_rules
from ncs.records import Calibration


def extend(steps: Steps) -> Steps:
    """Steps that select what a plan moves next."""

    def select(problem: Problem, pairs: Pairs) -> Choice:
        unmet_N, known = pairs.distance > problem.still, problem.graph.calibration
        if known is None or known.world is None or not unmet_N.any():
            return steps.select(problem, pairs)
        thing_J = np.flatnonzero(problem.now.presence)
        found = next_move(problem, pairs, unmet_N, known, thing_J)
        if found is None:
            return steps.select(problem, pairs.only(unmet_N))
        is_ready_J = np.zeros(len(problem.now.presence), bool)
        is_ready_J[thing_J[list(found.home)]] = True
        ready_N = unmet_N & is_ready_J[pairs.now]
        if ready_N.any():
            return steps.select(problem, pairs.only(ready_N))
        choice = steps.select(problem, pairs.only(unmet_N))
        return put_aside(problem, choice, int(thing_J[found.thing]), found.place, known)

    return replace(steps, select=select)


def next_move(
    problem: Problem,
    pairs: Pairs,
    unmet_N: NDArray[np.bool_],
    known: Calibration,
    thing_J: NDArray[np.int64],
) -> Plan | None:
    """The next move of the plan, in terms of the things that are present."""
    graph = problem.graph
    place_X3 = problem.now_place
    goal_X3 = np.full_like(place_X3, np.nan)
    # What holds, holds: it need not be moved by a hair.
    wanted_N3 = np.where(unmet_N[:, None], problem.goal_place[pairs.goal], place_X3[pairs.now])
    goal_X3[pairs.now] = wanted_N3
    spare_M3 = node_places(graph, known)
    apart = known.near * metres_per_state(graph, known)
    return plan(place_X3[thing_J], goal_X3[thing_J], rules_of(known), spare_M3, apart)


@functools.lru_cache(maxsize=GRAPHS)
def rules_of(known: Calibration) -> Rules:
    """The rules of a world, as far as any were learned."""
    return Rules() if known.rules is None else read_rules(known.rules)


def put_aside(
    problem: Problem, choice: Choice, entity: int, place_3: Doubles, known: Calibration
) -> Choice:
    """The choice to put an entity at a place that is not its own goal."""
    graph = problem.graph
    state_XS = np.concatenate([graph.node, problem.goal_state, problem.now_state])
    away_X = np.linalg.norm(where(state_XS, graph, known) - place_3, axis=1)
    target_S = state_XS[away_X.argmin()]
    state_S = problem.now_state[entity]
    return Choice(choice.goal, entity, state_S, target_S, "park", choice.failures)
