"""Pure facts of the block grid: which tasks there are, and how few moves solve them.

Cells are numbered 0 to 15, x fastest. A goal cell of -1 means the object has no constraint.
Legend: N objects, 2 coordinates.
"""

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.blocks.facts import (
    CUBE,
    EDGE,
    FAINT,
    FLOOR_GREY,
    N_CELLS,
    NAME,
    NEAR,
    NO_GOAL,
    SIDE,
    SPACING,
    Style,
)
from ncs.records import GoalKind, Task

Cells = NDArray[np.int64]


@functools.cache
def cell_centres() -> NDArray[np.float64]:
    """The xy of every cell, (16, 2), not to be written to."""
    line = (np.arange(SIDE) - (SIDE - 1) / 2) * SPACING
    y, x = np.meshgrid(line, line, indexing="ij")
    centre = np.stack([x.ravel(), y.ravel()], axis=1)
    centre.flags.writeable = False
    return centre


@functools.cache
def cube_centres() -> NDArray[np.float32]:
    """The middle of a cube that stands in each cell, (16, 3), not to be written to."""
    centre = np.full((N_CELLS, 3), CUBE / 2, np.float32)
    centre[:, :2] = cell_centres()
    centre.flags.writeable = False
    return centre


@functools.cache
def _moves() -> NDArray[np.float32]:
    """The action (w, dw) from each cell to each, (16, 16, 6)."""
    centre = cell_centres()
    action = np.zeros((N_CELLS, N_CELLS, 6), np.float32)
    action[..., :2] = centre[:, None]
    action[..., 2] = CUBE / 2
    action[..., 3:5] = centre - centre[:, None]
    return action


def exact_move(cell: int, target: int) -> NDArray[np.float32]:
    """The action that takes a cube from the middle of its cell to the middle of another."""
    action: NDArray[np.float32] = _moves()[cell, target].copy()
    return action


def free_cells(cells: Iterable[int]) -> list[int]:
    """Cells that no object stands on, in order."""
    occupied = set(cells)
    return [cell for cell in range(N_CELLS) if cell not in occupied]


def nearest_cell(x: float, y: float) -> int | None:
    """The cell a point lies in, or None outside the arena; the far edge is the last cell's."""
    if not (-EDGE <= x <= EDGE and -EDGE <= y <= EDGE):
        return None
    column = min(int((x + EDGE) / SPACING), SIDE - 1)
    row = min(int((y + EDGE) / SPACING), SIDE - 1)
    return row * SIDE + column


def draw_task(
    rng: np.random.Generator,
    n_objects: int,
    goal: GoalKind,
    n_constrained: int,
    style: Style = "plain",
) -> Task:
    """A task with random colours, start cells and goal cells.

    The styles other than plain are hard on purpose: all colours near one another, all near the
    floor's, or all objects next to each other at the start.
    """
    colour_N3 = _draw_colours(rng, n_objects, style)
    start_N = _draw_cluster(rng, n_objects) if style == "crowded" else rng.permutation(N_CELLS)
    start_N = start_N[:n_objects]
    n_goals = {"complete": n_objects, "partial": n_constrained, "none": 0}[goal]
    goal_N = np.full(n_objects, NO_GOAL)
    if n_goals:
        goal_N[:n_goals] = _draw_goals(rng, start_N, n_goals)
    return make_task(goal, colour_N3, start_N, goal_N)


def _draw_colours(rng: np.random.Generator, n_objects: int, style: Style) -> NDArray[np.float32]:
    """Colours, uniform unless the style says otherwise."""
    if style == "lookalike":
        middle_3 = rng.uniform(NEAR, 1 - NEAR, 3)
        return (middle_3 + rng.uniform(-NEAR, NEAR, (n_objects, 3))).astype(np.float32)
    if style == "faint":
        shift_N3 = rng.uniform(-NEAR, NEAR, (n_objects, 3))
        while (gone_N := np.abs(shift_N3).max(axis=1) < FAINT).any():
            shift_N3[gone_N] = rng.uniform(-NEAR, NEAR, (int(gone_N.sum()), 3))
        return (FLOOR_GREY + shift_N3).astype(np.float32)
    return rng.random((n_objects, 3)).astype(np.float32)


