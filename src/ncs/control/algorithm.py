"""Algorithm 2 of the paper: align, select, bind, and the action of the edge.

The steps are functions in a record. As they stand they are the paper's; an extension gives a
record in which one of them is replaced or wrapped.

Legend: K entities of the goal, J of the scene, N pairs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from ncs.control.decision import Choice, Decision, Move, Pairs, Problem
from ncs.graph.arena import idle_action, random_action
from ncs.graph.distances import paired, pairwise
from ncs.graph.nearest import bind


def align(problem: Problem) -> Pairs:
    """The cheapest one-to-one matching of entities by type (Hungarian algorithm)."""
    cost_KJ = pairwise(problem.goal.kind, problem.now.kind, "euclidean")
    goal_N, now_N = linear_sum_assignment(cost_KJ)
    here_NS, there_NS = problem.now_state[now_N], problem.goal_state[goal_N]
    distance_N = paired(there_NS, here_NS, problem.graph.isolate_metric)
    return Pairs(goal_N, now_N, cost_KJ[goal_N, now_N], distance_N)


def select(problem: Problem, pairs: Pairs) -> Choice:
    """A constraint drawn in proportion to how far it is from holding."""
    total = pairs.distance.sum()
    share_N = pairs.distance / total if total > 0 else None  # if all hold, none is better
    return serve(problem, pairs, int(problem.rng.choice(len(pairs.goal), p=share_N)))


def furthest(problem: Problem, pairs: Pairs) -> Choice:
    """The constraint that is furthest from holding: the alternative the paper compares with."""
    return serve(problem, pairs, int(pairs.distance.argmax()))


def serve(problem: Problem, pairs: Pairs, k: int) -> Choice:
    """The choice of pair k."""
    goal, entity = int(pairs.goal[k]), int(pairs.now[k])
    return Choice(goal, entity, problem.now_state[entity], problem.goal_state[goal])


def edge(problem: Problem, choice: Choice, i: int, j: int) -> Move | None:
    """The action seen from node i to node j; None where there is no such edge."""
    seen = i >= 0 and problem.graph.count[i, j] > 0
    return Move("edge", problem.graph.action[i, j]) if seen else None


@dataclass(frozen=True)
class Steps:
    """The steps of a decision, by default the paper's."""

    align: Callable[[Problem], Pairs] = align
    select: Callable[[Problem, Pairs], Choice] = select
    act: Callable[[Problem, Choice, int, int], Move | None] = edge


def decide(problem: Problem, steps: Steps) -> Decision:
    """The next action towards the goal, and what it rests on."""
    # Align the entities of the scene with those of the goal.
    pairs = steps.align(problem)
    if pairs.goal.size == 0:
        return without_pairs(problem, pairs)
    # Identify the constraint to satisfy next.
    choice = steps.select(problem, pairs)
    # Infer the nodes that its two states belong to.
    graph = problem.graph
    i, j = bind(np.array([choice.state, choice.target]), graph.node, graph.bind_metric).tolist()
    # The action that turns the one into the other; a random one where none is known.
    move = steps.act(problem, choice, i, j)
    action = move.action if move else random_action(problem.arena, problem.rng)
    return Decision(action, problem, pairs, choice, i, j, move)


def without_pairs(problem: Problem, pairs: Pairs) -> Decision:
    """The decision when nothing is matched: a random action, or rest where nothing is asked."""
    if problem.goal.presence.any():
        return Decision(random_action(problem.arena, problem.rng), problem, pairs)
    return Decision(idle_action(problem.arena), problem, pairs)
