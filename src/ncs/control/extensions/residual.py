"""Actions are aimed at the exact states, not at their nodes.

Legend: S state channels.
"""

import functools
from dataclasses import replace

import numpy as np

from ncs.control.algorithm import Steps
from ncs.control.decision import Choice, Move, Problem
from ncs.graph.attempts import GRAPHS
from ncs.graph.calibration import locate
from ncs.graph.distances import Doubles, Floats
from ncs.records import Calibration

# Vain attempts after which every point that would satisfy the constraint may be tried.
FULL_REACH = 4


def extend(steps: Steps) -> Steps:
    """Steps that aim a known move at exact places; within a node no move need be known.

    If that fails the nodes' own places are tried, where things have stood before, and then other
    points that would still satisfy the constraint.
    """

    def act(problem: Problem, choice: Choice, i: int, j: int) -> Move | None:
        move, known = steps.act(problem, choice, i, j), problem.graph.calibration
        if known is None or known.world is None or (move is None and i != j):
            return move
        if move is not None and choice.failures == 1:
            return move
        return aim(problem, choice, known.offset[[i, j]], known.world, known)

    return replace(steps, act=act)


def aim(
    problem: Problem, choice: Choice, offset_23: Floats, world_F3: Doubles, known: Calibration
) -> Move:
    """The move from where the entity is to where it should be; after failures, near there."""
    reach = known.still * min(1.0, choice.failures / FULL_REACH)
    pick_S = stray(choice.state, reach / 2, problem.rng)
    place_S = stray(choice.target, reach, problem.rng)
    exact_23 = locate(np.array([pick_S, place_S]), world_F3) + offset_23
    exact_23[1] = inward(exact_23[1], known)
    action_6 = np.concatenate([exact_23[0], exact_23[1] - exact_23[0]]).astype(np.float32)
    return Move("residual", action_6)


def stray(state_S: Floats, reach: float, rng: np.random.Generator) -> Floats:
    """A state drawn uniformly from the ball around another."""
    if reach <= 0:
        return state_S
    direction_S = rng.normal(size=len(state_S))
    length = reach * rng.random() ** (1 / len(state_S))
    return np.asarray(state_S + length * direction_S / np.linalg.norm(direction_S))


@functools.lru_cache(maxsize=GRAPHS)
def middle(known: Calibration) -> Floats:
    """The middle (3,) of all places where things arrived."""
    return np.asarray(np.nanmean(known.place, axis=0))


def inward(place_3: Floats, known: Calibration) -> Floats:
    """A place drawn towards the middle of all places by as much as aiming usually misses.

    Beyond the outermost places there is nothing: a miss outwards fails, one inwards does not.
    """
    to_middle_3 = middle(known) - place_3
    distance = float(np.linalg.norm(to_middle_3))
    return np.asarray(place_3 + to_middle_3 * min(1.0, known.error / max(distance, 1e-9)))
