"""Things that lie around an arena and never move: what they are and where, by scene.

Legend: K things, 2 floor coordinates.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import Look

Shape = Literal["cylinder", "ball", "box"]
N_THINGS = (3, 5)  # in a scene, at least and at most
GREY, SPREAD = (0.25, 0.75), 0.06  # duller than what is moved


@dataclass(frozen=True)
class Kind:
    """One kind of thing, in metres: radius, radius and half height, or half extents."""

    shape: Shape
    half: tuple[float, float, float]


CATALOGUE = (
    Kind("cylinder", (0.034, 0.034, 0.03)),  # a pot
    Kind("cylinder", (0.042, 0.042, 0.005)),  # a saucer
    Kind("cylinder", (0.018, 0.018, 0.045)),  # a bottle
    Kind("ball", (0.028, 0.028, 0.028)),
    Kind("ball", (0.02, 0.02, 0.02)),
    Kind("box", (0.09, 0.014, 0.008)),  # a ruler
    Kind("box", (0.06, 0.02, 0.012)),  # a rail
    Kind("cylinder", (0.026, 0.026, 0.012)),  # a roll of tape
)


@dataclass(frozen=True)
class Thing:
    """A thing in its place."""

    kind: int  # place in the catalogue
    place: NDArray[np.float64]  # (2,) metres from the middle of the arena
    yaw: float
    colour: NDArray[np.float64]  # (3,)


def draw_clutter(
    look: Look, spot_K2: NDArray[np.float64], way_K: NDArray[np.float64]
) -> list[Thing]:
    """Things on a few of the spots, each turned along its spot's way."""
    if "clutter" not in look:
        return []
    rng = look.rng("clutter")
    count = int(rng.integers(N_THINGS[0], N_THINGS[1] + 1))
    kinds = rng.permutation(len(CATALOGUE))[:count]
    spots = rng.permutation(len(spot_K2))[:count]
    return [
        Thing(
            int(kind),
            spot_K2[spot] + rng.uniform(-0.01, 0.01, 2),
            float(way_K[spot] + rng.uniform(-0.15, 0.15)),
            np.clip(rng.uniform(*GREY) + rng.uniform(-SPREAD, SPREAD, 3), 0, 1),
        )
        for kind, spot in zip(kinds, spots, strict=True)
    ]


def ring(
    half_2: NDArray[np.float64], per_side: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Spots (K, 2) along a rectangle's sides, and each side's way (K,) in radians."""
    share = (np.arange(per_side) + 0.5) / per_side * 2 - 1
    x, y = half_2
    sides = [
        (np.stack([share * x, np.full(per_side, y)], 1), 0.0),
        (np.stack([share * x, np.full(per_side, -y)], 1), 0.0),
        (np.stack([np.full(per_side, x), share * y], 1), np.pi / 2),
        (np.stack([np.full(per_side, -x), share * y], 1), np.pi / 2),
    ]
    spot = np.concatenate([side for side, _ in sides])
    return spot, np.repeat([way for _, way in sides], per_side)
