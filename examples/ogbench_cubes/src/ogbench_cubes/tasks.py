"""Tasks: OGBench's five by their numbers, random arrangements, and scenes to play in.

A task of OGBench is its number and a seed; starts and goals are OGBench's own. Pure NumPy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.records import GoalKind, Task
from ogbench_cubes.facts import MOVES, NAME, WANDERS
from ogbench_cubes.scenes import Doubles, draw_scene, next_move

Draw = Callable[[np.random.Generator, int], Doubles]
FREE = 0  # number of a task that is none of OGBench's


def official_task(n_cubes: int, number: int, seed: int) -> Task:
    """One of OGBench's tasks, counted from 1."""
    scene: dict[str, NDArray[Any]] = {
        "number": np.full(n_cubes, number, np.int8),
        "seed": np.full(n_cubes, seed, np.int64),
    }
    return Task(NAME, "complete", scene, MOVES[n_cubes][number - 1])


def own_task(
    start_N3: Doubles, goal_N3: Doubles, seed: int, goal: GoalKind, moves: int, wanders: bool
) -> Task:
    """A task from its parts."""
    n_cubes = len(start_N3)
    scene: dict[str, NDArray[Any]] = {
        "start": np.asarray(start_N3, np.float64),
        "goal": np.asarray(goal_N3, np.float64),
        "seed": np.full(n_cubes, seed, np.int64),
        "number": np.full(n_cubes, FREE, np.int8),
        "wanders": np.full(n_cubes, wanders, np.int8),
    }
    return Task(NAME, goal, scene, moves)


def free_task(rng: np.random.Generator, n_cubes: int, draw: Draw = draw_scene) -> Task:
    """A scene to play in."""
    start_N3, wanders = draw(rng, n_cubes), bool(rng.random() < WANDERS)
    seed = int(rng.integers(2**31))
    return own_task(start_N3, start_N3, seed, "none", moves=0, wanders=wanders)


def random_task(rng: np.random.Generator, n_cubes: int, draw: Draw = draw_scene) -> Task:
    """From any arrangement to any other."""
    while True:
        start_N3, goal_N3 = draw_scene(rng, n_cubes), draw(rng, n_cubes)
        if rng.random() < 0.5:  # who is where changes: swaps, rings, towers in another order
            goal_N3 = start_N3[rng.permutation(n_cubes)]
        found = next_move(start_N3, goal_N3)
        if found is not None:
            seed = int(rng.integers(2**31))
            moves = max(1, found.steps)
            return own_task(start_N3, goal_N3, seed, "complete", moves, wanders=False)
