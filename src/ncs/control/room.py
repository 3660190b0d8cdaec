"""Which way there is room: a target shifted away from what stands near it, and from the border.

Nothing says how wide things are, only where they stand; what is nearest is likeliest in the way.

Legend: J other entities, 2 coordinates of the world, metres.
"""

from dataclasses import dataclass

import numpy as np

from ncs.graph.arena import Arena
from ncs.graph.distances import Doubles, Floats

# A thing may not reach over the border, so the border is felt as a thing's half away from it.
HALF_THING = 0.06
# Shifts of the attempts after the first, as shares of the distance at which a constraint holds.
SHIFTS = (0.5, 0.8)


@dataclass(frozen=True)
class Room:
    """What limits where things can be put."""

    other: Floats  # (J, 2) where the other entities stand
    arena: Arena


def escape(place_2: Floats, room: Room) -> Doubles:
    """The direction (2,), of length 1 or 0, that leads away from what is near, nearest first.

    Each thing pushes as the square of its nearness, and so do the four borders.
    """
    away_J2 = np.asarray(place_2, np.float64) - np.asarray(room.other, np.float64).reshape(-1, 2)
    distance_J1 = np.maximum(np.linalg.norm(away_J2, axis=1, keepdims=True), 1e-6)
    push_2 = (away_J2 / distance_J1**3).sum(axis=0)
    low_2 = np.maximum(place_2 - np.asarray(room.arena.low), 0) + HALF_THING
    high_2 = np.maximum(np.asarray(room.arena.high) - place_2, 0) + HALF_THING
    push_2 = push_2 + 1 / low_2**2 - 1 / high_2**2
    length = float(np.linalg.norm(push_2))
    return np.asarray(push_2 / length if length > 1e-9 else np.zeros(2))
