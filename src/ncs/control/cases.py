"""What is imagined of a thing, of how big it is and of where it lands, and how far it is believed.

How big things are is not known, so many cases are imagined, of sizes and of places misread. Those
in which an attempt that failed should have worked are believed less.

Legend: X cases, Q points, J other things, V attempts in vain, 2 coordinates, metres.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.control.surroundings import Scene, Space
from ncs.graph.distances import Doubles, Floats

Bools = NDArray[np.bool_]
Things = NDArray[np.int64] | list[int] | slice  # which of the others
ALL = slice(None)

CASES = 256  # for every attempt that failed
MOST_CASES = 1024
BELIEVED = 192  # cases that advice rests on
TIGHT = 0.5  # how often things that may touch each other or the border do
# How far two things reach towards each other at most and at least, in how near two usually come.
LARGEST, SMALLEST = 1.2, 0.24
SLIP = 1.1  # how far a thing may land beside its place, in usual errors; the tail is long
TAIL = 3  # degrees of freedom: of Student's distributions the one that misses follow
DISBELIEF = 0.05  # what is left of a case in which an attempt that failed should have worked


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
        within_2XQ = at_2XQ >= self.low[..., None]
        within_2XQ &= at_2XQ <= self.high[..., None]
        return np.asarray(within_2XQ[0] & within_2XQ[1])

    def clear(self, at_2XQ: Floats, place_JQ2: Floats, things: Things = ALL) -> Bools:
        """In which cases landings are free of things (J, X, Q), along one of the axes at least.

        Things are at places that are handed in, (J, 1, 2), or at one for each point (J, Q, 2).
        """
        place_2JQ = np.ascontiguousarray(place_JQ2.T.swapaxes(1, 2), np.float32)
        away_2JXQ = at_2XQ[:, None] - place_2JQ[:, :, None]
        np.abs(away_2JXQ, out=away_2JXQ)
        free_2JXQ = away_2JXQ >= self.apart[:, things, :, None]
        return np.asarray(free_2JXQ[0] | free_2JXQ[1])

    def only(self, kept_X: NDArray[np.int64]) -> "Cases":
        """Some of the cases."""
        low_2X, high_2X = self.low[:, kept_X], self.high[:, kept_X]
        weight_X = self.weight[kept_X] / self.weight[kept_X].sum()
        return Cases(low_2X, high_2X, self.apart[..., kept_X], self.slip[:, kept_X], weight_X)


def imagine(scene: Scene, space: Space, rng: np.random.Generator) -> Cases:
    """Cases in which there is room at the goal once the others are where they should be."""
    n_others = len(scene.others)
    n_cases = min(MOST_CASES, CASES * len(scene.vain)) or CASES // 2
    half_22X = extents(rng, (2, n_cases, 2), space.size / 2).swapaxes(1, 2).copy()  # low and high
    apart_2JX = by_axis(extents(rng, (n_cases, n_others, 2), space.size))
    home_J2 = np.where(np.isnan(scene.homes), scene.first, scene.homes)
    away_2J1 = by_axis(np.abs(home_J2 - scene.goal)[None])
    # One axis at least keeps two things apart: the one along which they are least too big.
    excess_2JX = apart_2JX - away_2J1
    least_2JX = excess_2JX <= excess_2JX[::-1]
    touch_2JX = by_axis(rng.random((n_cases, n_others, 2)) < TIGHT)
    touch_2JX &= away_2J1 < LARGEST * space.size
    touch_2JX |= excess_2JX > 0
    touch_2JX &= least_2JX
    np.copyto(apart_2JX, away_2J1, where=touch_2JX)
    edge_221 = np.array([scene.goal - space.low, space.high - scene.goal])[..., None]
    touch_22X = (rng.random((2, n_cases, 2)) < TIGHT).swapaxes(1, 2)
    np.copyto(half_22X, edge_221, where=touch_22X & (edge_221 < LARGEST * space.size / 2))
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


def by_axis(value: NDArray[Any]) -> NDArray[Any]:
    """Values (X, ..., 2) as (2, ..., X): numpy is slow at rows of two."""
    return np.ascontiguousarray(value.T)


def learn(cases: Cases, scene: Scene, space: Space) -> Cases:
    """The cases, weighted by how well they explain what failed."""
    past, weight_X = scene.past, cases.weight.copy()
    at_2XV = cases.land(past.place, few=True)
    free_XV = cases.inside(at_2XV)
    free_XV &= cases.clear(at_2XV, past.others.swapaxes(0, 1)).all(0)
    away_VG = np.linalg.norm(past.gone - past.place[:, None], axis=-1)
    # Where what may have been in the way is seen no more, nothing is learned.
    for v in np.flatnonzero(~(away_VG < 2 * space.size).any(1)).tolist():
        np.multiply(weight_X, DISBELIEF, out=weight_X, where=free_XV[:, v])
    return replace(cases, weight=weight_X / weight_X.sum())


def likeliest(cases: Cases) -> Cases:
    """The cases that are believed most."""
    kept = np.argsort(-cases.weight, kind="stable")[:BELIEVED]
    return cases.only(kept)
