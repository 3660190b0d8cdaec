"""Where cubes can stand: scenes drawn at random, moves to try, and a shortest solution.

Pure NumPy: OGBench need not be installed. Legend: N cubes, 3 coordinates, metres.
"""

import numpy as np
from numpy.typing import NDArray

from ncs.control.planning import Plan, plan
from ncs.graph.rules import Box, Rules
from ogbench_cubes.facts import (
    APART,
    CLOSE,
    CUBE,
    CUBES_HIGH,
    CUBES_LOW,
    HIGHEST,
    NEAR,
    ON_TOP,
    PILED,
    ROOM,
    TALL,
    TOUCHING,
    TRIES,
)

Doubles = NDArray[np.float64]
FLOOR = CUBE / 2  # height of a cube's middle on the table
ATTEMPTS = 200  # draws of a spot before room is given up on

# What this world is like, for the solution from the ground truth alone
HALF = CUBE / 2
RULES = Rules(
    hold=(Box(np.array([-HALF, -HALF, HALF]), np.array([HALF, HALF, 1.5 * CUBE])),),
    block=(Box(np.array([-CUBE, -CUBE, -HALF]), np.array([CUBE, CUBE, HALF])),),
    need=Box(np.array([-HALF, -HALF, -1.5 * CUBE]), np.array([HALF, HALF, -HALF])),
    ground=Box(np.array([-np.inf] * 3), np.array([np.inf, np.inf, CUBE])),
)


def draw_scene(rng: np.random.Generator, n_cubes: int) -> Doubles:
    """Places (N, 3) of cubes on the table or in towers."""
    heights = _heights(rng, n_cubes) if rng.random() < PILED else [1] * n_cubes
    return _stand(rng, heights)


def draw_towers(rng: np.random.Generator, n_cubes: int) -> Doubles:
    """Places (N, 3) of cubes of which most stand in one tower, mostly."""
    if rng.random() >= TALL:
        return _stand(rng, _heights(rng, n_cubes))
    beside = int(rng.integers(2)) if n_cubes > 1 else 0
    return _stand(rng, [n_cubes - beside, *[1] * beside])


def _stand(rng: np.random.Generator, heights: list[int]) -> Doubles:
    """Places (N, 3) in towers of these heights, in any order."""
    apart = TOUCHING if rng.random() < CLOSE else APART
    spots: list[Doubles] = []
    for _ in heights:
        spots.append(free_spot(rng, np.array(spots).reshape(-1, 2), apart))
    places = [
        [*spot, FLOOR + level * CUBE]
        for spot, height in zip(spots, heights, strict=True)
        for level in range(height)
    ]
    return np.array(places)[rng.permutation(sum(heights))]


def _heights(rng: np.random.Generator, n_cubes: int) -> list[int]:
    """Heights of fewer towers than there are cubes."""
    heights = [1] * int(rng.integers(1, max(2, n_cubes)))
    for _ in range(n_cubes - len(heights)):
        heights[int(rng.integers(len(heights)))] += 1
    return heights


def free_spot(rng: np.random.Generator, taken_N2: Doubles, apart: float) -> Doubles:
    """A spot (2,) on the table that keeps a distance from others, if there is one."""
    for _ in range(ATTEMPTS):
        spot_2 = rng.uniform(CUBES_LOW, CUBES_HIGH)
        if not len(taken_N2) or np.linalg.norm(taken_N2 - spot_2, axis=1).min() >= apart:
            break
    return np.asarray(spot_2)


def tops(place_N3: Doubles) -> list[int]:
    """Cubes on which no other stands."""
    return [i for i in range(len(place_N3)) if not _others_above(place_N3, i)]


def _others_above(place_N3: Doubles, index: int) -> bool:
    offset_N3 = place_N3 - place_N3[index]
    return bool(RULES.hold[0].covers(offset_N3).any())


def random_place(rng: np.random.Generator, place_N3: Doubles, index: int) -> Doubles:
    """Where (3,) to try to put a cube: on the table, on another cube, or anywhere at all."""
    others_M3 = np.delete(place_N3, index, axis=0)
    if rng.random() < TRIES:
        return _anywhere(rng, others_M3)
    free = [i for i in tops(place_N3) if i != index]
    if free and rng.random() < ON_TOP:
        return place_N3[free[int(rng.integers(len(free)))]] + [0, 0, CUBE]
    return np.array([*free_spot(rng, others_M3[:, :2], ROOM), FLOOR])


def first_top(rng: np.random.Generator, place_N3: Doubles, left: list[int]) -> int:
    """Which of the cubes that are left to be moved goes first: one on which none stands."""
    free = [i for i in left if i in tops(place_N3)] or left
    if rng.random() < HIGHEST:
        return max(free, key=lambda i: float(place_N3[i, 2]))
    return free[0]


def tower_place(rng: np.random.Generator, place_N3: Doubles, index: int) -> Doubles:
    """Where (3,) to try to put a cube: mostly on the highest other tower."""
    free = [i for i in tops(place_N3) if i != index]
    if free and rng.random() < HIGHEST:
        return place_N3[max(free, key=lambda i: float(place_N3[i, 2]))] + [0, 0, CUBE]
    return random_place(rng, place_N3, index)


def _anywhere(rng: np.random.Generator, others_M3: Doubles) -> Doubles:
    """A place at any level, above the table or at some other cube's spot."""
    spot_2 = rng.uniform(CUBES_LOW, CUBES_HIGH)
    if len(others_M3) and rng.random() < 0.5:
        spot_2 = others_M3[int(rng.integers(len(others_M3))), :2]
    return np.array([*spot_2, FLOOR + CUBE * int(rng.integers(3))])


def next_move(place_N3: Doubles, goal_N3: Doubles) -> Plan | None:
    """The next move of a shortest solution; None where every cube is at its goal."""
    there_N = np.linalg.norm(goal_N3 - place_N3, axis=1) < NEAR / 2
    wanted_N3 = np.where(there_N[:, None], place_N3, goal_N3)
    axes = [np.linspace(low, high, 4) for low, high in zip(CUBES_LOW, CUBES_HIGH, strict=True)]
    spare_P3 = np.array([[x, y, FLOOR] for x in axes[0] for y in axes[1]])
    return plan(place_N3, wanted_N3, RULES, spare_P3, NEAR / 2)
