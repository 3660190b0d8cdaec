"""Where a thing fits, by what stands around and by what was tried in vain.

How big things are is not known, so many cases are imagined, of sizes and of places misread. Those
in which an attempt that failed should have worked are believed less; of the points that would do,
the one that does in most of what is left is taken. Another thing is moved out of the way by a
little where that opens a point that is likelier.

Legend: X cases, Q points, J other things, 2 coordinates, metres.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles, Floats

Bools = NDArray[np.bool_]

CASES = 256
POINTS = 48
TIGHT = 0.5  # how often things that may touch each other or the border do
FINE = 0.8  # usual errors between points where a thing must be put exactly
# How far two things reach towards each other at most and at least, in how near two usually come.
LARGEST, SMALLEST = 1.2, 0.24
SLIP = 1.0  # how far a thing may land beside its place, in usual errors; the tail is long
DISBELIEF = 0.05  # what is left of a case in which an attempt that failed should have worked
EXACT = 0.02  # of the tolerance: places that are misread by less are put as they are
CENTRED = 0.2  # how much likelier a point at the edge of the tolerance must be than the middle
SLIGHT = 0.02  # how much likelier another point must be than the goal itself
WORTH = 0.2  # how much likelier a point must become for another thing to be moved
TURN = np.pi * (3 - np.sqrt(5))  # from point to point of a sunflower


@dataclass(frozen=True)
class Space:
    """Bounds and measures of a world."""

    low: Floats  # (2,) corners of where things may be
    high: Floats  # (2,)
    tolerance: float  # by which a place may miss
    error: float  # usual misreading of a place
    size: float  # things are hardly ever nearer to each other than this
    still: float  # what is no further from its goal than this is taken to be there


@dataclass(frozen=True)
class Attempt:
    """A place that was tried in vain, and what stood around."""

    place: Floats  # (2,)
    others: Floats  # (J, 2)


@dataclass(frozen=True)
class Scene:
    """A thing, its goal, and what stands around."""

    here: Floats  # (2,)
    goal: Floats  # (2,)
    others: Floats  # (J, 2)
    homes: Floats  # (J, 2) where the others should be; NaN where it does not matter
    vain: Sequence[Attempt] = ()  # of this thing
    stuck: Sequence[Floats] = ()  # (2,) each: where others could not be put


@dataclass(frozen=True)
class Advice:
    """What to move, and by how much."""

    other: int  # -1: the thing itself, beside its goal
    shift: Floats  # (2,) from the goal, or from where the other is


@dataclass(frozen=True)
class Cases:
    """What is imagined of a thing."""

    low: Doubles  # (X, 2) corners of where its middle may be
    high: Doubles  # (X, 2)
    apart: Doubles  # (X, J, 2) along one of the axes it must be this far from another
    slip: Doubles  # (X, 2) by how much it lands beside where it is put
    weight: Doubles  # (X,)

    def inside(self, point_Q2: Floats) -> Bools:
        """In which cases points are within bounds (X, Q)."""
        within_2XQ = [
            (place_XQ >= self.low[:, axis, None]) & (place_XQ <= self.high[:, axis, None])
            for axis, place_XQ in enumerate(self._places(point_Q2))
        ]
        return np.asarray(within_2XQ[0] & within_2XQ[1])

    def clear(self, point_Q2: Floats, other_2: Floats, j: int) -> Bools:
        """In which cases points are free of thing j, if it is there (X, Q)."""
        apart_2XQ = [
            np.abs(place_XQ) >= self.apart[:, j, axis, None]
            for axis, place_XQ in enumerate(self._places(point_Q2 - other_2))
        ]
        return np.asarray(apart_2XQ[0] | apart_2XQ[1])

    def _places(self, point_Q2: Floats) -> tuple[Doubles, Doubles]:
        """Where a thing that is put at points lands along x and along y (X, Q)."""
        # One axis at a time: numpy is slow at rows of two.
        x_XQ, y_XQ = (point_Q2[:, axis] + self.slip[:, axis, None] for axis in (0, 1))
        return x_XQ, y_XQ

    def missed(self, offset_Q2: Floats) -> Doubles:
        """How far from the goal a thing lands that is put beside it (X, Q)."""
        return np.asarray(np.hypot(*self._places(offset_Q2)))


def advise(scene: Scene, space: Space, rng: np.random.Generator) -> Advice:
    """The likeliest point beside the goal, or the move of another that opens a likelier one."""
    if not scene.vain and space.error < EXACT * space.tolerance:
        return Advice(-1, np.zeros(2))  # what is read without a miss needs no leeway
    near_J = nearby(scene, space)
    found = consider(
        replace(scene, others=scene.others[near_J], homes=scene.homes[near_J]), space, rng
    )
    return found if found.other < 0 else replace(found, other=int(near_J[found.other]))


def nearby(scene: Scene, space: Space) -> NDArray[np.int64]:
    """Which of the others are, or should be, near enough to a goal to matter."""
    away_J = np.linalg.norm(scene.others - scene.goal, axis=1)
    home_J = np.linalg.norm(scene.homes - scene.goal, axis=1)
    return np.flatnonzero(np.fmin(away_J, home_J) < 2 * space.size + space.tolerance)


def consider(scene: Scene, space: Space, rng: np.random.Generator) -> Advice:
    """Advice in view of all the others of a scene."""
    cases = learn(imagine(scene, space, rng), scene, space)
    reach = 0.9 * min(space.tolerance, float(np.linalg.norm(scene.here - scene.goal)))
    offset_Q2 = sunflower(reach, rng.uniform(0, 2 * np.pi), POINTS if scene.vain else POINTS // 2)
    if scene.vain:
        offset_Q2 = np.concatenate([offset_Q2, slits(reach, space.error)])
    point_Q2 = scene.goal + offset_Q2
    good_XQ = (cases.missed(offset_Q2) < space.tolerance) & cases.inside(point_Q2)
    handicap_Q = CENTRED * np.linalg.norm(offset_Q2, axis=1) / space.tolerance
    handicap_Q += tried(point_Q2, scene.vain, space.error)
    for j in to_come(scene, space):  # their room is left free
        good_XQ &= cases.clear(point_Q2, scene.homes[j], j)
    clear_JXQ = [cases.clear(point_Q2, other, j) for j, other in enumerate(scene.others)]
    odds_Q = cases.weight @ np.logical_and.reduce([good_XQ, *clear_JXQ]) - handicap_Q
    point = int(odds_Q.argmax()) if odds_Q.max() > odds_Q[0] + SLIGHT else 0
    best, advice = odds_Q[point] + WORTH, Advice(-1, offset_Q2[point])
    for j, shift_2 in nudges(scene, space):
        rest = [good_XQ, *clear_JXQ[:j], *clear_JXQ[j + 1 :]]
        rest.append(cases.clear(point_Q2, scene.others[j] + shift_2, j))
        value = (cases.weight @ np.logical_and.reduce(rest) - handicap_Q).max()
        if value > best:
            best, advice = value, Advice(j, shift_2)
    return advice


def to_come(scene: Scene, space: Space) -> list[int]:
    """Which of the others are still to be put where they should be."""
    away_J = np.linalg.norm(scene.others - scene.homes, axis=1)
    return np.flatnonzero(away_J > space.still).tolist()  # no home, no number


def imagine(scene: Scene, space: Space, rng: np.random.Generator) -> Cases:
    """Cases in which there is room at the goal once the others are where they should be."""
    n_others, n_cases = len(scene.others), CASES if scene.vain else CASES // 2
    half_2X2 = space.size * extents(rng, (2, n_cases, 2)) / 2
    apart_XJ2 = space.size * extents(rng, (n_cases, n_others, 2))
    home_J2 = np.where(np.isnan(scene.homes), scene.others, scene.homes)
    away_J2 = np.abs(home_J2 - scene.goal)
    # One axis at least keeps two things apart: the one along which they are least too big.
    excess_XJ2 = apart_XJ2 - away_J2
    least_XJ2 = excess_XJ2 == excess_XJ2.min(-1, keepdims=True)
    touch_XJ2 = (rng.random(apart_XJ2.shape) < TIGHT) & (away_J2 < LARGEST * space.size)
    bound_XJ2 = np.where(touch_XJ2, away_J2, np.minimum(apart_XJ2, away_J2))
    apart_XJ2 = np.where(least_XJ2, bound_XJ2, apart_XJ2)
    for side, edge_2 in enumerate((scene.goal - space.low, space.high - scene.goal)):
        touch_X2 = (rng.random((n_cases, 2)) < TIGHT) & (edge_2 < LARGEST * space.size / 2)
        half_2X2[side] = np.where(touch_X2, edge_2, half_2X2[side])
    return Cases(
        low=np.minimum(space.low + half_2X2[0], scene.goal),
        high=np.maximum(space.high - half_2X2[1], scene.goal),
        apart=apart_XJ2 + space.error * rng.normal(size=apart_XJ2.shape),
        slip=SLIP * space.error * rng.standard_t(2, (n_cases, 2)),
        weight=np.full(n_cases, 1 / n_cases),
    )


def extents(rng: np.random.Generator, shape: tuple[int, ...]) -> Doubles:
    """How far things reach, as shares of how near two usually come: most are large."""
    return LARGEST - (LARGEST - SMALLEST) * rng.random(shape) ** 2


def learn(cases: Cases, scene: Scene, space: Space) -> Cases:
    """The cases, weighted by how well they explain what failed."""
    weight_X = cases.weight.copy()
    for attempt in scene.vain:
        then_J2, gone_G2 = recall(scene.others, attempt, space.size / 2)
        if (np.linalg.norm(gone_G2 - attempt.place, axis=1) < 2 * space.size).any():
            continue  # what may have been in the way is there no more
        point_12 = np.asarray(attempt.place)[None]
        free_X = cases.inside(point_12)[:, 0]
        for j, other_2 in enumerate(then_J2):
            free_X = free_X & cases.clear(point_12, other_2, j)[:, 0]
        weight_X[free_X] *= DISBELIEF
    return replace(cases, weight=weight_X / weight_X.sum())


def recall(others_J2: Floats, attempt: Attempt, near: float) -> tuple[Doubles, Doubles]:
    """Where things stood at an attempt (J, 2), inf if elsewhere, and those that are gone since."""
    then_J2 = np.full((len(others_J2), 2), np.inf)
    if len(others_J2) == 0 or len(attempt.others) == 0:
        return then_J2, np.asarray(attempt.others, np.float64).reshape(-1, 2)
    away_JG = np.linalg.norm(others_J2[:, None] - attempt.others, axis=-1)
    known_J = away_JG.min(1) <= near
    then_J2[known_J] = attempt.others[away_JG.argmin(1)[known_J]]
    return then_J2, np.asarray(attempt.others[away_JG.min(0) > near])


def tried(point_Q2: Doubles, vain: Sequence[Attempt], near: float) -> Doubles:
    """One for points (Q,) as good as those that were tried in vain, nothing for others."""
    again_Q = np.zeros(len(point_Q2))
    for attempt in vain:
        again_Q[np.linalg.norm(point_Q2 - attempt.place, axis=1) < near] = 1
    return again_Q


def nudges(scene: Scene, space: Space) -> Iterator[tuple[int, Doubles]]:
    """Small moves of others away from the goal: which, and by how much.

    What is where it should be stays there, as far as can be told, and nothing is moved before an
    attempt has failed.
    """
    away_J2 = scene.others - scene.goal
    if not scene.vain:
        return
    for j in np.flatnonzero(np.linalg.norm(away_J2, axis=1) < 2 * space.size).tolist():
        for shift_2 in shifts(scene, space, j, away_J2[j]):
            place_2 = scene.others[j] + shift_2
            within = (place_2 > space.low).all() and (place_2 < space.high).all()
            at_home = not np.linalg.norm(place_2 - scene.homes[j]) > 1.2 * space.still
            failed = any(np.linalg.norm(place_2 - s) < space.still / 2 for s in scene.stuck)
            if within and at_home and not failed:
                yield j, shift_2


def shifts(scene: Scene, space: Space, j: int, away_2: Doubles) -> Iterator[Doubles]:
    """Small moves of thing j: away from the goal along either axis, and to where it should be."""
    for axis in (0, 1):
        for step in (space.still / 2, space.still):
            shift_2 = np.zeros(2)
            shift_2[axis] = step if away_2[axis] > 0 else -step
            yield shift_2
    home_2 = scene.homes[j] - scene.others[j]
    if space.error < np.linalg.norm(home_2) <= space.tolerance:
        yield home_2


def sunflower(radius: float, turn: float, points: int = POINTS) -> Doubles:
    """Points (Q, 2) of a disc, its middle first and denser around it."""
    n_Q = np.arange(points)
    length_Q, angle_Q = radius * n_Q / (points - 1), TURN * n_Q + turn
    return np.stack([length_Q * np.cos(angle_Q), length_Q * np.sin(angle_Q)], 1)


def slits(radius: float, error: float) -> Doubles:
    """Points (Q, 2) near either axis: exact along one, anywhere along the other."""
    fine, coarse = FINE * error * np.arange(-3, 4), radius * np.array([-0.4, 0, 0.4])
    across_Q2 = np.stack(np.meshgrid(fine, coarse), -1).reshape(-1, 2)
    point_Q2 = np.concatenate([across_Q2, across_Q2[:, ::-1]])
    return np.asarray(point_Q2[np.linalg.norm(point_Q2, axis=1) <= radius])
