"""A move that failed is not made again, and its constraint is less urgent.

Legend: N pairs, J entities of the scene, S state channels.
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from ncs.control.algorithm import Steps
from ncs.control.decision import Choice, Move, Pairs, Problem
from ncs.graph.distances import paired, pairwise


def extend(steps: Steps) -> Steps:
    """Steps that learn from what the next picture shows of an action."""
    own = Distrust(steps)
    return replace(steps, select=own.select, act=own.act)


class Distrust:
    """What failed in an episode so far."""

    def __init__(self, steps: Steps) -> None:
        """Begins an episode around the given steps."""
        self._steps = steps
        self._last: tuple[Choice, Move] | None = None
        self._failures: Counter[int] = Counter()  # by entity of the goal
        self._vain: set[bytes] = set()  # actions

    def select(self, problem: Problem, pairs: Pairs) -> Choice:
        """A choice for which each vain attempt has halved a constraint's weight."""
        if self._last is not None and failed(problem, self._last[0]):
            self._failures[self._last[0].goal] += 1
            self._vain.add(self._last[1].action.tobytes())
        self._last = None
        if self._failures:
            vain_N = np.array([self._failures[goal] for goal in pairs.goal.tolist()])
            pairs = replace(pairs, distance=pairs.distance * 0.5**vain_N)
        choice = self._steps.select(problem, pairs)
        return replace(choice, failures=self._failures[choice.goal])

    def act(self, problem: Problem, choice: Choice, i: int, j: int) -> Move | None:
        """The move, unless it was made in vain before."""
        move = self._steps.act(problem, choice, i, j)
        if move is not None and move.action.tobytes() in self._vain:
            self._failures[choice.goal] += 1  # so that there is something new to try next time
            move = None
        self._last = None if move is None else (choice, move)
        return move


def failed(problem: Problem, choice: Choice) -> bool:
    """Whether an entity is not where it was sent.

    Only places are compared: something must stand at the target and nothing where it was taken
    from. A move too short to see proves nothing.
    """
    known, metric = problem.graph.calibration, problem.graph.isolate_metric
    seen_JS = problem.now_state[problem.now.presence]
    if known is None or len(seen_JS) == 0:
        return False
    if paired(choice.state, choice.target, metric) <= known.near:
        return False
    ends_2S = np.array([choice.state, choice.target])
    stayed_J, arrived_J = pairwise(ends_2S, seen_JS, metric) <= known.near
    return bool(stayed_J.any() or not arrived_J.any())
