"""Where no edge was seen: pick as moves from the one node do, place as moves to the other do."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.algorithm import Steps
from ncs.control.decision import Choice, Move, Problem


def extend(steps: Steps) -> Steps:
    """Steps that join the two ends of an edge that was never seen."""

    def act(problem: Problem, choice: Choice, i: int, j: int) -> Move | None:
        return steps.act(problem, choice, i, j) or join(problem, i, j)

    return replace(steps, act=act)


def join(problem: Problem, i: int, j: int) -> Move | None:
    """The action from node i to node j by where either was left or reached; None if neither was."""
    known = problem.graph.calibration
    if known is None or i == j:  # within a node there is nothing to move
        return None
    pick_3, place_3 = either(known.pick[i], known.place[i]), either(known.place[j], known.pick[j])
    action_6 = np.concatenate([pick_3, place_3 - pick_3]).astype(np.float32)
    return None if np.isnan(action_6).any() else Move("composed", action_6)


def either(first_3: NDArray[np.float32], second_3: NDArray[np.float32]) -> NDArray[np.float32]:
    """A position (3,), or another where the first is not known."""
    return second_3 if np.isnan(first_3).any() else first_3
