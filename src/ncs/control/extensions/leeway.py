"""A thing is put where it likely fits; if it does not, beside there, or others make room.

A goal may be missed by the world's tolerance, so there is more than one place that satisfies it.
Where there is room all around the steps' own move is kept.
Where things stand on each other a place is no matter of x and y, and nothing is changed.

Legend: J other things, 2 and 3 coordinates, metres.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.algorithm import Steps
from ncs.control.clearance import advise
from ncs.control.decision import Choice, Move, Pairs, Problem
from ncs.control.surroundings import Advice, Attempt, Scene, Space
from ncs.control.trail import Trail
from ncs.graph.attempts import metres_per_state, where
from ncs.graph.distances import Doubles, Floats, length
from ncs.records import Calibration

ASIDE = "make room"


def extend(steps: Steps) -> Steps:
    """Steps that keep clear of what may be in the way, and remember what was blocked."""
    own = Leeway(steps)
    return replace(steps, align=own.align, select=own.select, act=own.act)


def flat_world(problem: Problem) -> Calibration | None:
    """What is known of places, where all that counts of them is x and y."""
    known, arena = problem.graph.calibration, problem.arena
    if known is None or known.world is None or arena.high[2] > arena.low[2]:
        return None
    return known


def ends(problem: Problem, choice: Choice, known: Calibration) -> tuple[Doubles, Doubles]:
    """From where to where a choice is to take its entity, (3,) each."""
    here_3 = problem.now_place[choice.entity]
    if choice.purpose == ASIDE:
        return here_3, here_3.copy()
    if choice.target.tobytes() == problem.goal_state[choice.goal].tobytes():
        return here_3, problem.goal_place[choice.goal].copy()
    return here_3, where(choice.target[None], problem.graph, known)[0]


class Leeway:
    """What was tried in vain in an episode so far."""

    def __init__(self, steps: Steps) -> None:
        """Begins an episode around the given steps."""
        self._steps = steps
        self._pairs: Pairs | None = None
        self._trail = Trail()
        self._who: NDArray[np.int64] = np.zeros(0, np.int64)  # of the things that are present
        self._last: tuple[Choice, Floats, Floats] | None = None  # from where to where, (2,) each
        self._vain: dict[int, list[Attempt]] = {}  # by entity of the goal
        self._stuck: list[Floats] = []  # (2,) places to which things could not be moved aside
        self._shift: Floats | None = None  # (2,) from the target; None: as the steps have it

    def align(self, problem: Problem) -> Pairs:
        """The pairs as they are; all of them say where things should be."""
        self._pairs = self._steps.align(problem)
        return self._pairs

    def select(self, problem: Problem, pairs: Pairs) -> Choice:
        """The choice, or another thing that is in its way once it was blocked."""
        known = flat_world(problem)
        if known is None:
            return self._steps.select(problem, pairs)
        self._look_back(problem, known)
        choice = self._steps.select(problem, pairs)
        self._shift = None
        if choice.purpose != "constraint":
            return choice
        other_J = np.flatnonzero(
            problem.now.presence & (np.arange(len(problem.now.kind)) != choice.entity)
        )
        advice = self._advise(problem, choice, known, other_J)
        if choice.goal in self._vain or advice.shift.any():
            self._shift = advice.shift
        if advice.other < 0:
            return choice
        entity = int(other_J[advice.other])
        state_S = problem.now_state[entity]
        return replace(choice, entity=entity, state=state_S, target=state_S, purpose=ASIDE)

    def act(self, problem: Problem, choice: Choice, i: int, j: int) -> Move | None:
        """The move, beside its target where that is likelier to work."""
        known = flat_world(problem)
        if known is None:
            return self._steps.act(problem, choice, i, j)
        here_3, there_3 = ends(problem, choice, known)
        move = self._steps.act(problem, choice, i, j)
        known_way = move is not None or choice.goal in self._vain
        if self._shift is not None and known_way and choice.purpose in ("constraint", ASIDE):
            there_3[:2] += self._shift
            move = Move("leeway", np.concatenate([here_3, there_3 - here_3]).astype(np.float32))
        self._last = None
        if move is not None:
            self._last = (choice, here_3[:2], here_3[:2] + move.action[3:5])
            self._trail.expect(*self._last[1:])
        return move

    def _look_back(self, problem: Problem, known: Calibration) -> None:
        """Remembers the last move if the thing still is where it was."""
        last, self._last = self._last, None
        place_J2 = problem.now_place[problem.now.presence, :2]
        near = known.near * metres_per_state(problem.graph, known)
        self._who = self._trail.see(place_J2, near)
        if last is None or len(place_J2) == 0:
            return
        choice, here_2, there_2 = last
        moved = float(np.linalg.norm(there_2 - here_2))
        left_J = length(place_J2 - here_2)
        if moved < 2 * known.error or left_J.min() >= min(near, moved / 2):
            return
        if choice.purpose == "constraint":
            other_J = np.arange(len(place_J2)) != left_J.argmin()
            attempt = Attempt(there_2, place_J2[other_J], self._who[other_J])
            self._vain.setdefault(choice.goal, []).append(attempt)
        else:
            self._stuck.append(there_2)

    def _advise(
        self, problem: Problem, choice: Choice, known: Calibration, other_J: NDArray[np.int64]
    ) -> Advice:
        """What to do about a choice that was blocked."""
        graph, arena, pairs = problem.graph, problem.arena, self._pairs
        place_J2 = problem.now_place[:, :2]
        home_J2 = np.full_like(place_J2, np.nan)
        if pairs is not None:
            home_J2[pairs.now] = problem.goal_place[pairs.goal, :2]
        metres = metres_per_state(graph, known)
        still = known.still * metres
        space = Space(
            low=arena.low[:2],
            high=arena.high[:2],
            tolerance=arena.tolerance or still,
            error=known.error,
            size=known.gap * metres,
            still=still,
        )
        who_J = self._who[np.searchsorted(np.flatnonzero(problem.now.presence), other_J)]
        scene = Scene(
            here=place_J2[choice.entity],
            goal=ends(problem, choice, known)[1][:2],
            others=place_J2[other_J],
            homes=home_J2[other_J],
            first=self._trail.first[who_J],
            who=who_J,
            vain=self._vain.get(choice.goal, ()),
            stuck=self._stuck,
        )
        return advise(scene, space, problem.rng)
