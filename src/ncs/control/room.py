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
# Things that stand further from the border do not touch it, whatever their size.
EDGE = 0.09
# Shifts of the attempts after the first, as shares of the distance at which a constraint holds: a
# little, then the node's own place (None), then as far as may be, then a little the other way.
SHIFTS = (0.35, None, 0.8, -0.35)


@dataclass(frozen=True)
class Room:
    """What limits where things can be put."""

    other: Floats  # (J, 2) where the other entities stand
    arena: Arena


def escape(place_2: Floats, room: Room) -> Doubles:
    """The axis and its sense (2,), of length 1 or 0, that lead away from what is near.

    Each thing pushes as the square of its nearness, and so do the four borders. To be clear of
    each other along one axis is enough for two boxes.
    """
    away_J2 = np.asarray(place_2, np.float64) - np.asarray(room.other, np.float64).reshape(-1, 2)
    distance_J1 = np.maximum(np.linalg.norm(away_J2, axis=1, keepdims=True), 1e-6)
    push_2 = (away_J2 / distance_J1**3).sum(axis=0)
    low_2 = np.maximum(place_2 - np.asarray(room.arena.low), 0) + HALF_THING
    high_2 = np.maximum(np.asarray(room.arena.high) - place_2, 0) + HALF_THING
    push_2 = push_2 + 1 / low_2**2 - 1 / high_2**2
    axis = int(np.abs(push_2).argmax())
    way_2 = np.zeros(2)
    way_2[axis] = np.sign(push_2[axis]) if abs(push_2[axis]) > 1e-9 else 0.0
    return way_2


def off_border(place_3: Floats, arena: Arena, miss: float) -> Doubles:
    """A place drawn inwards, where a border is near, by as much as aiming usually misses."""
    inward_3: Doubles = np.array(place_3, np.float64)
    low_2, high_2 = np.asarray(arena.low), np.asarray(arena.high)
    near_low_2 = inward_3[:2] - low_2 < EDGE
    near_high_2 = high_2 - inward_3[:2] < EDGE
    inward_3[:2] += miss * (near_low_2.astype(float) - near_high_2)
    return inward_3
