"""Where a thing fits, by what stands around and by what was tried in vain.

How big things are is not known, so many cases are imagined, of sizes and of places misread. Those
in which an attempt that failed should have worked are believed less; of the points that would do,
the one that does in most of what is left is taken. Another thing is moved out of the way where that
opens a point that is likelier: by a little if it has a place of its own, else to where there is
most room.

Legend: X cases, Q points, J other things, V attempts in vain, A answers, 2 coordinates, metres.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncs.control.aside import length, nudges
from ncs.control.surroundings import Advice, Scene, Space
from ncs.graph.distances import Doubles, Floats, pairwise

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
# Points across a slit and along it, (Q, 2): in steps of the finest, and of a radius.
SLITS = np.array([(fine, coarse) for coarse in (-0.4, 0, 0.4) for fine in range(-3, 4)])
TURN = np.pi * (3 - np.sqrt(5))  # from point to point of a sunflower


@dataclass(frozen=True)
class Cases:
    """What is imagined of a thing."""

    low: Floats  # (2, X) corners of where its middle may be
    high: Floats  # (2, X)
    apart: Floats  # (2, J, X) along one of the axes it must be this far from another
    slip: Floats  # (2, X) by how much it lands beside where it is put
    weight: Doubles  # (X,)

    def land(self, point_Q2: Floats, few: bool = False) -> Floats:
        """Where a thing lands that is put at points (2, X, Q); numpy is slow at rows of a few."""
        point_2Q = np.ascontiguousarray(point_Q2.T, np.float32)
        if few:
            return np.asarray(point_2Q[..., None] + self.slip[:, None]).swapaxes(1, 2)
        return np.asarray(point_2Q[:, None] + self.slip[..., None])

    def inside(self, at_2XQ: Floats) -> Bools:
        """In which cases landings are within bounds (X, Q)."""
        (x_XQ, y_XQ), low_2X1, high_2X1 = at_2XQ, self.low[..., None], self.high[..., None]
        within_XQ = x_XQ >= low_2X1[0]
        within_XQ &= x_XQ <= high_2X1[0]
        within_XQ &= y_XQ >= low_2X1[1]
        within_XQ &= y_XQ <= high_2X1[1]
        return np.asarray(within_XQ)

    def beyond(self, at_2XQ: Floats, axis: int, value_Q: Floats | float, j: int) -> Bools:
        """In which cases landings are free of thing j along an axis, if it is there (X, Q)."""
        away_XQ = at_2XQ[axis] - np.asarray(value_Q, np.float32)
        return np.asarray(np.abs(away_XQ, out=away_XQ) >= self.apart[axis, j, :, None])

    def clear(self, at_2XQ: Floats, other_Q2: Floats, j: int) -> Bools:
        """In which cases landings are free of thing j (X, Q), if it is there, or there by point."""
        x_Q, y_Q = other_Q2.T
        clear_XQ = self.beyond(at_2XQ, 0, x_Q, j)
        clear_XQ |= self.beyond(at_2XQ, 1, y_Q, j)
        return clear_XQ

    def only(self, kept_X: NDArray[np.int64]) -> "Cases":
        """Some of the cases."""
        low_2X, high_2X = self.low[:, kept_X], self.high[:, kept_X]
        weight_X = self.weight[kept_X] / self.weight[kept_X].sum()
        return Cases(low_2X, high_2X, self.apart[..., kept_X], self.slip[:, kept_X], weight_X)


def advise(scene: Scene, space: Space, rng: np.random.Generator) -> Advice:
    """The likeliest point beside the goal, or the move of another that opens a likelier one."""
    if not scene.vain and space.error < EXACT * space.tolerance:
        return Advice(-1, np.zeros(2))  # what is read without a miss needs no leeway
    near_J = nearby(scene, space)
    asides: list[Advice] = []
    if scene.vain and np.linalg.norm(scene.here - scene.goal) > space.still:
        asides = list(nudges(scene, space, near_J))  # what is there needs no room
    found = consider(scene.only(near_J), space, asides, rng)
    return found if found.other < 0 else replace(found, other=int(near_J[found.other]))


def nearby(scene: Scene, space: Space) -> NDArray[np.int64]:
    """Which of the others are, were or should be near enough to a goal to matter."""
    place_3J2 = np.array([scene.others, scene.first, scene.homes])
    away_3J = length(place_3J2 - scene.goal)
    return np.flatnonzero(np.fmin.reduce(away_3J) < 2 * space.size + space.tolerance)


def consider(
    scene: Scene, space: Space, asides: Sequence[Advice], rng: np.random.Generator
) -> Advice:
    """Advice in view of all the others of a scene, and of how they could be moved."""
    cases = imagine(scene, space, rng)
    if scene.vain:
        cases = likeliest(learn(cases, scene, space))
    reach = 0.9 * min(space.tolerance, float(np.linalg.norm(scene.here - scene.goal)))
    offset_Q2 = sunflower(reach, rng.uniform(0, 2 * np.pi), POINTS if scene.vain else POINTS // 2)
    if scene.vain:
        offset_Q2 = np.concatenate([offset_Q2, slits(reach, space.error)])
    handicap_Q = CENTRED * length(offset_Q2) / space.tolerance
    if scene.vain:
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
    at_2XQ, reach = cases.land(point_Q2), LARGEST * space.size + 2 * space.tolerance

    @functools.cache  # moves along one axis have the other in common
    def beyond(axis: int, value: float, j: int) -> Bools:
        return cases.beyond(at_2XQ, axis, value, j)

    def clear(place_2: Floats, j: int) -> Bools:
        x, y = place_2.tolist()
        return beyond(0, x, j) | beyond(1, y, j)

    def is_near(place_X2: Floats) -> Bools:
        away_X = np.abs(place_X2 - scene.goal).max(-1)
        return np.asarray(away_X < reach)  # no place, no number

    good_XQ = hit(at_2XQ, scene.goal, space.tolerance)
    good_XQ &= cases.inside(at_2XQ)
    for j in np.flatnonzero(to_come(scene, space) & is_near(scene.homes)).tolist():
        good_XQ &= clear(scene.homes[j], j)
    near = np.flatnonzero(is_near(scene.others)).tolist()
    free = {j: clear(scene.others[j], j) for j in near}
    yield all_of(good_XQ, *free.values())
    if not asides:
        return
    moved_A = [aside.other for aside in asides]
    place_A2 = scene.others[moved_A] + np.reshape([aside.shift for aside in asides], (-1, 2))
    for j, place_2, matters in zip(moved_A, place_A2, is_near(place_A2).tolist(), strict=True):
        rest_XQ = all_of(good_XQ, *(free[other] for other in near if other != j))
        yield rest_XQ & clear(place_2, j) if matters else rest_XQ


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


def imagine(scene: Scene, space: Space, rng: np.random.Generator) -> Cases:
    """Cases in which there is room at the goal once the others are where they should be."""
    n_others = len(scene.others)
    n_cases = min(MOST_CASES, CASES * len(scene.vain)) or CASES // 2
    half_22X = [by_axis(half_X2) for half_X2 in extents(rng, (2, n_cases, 2), space.size / 2)]
    apart_2JX = by_axis(extents(rng, (n_cases, n_others, 2), space.size))
    home_J2 = np.where(np.isnan(scene.homes), scene.first, scene.homes)
    away_2J1 = by_axis(np.abs(home_J2 - scene.goal)[None])
    # One axis at least keeps two things apart: the one along which they are least too big.
    excess_2JX = apart_2JX - away_2J1
    least_2JX = excess_2JX <= excess_2JX[::-1]
    touch_2JX = by_axis(rng.random((n_cases, n_others, 2))) < TIGHT
    touch_2JX &= away_2J1 < LARGEST * space.size
    np.copyto(apart_2JX, away_2J1, where=least_2JX & (touch_2JX | (excess_2JX > 0)))
    for side, edge_2 in enumerate((scene.goal - space.low, space.high - scene.goal)):
        touch_2X = by_axis(rng.random((n_cases, 2))) < TIGHT
        touch_2X &= (edge_2 < LARGEST * space.size / 2)[:, None]
        np.copyto(half_22X[side], edge_2[:, None], where=touch_2X)
    goal_21, low_21, high_21 = scene.goal[:, None], space.low[:, None], space.high[:, None]
    apart_2JX += space.error * by_axis(rng.standard_normal((n_cases, n_others, 2)))
    slip_2X = SLIP * space.error * by_axis(rng.standard_t(TAIL, (n_cases, 2)))
    return Cases(
        low=np.minimum(low_21 + half_22X[0], goal_21).astype(np.float32),
        high=np.maximum(high_21 - half_22X[1], goal_21).astype(np.float32),
        apart=apart_2JX.astype(np.float32),
        slip=slip_2X.astype(np.float32),
        weight=np.full(n_cases, 1 / n_cases),
    )


def extents(rng: np.random.Generator, shape: tuple[int, ...], usual: float) -> Doubles:
    """How far things reach, by how near two usually come: most are large."""
    extent = rng.random(shape)
    extent *= extent
    extent *= LARGEST - SMALLEST
    np.subtract(LARGEST, extent, out=extent)
    extent *= usual
    return extent


def by_axis(value: Doubles) -> Doubles:
    """Values (X, ..., 2) as (2, ..., X): numpy is slow at rows of two."""
    return np.ascontiguousarray(value.T)


def learn(cases: Cases, scene: Scene, space: Space) -> Cases:
    """The cases, weighted by how well they explain what failed."""
    past, weight_X = scene.past, cases.weight.copy()
    at_2XV = cases.land(past.place, few=True)
    free_XV = cases.inside(at_2XV)
    for j in range(len(scene.who)):
        free_XV &= cases.clear(at_2XV, past.others[:, j], j)
    away_VG = np.linalg.norm(past.gone - past.place[:, None], axis=-1)
    # Where what may have been in the way is seen no more, nothing is learned.
    for v in np.flatnonzero(~(away_VG < 2 * space.size).any(1)).tolist():
        np.multiply(weight_X, DISBELIEF, out=weight_X, where=free_XV[:, v])
    return replace(cases, weight=weight_X / weight_X.sum())


def likeliest(cases: Cases) -> Cases:
    """The cases that are believed most."""
    kept = np.argsort(-cases.weight, kind="stable")[:BELIEVED]
    return cases.only(kept)


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