def _draw_cluster(rng: np.random.Generator, n_objects: int) -> Cells:
    """Cells that hang together, grown from a random one."""
    cells = [int(rng.integers(N_CELLS))]
    while len(cells) < n_objects:
        rim = [
            cell
            for cell in range(N_CELLS)
            if cell not in cells and any(_are_neighbours(cell, other) for other in cells)
        ]
        cells.append(rim[int(rng.integers(len(rim)))])
    return np.array(cells)


def _are_neighbours(one: int, other: int) -> bool:
    """Whether two cells share a side."""
    across, down = abs(one % SIDE - other % SIDE), abs(one // SIDE - other // SIDE)
    return across + down == 1


def _draw_goals(rng: np.random.Generator, start_N: Cells, n_goals: int) -> Cells:
    """Goal cells that are free at the start or, where those are too few, not one's own start."""
    free = free_cells(start_N)
    if len(free) >= n_goals:
        return rng.permutation(free)[:n_goals]
    while True:
        goal_N = rng.permutation(N_CELLS)[:n_goals]
        if (goal_N != start_N[:n_goals]).all():
            return goal_N


def make_task(
    goal: GoalKind, colour_N3: NDArray[np.float32], start_N: Cells, goal_N: Cells
) -> Task:
    """A task from its parts, with the fewest moves worked out."""
    scene: dict[str, NDArray[Any]] = {
        "colour": np.asarray(colour_N3, np.float32),
        "start": np.asarray(start_N, np.int8),
        "goal": np.asarray(goal_N, np.int8),
    }
    return Task(NAME, goal, scene, minimum_moves(np.asarray(start_N), np.asarray(goal_N)))


def minimum_moves(cell_N: Cells, goal_N: Cells) -> int:
    """Fewest moves that bring every constrained object home.

    Follow from each object to the one that stands on its goal. Every misplaced object moves once;
    a closed cycle costs one move more, to a spare cell, and so does an object without a constraint
    that stands in the way.
    """
    if (goal_N == NO_GOAL).all():
        return 0
    owner = {int(cell): index for index, cell in enumerate(cell_N)}
    misplaced = [i for i in range(len(cell_N)) if goal_N[i] not in (NO_GOAL, cell_N[i])]
    wanted = [owner[int(goal_N[i])] for i in misplaced if int(goal_N[i]) in owner]
    in_the_way = int((goal_N[wanted] == NO_GOAL).sum()) if wanted else 0
    return len(misplaced) + in_the_way + len(find_cycles(cell_N, goal_N))


def find_cycles(cell_N: Cells, goal_N: Cells) -> list[list[int]]:
    """Groups of objects each of which stands on the goal of the one before it, in a ring."""
    owner = {int(cell): index for index, cell in enumerate(cell_N)}
    cycles: list[list[int]] = []
    seen: set[int] = set()
    for first in range(len(cell_N)):
        path: list[int] = []
        index: int | None = first
        while index is not None and index not in seen:
            seen.add(index)
            path.append(index)
            index = owner.get(int(goal_N[index])) if goal_N[index] != NO_GOAL else None
        if index in path and len(path) > 1:
            cycles.append(path[path.index(index) :])
    return cycles


def next_move(cell_N: Cells, goal_N: Cells) -> tuple[int, int] | None:
    """The next move of a shortest solution as (object, target cell); None when all is done."""
    occupied = {int(cell): index for index, cell in enumerate(cell_N)}
    misplaced = [i for i in range(len(cell_N)) if goal_N[i] not in (NO_GOAL, cell_N[i])]
    for index in misplaced:
        if int(goal_N[index]) not in occupied:
            return index, int(goal_N[index])
    if not misplaced:
        return None
    wanted = {int(goal) for goal in goal_N}
    free = free_cells(cell_N)
    spare = next((cell for cell in free if cell not in wanted), free[0])
    for index in misplaced:
        blocker = occupied[int(goal_N[index])]
        if goal_N[blocker] == NO_GOAL:
            return blocker, spare
    return find_cycles(cell_N, goal_N)[0][0], spare
