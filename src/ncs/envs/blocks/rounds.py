"""Rods and balls of few triangles: with PyBullet's own an arm takes longer than all the rest.

Legend: V corners, F triangles.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Surface:
    """Triangles with smooth shading."""

    corner: NDArray[np.float64]  # (V, 3)
    normal: NDArray[np.float64]  # (V, 3)
    triangle: NDArray[np.int64]  # (F, 3) counter-clockwise seen from outside


def rod(radius: float, half: float, sides: int = 8) -> Surface:
    """A rod along z about the origin, with flat ends."""
    turn = np.arange(sides) * 2 * np.pi / sides
    round_V2 = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    zero, one = np.zeros((sides, 1)), np.ones((sides, 1))
    corner = np.concatenate([np.hstack([round_V2 * radius, one * z]) for z in (-half, half)])
    around = np.hstack([round_V2, zero])
    ends = [np.hstack([round_V2 * 0, one * z]) for z in (-1, 1)]
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    wall = np.concatenate(
        [
            np.stack([here, there, there + sides], 1),
            np.stack([here, there + sides, here + sides], 1),
        ]
    )
    fan = np.stack([np.zeros(sides - 2, int), np.arange(1, sides - 1), np.arange(2, sides)], 1)
    caps = [fan[:, ::-1] + 2 * sides, fan + 3 * sides]
    return Surface(
        np.concatenate([corner, corner]),
        np.concatenate([around, around, *ends]),
        np.concatenate([wall, *caps]),
    )


def ball(radius: float, rings: int = 5, sides: int = 8) -> Surface:
    """A ball about the origin."""
    height = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)[:, None]
    turn = np.arange(sides) * 2 * np.pi / sides
    normal = np.stack(
        [np.cos(height) * np.cos(turn), np.cos(height) * np.sin(turn), np.sin(height) + 0 * turn],
        -1,
    ).reshape(-1, 3)
    here = np.arange(rings * sides)
    there = here - here % sides + (here + 1) % sides
    triangle = np.concatenate(
        [
            np.stack([here, there, there + sides], 1),
            np.stack([here, there + sides, here + sides], 1),
        ]
    )
    return Surface(normal * radius, normal, triangle)
