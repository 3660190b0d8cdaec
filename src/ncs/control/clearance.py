"""Where a thing fits, by what stands around and by what was tried in vain.

Of the points that would do, the one that does in most of the cases that are imagined is taken.
Another thing is moved out of the way where that opens a point that is likelier: by a little if it
has a place of its own, else to where there is most room.

Legend: X cases, Q points, J other things, V attempts in vain, A answers, 2 coordinates, metres.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ncs.control.aside import nudges
from ncs.control.cases import LARGEST, Bools, Cases, imagine, learn, likeliest
from ncs.control.surroundings import Advice, Scene, Space
from ncs.graph.distances import Doubles, Floats, length, pairwise

POINTS = 48
FINE = 0.8  # usual errors between points where a thing must be put exactly
EXACT = 0.02  # of the tolerance: places that are misread by less are put as they are
CENTRED = 0.2  # how much likelier a point at the edge of the tolerance must be than the middle
SLIGHT = 0.02  # how much likelier another point must be than the goal itself
ROUNDING = 1e-9  # no chance is told more exactly
WORTH = 0.2  # how much likelier a point must become for another to be moved, a failure the more
# Points across a slit and along it, (Q, 2): in steps of the finest, and of a radius.
SLITS = np.array([(fine, coarse) for coarse in (-0.4, 0, 0.4) for fine in range(-3, 4)])
TURN = np.pi * (3 - np.sqrt(5))  # from point to point of a sunflower


def advise(scene: Scene, space: Space, rng: np.random.Generator) -> Advice:
    """The likeliest point beside the goal, or the move of another that opens a likelier one."""
    if not scene.vain and space.error < EXACT * space.tolerance:
        return Advice(-1, np.zeros(2))  # what is read without a miss needs no leeway
    near_J = nearby(scene, space)

    def asides(moved: Collection[int]) -> list[Advice]:
        return list(nudges(scene, space, near_J, moved))

    found = consider(scene.only(near_J), space, asides, rng)
    return found if found.other < 0 else replace(found, other=int(near_J[found.other]))


def nearby(scene: Scene, space: Space) -> NDArray[np.int64]:
    """Which of the others are, were or should be near enough to a goal to matter."""
    place_3J2 = np.array([scene.others, scene.first, scene.homes])
    away_3J = length(place_3J2 - scene.goal)
    return np.flatnonzero(np.fmin.reduce(away_3J) < 2 * space.size + space.tolerance)


def consider(
    scene: Scene,
    space: Space,
    asides: Callable[[Collection[int]], list[Advice]],
    rng: np.random.Generator,
) -> Advice:
    """Advice in view of all the others of a scene, and of how some of them could be moved."""
    cases = imagine(scene, space, rng)
    if scene.vain:
        cases = likeliest(learn(cases, scene, space))
    away = float(np.linalg.norm(scene.here - scene.goal))
    reach = 0.9 * min(space.tolerance, away)
    offset_Q2 = sunflower(reach, rng.uniform(0, 2 * np.pi), POINTS if scene.vain else POINTS // 2)
    if scene.vain:
        offset_Q2 = np.concatenate([offset_Q2, slits(reach, space.error)])
    handicap_Q = CENTRED * length(offset_Q2) / space.tolerance
    if scene.vain:
        handicap_Q += tried(scene.goal + offset_Q2, scene, space.error)
    room = Room.look(scene, space, cases, scene.goal + offset_Q2)
    worth = WORTH * (1 + len(scene.stuck))
    moves: list[Advice] = []
    if scene.vain and away > space.still:  # what is there needs no room
        moves = asides(room.obstacles(handicap_Q, worth))
    works_AXQ = [room.works(), *(room.works_after(move) for move in moves)]
    odds_AQ = odds(works_AXQ, cases.weight) - handicap_Q
    point = int(odds_AQ[0].argmax()) if odds_AQ[0].max() > odds_AQ[0, 0] + SLIGHT else 0
    best_A = odds_AQ.max(1)
    best_A[0] = odds_AQ[0, point] + worth
    chosen = int(best_A.argmax())
    return moves[chosen - 1] if chosen else Advice(-1, offset_Q2[point])


@dataclass(frozen=True)
class Room:
    """In which cases which points would do, and which of the others are in their way."""

    scene: Scene
    cases: Cases
    reach: float  # others that are further from the goal than this are in nobody's way
    at: Floats  # (2, X, Q) where the thing lands
    good: Bools  # (X, Q) whether that would do, were it not for where the others are
    clear: Mapping[int, Bools]  # (X, Q) each, by thing, whether that is in the way

    @classmethod
    def look(cls, scene: Scene, space: Space, cases: Cases, point_Q2: Doubles) -> Self:
        """The room that points have."""
        at_2XQ, reach = cases.land(point_Q2), LARGEST * space.size + 2 * space.tolerance
        good_XQ = hit(at_2XQ, scene.goal, space.tolerance)
        good_XQ &= cases.inside(at_2XQ)
        home_J = np.flatnonzero(to_come(scene, space) & is_near(scene.homes, scene.goal, reach))
        if len(home_J):
            good_XQ = all_of(good_XQ, *cases.clear(at_2XQ, scene.homes[home_J, None], home_J))
        near_J = np.flatnonzero(is_near(scene.others, scene.goal, reach))
        clear_JXQ = cases.clear(at_2XQ, scene.others[near_J, None], near_J)
        clear = dict(zip(near_J.tolist(), clear_JXQ, strict=True))
        return cls(scene, cases, reach, at_2XQ, good_XQ, clear)

    def works(self, gone: int | None = None) -> Bools:
        """In which cases points do as things are (X, Q), or were one of the others gone."""
        return all_of(self.good, *(clear for j, clear in self.clear.items() if j != gone))

    def works_after(self, aside: Advice) -> Bools:
        """In which cases points do after a move of another (X, Q)."""
        place_2, works_XQ = self.scene.others[aside.other] + aside.shift, self.works(aside.other)
        if is_near(place_2, self.scene.goal, self.reach):
            works_XQ &= self.cases.clear(self.at, place_2[None, None], [aside.other])[0]
        return works_XQ

    def obstacles(self, handicap_Q: Doubles, worth: float) -> set[int]:
        """The others whose absence would make a difference.

        Moved, they open no more than that, so moves of the rest need not be looked at.
        """
        works_XQ, weight_X = self.works(), self.cases.weight
        somehow_X, chance_Q = works_XQ.any(1), weight_X @ works_XQ
        # Chances are told as shares of all there is hope for: this at least, and 1 at most.
        hope = max(float(weight_X @ somehow_X), ROUNDING)
        gain = worth - SLIGHT - ROUNDING
        least = (chance_Q - handicap_Q).max() + gain

        def matters(j: int) -> bool:
            works_XQ = self.works(j)
            most_Q = weight_X @ works_XQ
            likelier_Q = most_Q - chance_Q > gain * hope
            likelier_Q &= most_Q / hope - handicap_Q > least
            return bool(likelier_Q.any() or (works_XQ.any(1) > somehow_X).any())

        return {j for j in self.clear if matters(j)}


def is_near(place_X2: Floats, goal_2: Floats, reach: float) -> Bools:
    """Which places lie around a goal (X,), both ways; no place, no number, does not."""
    return np.asarray(np.abs(place_X2 - goal_2).max(-1) < reach)


def hit(at_2XQ: Floats, goal_2: Floats, tolerance: float) -> Bools:
    """Which landings are nearer to a goal than a tolerance (X, Q)."""
    away_2XQ = at_2XQ.astype(np.float64)  # numpy is slow at mixing precisions
    away_2XQ -= goal_2[:, None, None]
    away_2XQ *= away_2XQ
    away_2XQ[0] += away_2XQ[1]
    return np.asarray(away_2XQ[0] < tolerance**2)


def all_of(first_XQ: Bools, *others_XQ: Bools) -> Bools:
    """Where all of some conditions hold."""
    holds_XQ = first_XQ.copy()
    for other_XQ in others_XQ:
        holds_XQ &= other_XQ
    return holds_XQ


def odds(works_AXQ: Sequence[Bools], weight_X: Doubles) -> Doubles:
    """How likely points do, (A, Q), if there is a way at all."""
    somehow_XQ = works_AXQ[0].copy()
    for works_XQ in works_AXQ[1:]:
        somehow_XQ |= works_XQ
    hopeful_X = weight_X * somehow_XQ.any(1)
    weight_X = hopeful_X / hopeful_X.sum() if hopeful_X.any() else weight_X
    return np.stack([weight_X @ works_XQ for works_XQ in works_AXQ])


def to_come(scene: Scene, space: Space) -> Bools:
    """Which of the others (J,) are still to be put where they should be."""
    away_J = length(scene.others - scene.homes)
    return np.asarray(away_J > space.still)  # no home, no number


def tried(point_Q2: Doubles, scene: Scene, near: float) -> Doubles:
    """One for points (Q,) that were tried in vain while all stood as now, nothing for others."""
    moved_V = (np.abs(scene.past.others - scene.others) > 2 * near).any((1, 2))
    place_V2 = scene.past.place[~moved_V]
    again_Q = (pairwise(place_V2, point_Q2, "euclidean") < near).any(0)
    return np.asarray(again_Q, np.float64)


def sunflower(radius: float, turn: float, points: int = POINTS) -> Doubles:
    """Points (Q, 2) of a disc, its middle first and denser around it."""
    n_Q = np.arange(points)
    length_Q, angle_Q = radius * n_Q / (points - 1), TURN * n_Q + turn
    return np.array([length_Q * np.cos(angle_Q), length_Q * np.sin(angle_Q)]).T.copy()


def slits(radius: float, error: float) -> Doubles:
    """Points (Q, 2) near either axis: exact along one, anywhere along the other."""
    across_Q2 = SLITS * [FINE * error, radius]
    point_Q2 = np.concatenate([across_Q2, across_Q2[:, ::-1]])
    return np.asarray(point_Q2[length(point_Q2) <= radius])
