"""Where a thing fits, by what stands around and by what was tried in vain.

How big things are is not known, so many cases are imagined, of sizes and of places misread. Those
in which an attempt that failed should have worked are believed less; of the points that would do,
the one that does in most of what is left is taken. Another thing is moved out of the way where that
opens a point that is likelier: by a little if it has a place of its own, else to where there is
most room.

Legend: X cases, Q points, J other things, 2 coordinates, metres.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.aside import nudges
from ncs.control.surroundings import Advice, Attempt, Scene, Space
from ncs.graph.distances import Doubles, Floats

Bools = NDArray[np.bool_]

CASES = 256  # for every attempt that failed
MOST_CASES = 1024
BELIEVED = 192  # cases that advice rests on
POINTS = 48
TIGHT = 0.5  # how often things that may touch each other or the border do
FINE = 0.8  # usual errors between points where a thing must be put exactly
# How far two things reach towards each other at most and at least, in how near two usually come.
LARGEST, SMALLEST = 1.2, 0.24
SLIP = 1.1  # how far a thing may land beside its place, in usual errors; the tail is long
TAIL = 3  # degrees of freedom: of Student's distributions the one that misses follow
DISBELIEF = 0.05  # what is left of a case in which an attempt that failed should have worked
EXACT = 0.02  # of the tolerance: places that are misread by less are put as they are
CENTRED = 0.2  # how much likelier a point at the edge of the tolerance must be than the middle
SLIGHT = 0.02  # how much likelier another point must be than the goal itself
WORTH = 0.2  # how much likelier a point must become for another to be moved, a failure the more
TURN = np.pi * (3 - np.sqrt(5))  # from point to point of a sunflower


@dataclass(frozen=True)
class Landings:
    """Where a thing lands that is put at points, by what is imagined of it."""

    x: Floats  # (X, Q) one axis at a time: numpy is slow at rows of two
    y: Floats  # (X, Q)

    def missed(self, goal_2: Floats) -> Floats:
        """How far from a goal (X, Q)."""
        return np.asarray(np.hypot(self.x - goal_2[0], self.y - goal_2[1]))


@dataclass(frozen=True)
class Cases:
    """What is imagined of a thing."""

    low: Floats  # (X, 2) corners of where its middle may be
    high: Floats  # (X, 2)
    apart: Floats  # (X, J, 2) along one of the axes it must be this far from another
    slip: Floats  # (X, 2) by how much it lands beside where it is put
    weight: Doubles  # (X,)

    def land(self, point_Q2: Floats) -> Landings:
        """Where a thing lands that is put at points."""
        point_2Q = np.asarray(point_Q2.T, np.float32)
        return Landings(*(point_2Q[axis] + self.slip[:, axis, None] for axis in (0, 1)))

    def inside(self, at: Landings) -> Bools:
        """In which cases landings are within bounds (X, Q)."""
        (low_x, low_y), (high_x, high_y) = self.low.T[..., None], self.high.T[..., None]
        return np.asarray((at.x >= low_x) & (at.x <= high_x) & (at.y >= low_y) & (at.y <= high_y))

    def clear(self, at: Landings, other_2: Floats, j: int) -> Bools:
        """In which cases landings are free of thing j, if it is there (X, Q)."""
        apart_x, apart_y = self.apart[:, j].T[..., None]
        x, y = np.asarray(other_2, np.float32)
        return np.asarray((np.abs(at.x - x) >= apart_x) | (np.abs(at.y - y) >= apart_y))

    def only(self, kept: NDArray[np.int64]) -> "Cases":
        """Some of the cases."""
        weight_X = self.weight[kept] / self.weight[kept].sum()
        return Cases(self.low[kept], self.high[kept], self.apart[kept], self.slip[kept], weight_X)


def advise(scene: Scene, space: Space, rng: np.random.Generator) -> Advice:
    """The likeliest point beside the goal, or the move of another that opens a likelier one."""
    if not scene.vain and space.error < EXACT * space.tolerance:
        return Advice(-1, np.zeros(2))  # what is read without a miss needs no leeway
    near_J = nearby(scene, space)
    there = np.linalg.norm(scene.here - scene.goal) <= space.still  # nothing need make room
    asides = [] if there or not scene.vain else list(nudges(scene, space, near_J))
    found = consider(scene.only(near_J), space, asides, rng)
    return found if found.other < 0 else replace(found, other=int(near_J[found.other]))


def nearby(scene: Scene, space: Space) -> NDArray[np.int64]:
    """Which of the others are, were or should be near enough to a goal to matter."""
    away_3J = [
        np.linalg.norm(place_J2 - scene.goal, axis=1)
        for place_J2 in (scene.others, scene.first, scene.homes)
    ]
    return np.flatnonzero(np.fmin.reduce(away_3J) < 2 * space.size + space.tolerance)


def consider(
    scene: Scene, space: Space, asides: Sequence[Advice], rng: np.random.Generator
) -> Advice:
    """Advice in view of all the others of a scene, and of how they could be moved."""
    cases = likeliest(learn(imagine(scene, space, rng), scene, space))
    reach = 0.9 * min(space.tolerance, float(np.linalg.norm(scene.here - scene.goal)))
    offset_Q2 = sunflower(reach, rng.uniform(0, 2 * np.pi), POINTS if scene.vain else POINTS // 2)
    if scene.vain:
        offset_Q2 = np.concatenate([offset_Q2, slits(reach, space.error)])
    handicap_Q = CENTRED * np.linalg.norm(offset_Q2, axis=1) / space.tolerance
    handicap_Q += tried(scene.goal + offset_Q2, scene, space.error)
    works_AXQ = list(outcomes(scene, space, cases, scene.goal + offset_Q2, asides))
    odds_AQ = odds(works_AXQ, cases.weight) - handicap_Q
    point = int(odds_AQ[0].argmax()) if odds_AQ[0].max() > odds_AQ[0, 0] + SLIGHT else 0
    best_A = odds_AQ.max(1)
    best_A[0] = odds_AQ[0, point] + WORTH * (1 + len(scene.stuck))
    chosen = int(best_A.argmax())
    return asides[chosen - 1] if chosen else Advice(-1, offset_Q2[point])


def outcomes(
    scene: Scene, space: Space, cases: Cases, point_Q2: Doubles, asides: Sequence[Advice]
) -> Iterator[Bools]:
    """In which cases points would do (X, Q): as things are, and after each move of another."""
    at, reach = cases.land(point_Q2), LARGEST * space.size + 2 * space.tolerance

    def clear(place_J2: dict[int, Floats]) -> dict[int, Bools]:
        near = [j for j, place in place_J2.items() if np.abs(place - scene.goal).max() < reach]
        return {j: cases.clear(at, place_J2[j], j) for j in near}

    good_XQ = (at.missed(scene.goal) < space.tolerance) & cases.inside(at)
    kept_free = clear({j: scene.homes[j] for j in to_come(scene, space)})
    good_XQ = np.logical_and.reduce([good_XQ, *kept_free.values()])
    free = clear(dict(enumerate(scene.others)))
    yield np.logical_and.reduce([good_XQ, *free.values()])
    for aside in asides:
        j = aside.other
        rest = [free_XQ for other, free_XQ in free.items() if other != j]
        moved = clear({j: scene.others[j] + aside.shift})
        yield np.logical_and.reduce([good_XQ, *rest, *moved.values()])


def odds(works_AXQ: Sequence[Bools], weight_X: Doubles) -> Doubles:
    """How likely points do, (A, Q), if there is a way at all."""
    hopeful_X = weight_X * np.logical_or.reduce([works_XQ.any(1) for works_XQ in works_AXQ])
    weight_X = hopeful_X / hopeful_X.sum() if hopeful_X.any() else weight_X
    return np.stack([weight_X @ works_XQ for works_XQ in works_AXQ])


def to_come(scene: Scene, space: Space) -> list[int]:
    """Which of the others are still to be put where they should be."""
    away_J = np.linalg.norm(scene.others - scene.homes, axis=1)
    return np.flatnonzero(away_J > space.still).tolist()  # no home, no number


def imagine(scene: Scene, space: Space, rng: np.random.Generator) -> Cases:
    """Cases in which there is room at the goal once the others are where they should be."""
    n_others = len(scene.others)
    n_cases = min(MOST_CASES, CASES * len(scene.vain)) or CASES // 2
    half_2X2 = space.size * extents(rng, (2, n_cases, 2)) / 2
    apart_XJ2 = space.size * extents(rng, (n_cases, n_others, 2))
    home_J2 = np.where(np.isnan(scene.homes), scene.first, scene.homes)
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
        low=np.minimum(space.low + half_2X2[0], scene.goal).astype(np.float32),
        high=np.maximum(space.high - half_2X2[1], scene.goal).astype(np.float32),
        apart=(apart_XJ2 + space.error * rng.normal(size=apart_XJ2.shape)).astype(np.float32),
        slip=(SLIP * space.error * rng.standard_t(TAIL, (n_cases, 2))).astype(np.float32),
        weight=np.full(n_cases, 1 / n_cases),
    )


def extents(rng: np.random.Generator, shape: tuple[int, ...]) -> Doubles:
    """How far things reach, as shares of how near two usually come: most are large."""
    return LARGEST - (LARGEST - SMALLEST) * rng.random(shape) ** 2


def learn(cases: Cases, scene: Scene, space: Space) -> Cases:
    """The cases, weighted by how well they explain what failed."""
    weight_X = cases.weight.copy()
    for attempt in scene.vain:
        then_J2, gone_G2 = recall(scene.who, attempt)
        if (np.linalg.norm(gone_G2 - attempt.place, axis=1) < 2 * space.size).any():
            continue  # what may have been in the way is seen no more
        at = cases.land(np.asarray(attempt.place)[None])
        free_JX = [cases.clear(at, then_2, j)[:, 0] for j, then_2 in enumerate(then_J2)]
        weight_X[np.logical_and.reduce([cases.inside(at)[:, 0], *free_JX])] *= DISBELIEF
    return replace(cases, weight=weight_X / weight_X.sum())


def likeliest(cases: Cases) -> Cases:
    """The cases that are believed most."""
    kept = np.argsort(-cases.weight, kind="stable")[:BELIEVED]
    return cases.only(kept)


def recall(who_J: NDArray[np.int64], attempt: Attempt) -> tuple[Doubles, Doubles]:
    """Where things stood at an attempt (J, 2), inf if unseen, and what is unseen since (G, 2)."""
    then_J2 = np.full((len(who_J), 2), np.inf)
    same_JG = who_J[:, None] == attempt.who
    row_N, column_N = np.nonzero(same_JG)
    then_J2[row_N] = attempt.others[column_N]
    return then_J2, np.asarray(attempt.others[~same_JG.any(0)])


def tried(point_Q2: Doubles, scene: Scene, near: float) -> Doubles:
    """One for points (Q,) that were tried in vain while all stood as now, nothing for others."""
    again_Q = np.zeros(len(point_Q2))
    for attempt in scene.vain:
        then_J2, _ = recall(scene.who, attempt)
        if not (np.abs(then_J2 - scene.others) > 2 * near).any():
            again_Q[np.linalg.norm(point_Q2 - attempt.place, axis=1) < near] = 1
    return again_Q


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
