"""Tasks of block-stacking: starts, goals, and how few moves lead from one to the other.

Legend: N cubes. A goal cell of -1 means the cube has no constraint.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.stacking.facts import ELSEWHERE, NAME, PILED, TOWERS, UPSIDE_DOWN, Style
from ncs.envs.stacking.layouts import DEPTH, LAYOUT_OF, LAYOUTS, Layout
from ncs.puzzle import ANYWHERE, Move, Puzzle, solve
from ncs.records import GoalKind, Task

NO_GOAL = ANYWHERE
LUMINANCE = (0.299, 0.587, 0.114)

Cells = list[int]  # (N,) the cell of each cube


@functools.cache
def rules(layout: Layout) -> Puzzle:
    """What depends on what, as this world has it."""
    columns, cells = layout.n_columns, range(layout.n_cells)
    own = tuple(1 << cell for cell in cells)
    above = tuple(1 << cell + columns if cell + columns < len(cells) else 0 for cell in cells)
    below = tuple(1 << cell - columns if cell >= columns else 0 for cell in cells)
    return Puzzle(hold=above, block=own, need=below)


def is_possible(layout: Layout, cells: Sequence[int]) -> bool:
    """Whether cubes can stand like this: each in a cell of its own, none in the air."""
    taken, columns = set(cells), layout.n_columns
    supported = all(cell < columns or cell - columns in taken for cell in cells)
    return supported and len(taken) == len(cells)


def tops(layout: Layout, cells: Sequence[int]) -> Cells:
    """The cells that another cube can be put at."""
    taken = set(cells)
    columns = range(layout.n_columns)
    free = ([*range(column, layout.n_cells, layout.n_columns)] for column in columns)
    first = (next((cell for cell in column if cell not in taken), None) for column in free)
    return [cell for cell in first if cell is not None]


def draw_task(
    rng: np.random.Generator, n_cubes: int, goal: GoalKind, n_constrained: int, style: Style
) -> Task:
    """A task with random colours, a goal that is built, and a start that may be in its way."""
    layout = LAYOUTS[LAYOUT_OF[style]]
    colour_N3 = rng.random((n_cubes, 3)).astype(np.float32)
    if goal == "none":
        start = draw_scene(rng, layout, n_cubes)
        return make_task(goal, style, colour_N3, start, [NO_GOAL] * n_cubes)
    while True:
        built = draw_goal(rng, layout, colour_N3)
        start = draw_start(rng, layout, built)
        if goal == "partial":
            left_out = rng.permutation(n_cubes)[n_constrained:]
            built = [NO_GOAL if i in left_out else cell for i, cell in enumerate(built)]
        if any(cell not in (NO_GOAL, start[i]) for i, cell in enumerate(built)):
            return make_task(goal, style, colour_N3, start, built)


def make_task(
    goal: GoalKind,
    style: Style,
    colour_N3: NDArray[np.float32],
    start: Sequence[int],
    built: Sequence[int],
) -> Task:
    """A task from its parts, with the fewest moves worked out."""
    scene: dict[str, NDArray[Any]] = {
        "colour": np.asarray(colour_N3, np.float32),
        "start": np.asarray(start, np.int8),
        "goal": np.asarray(built, np.int8),
        "layout": np.full(len(start), LAYOUT_OF[style], np.int8),
    }
    plan = shortest(LAYOUTS[LAYOUT_OF[style]], start, built)
    return Task(NAME, goal, scene, len(plan))


def draw_scene(rng: np.random.Generator, layout: Layout, n_cubes: int) -> Cells:
    """Where cubes stand as free play begins: on a table mostly in towers."""
    if layout is DEPTH and rng.random() < TOWERS:
        height = draw_towers(rng, layout, n_cubes)
        return fill(layout, height, rng.permutation(n_cubes).tolist())
    return drop(rng, layout, n_cubes)


def drop(rng: np.random.Generator, layout: Layout, n_cubes: int) -> Cells:
    """Cubes dropped one after another, half of the scenes over few columns and so piled high."""
    columns = rng.permutation(layout.n_columns)
    few = int(rng.integers(1, layout.n_columns)) if rng.random() < PILED else layout.n_columns
    few = max(few, -(-n_cubes // layout.levels))
    cells: Cells = []
    for _ in range(n_cubes):
        free = [cell for cell in tops(layout, cells) if cell % layout.n_columns in columns[:few]]
        cells.append(free[int(rng.integers(len(free)))])
    return [cells[i] for i in rng.permutation(n_cubes)]


def draw_goal(rng: np.random.Generator, layout: Layout, colour_N3: NDArray[np.float32]) -> Cells:
    """Towers, a pyramid, or columns in which brightness rises."""
    n_cubes = len(colour_N3)
    kind = rng.integers(3)
    if kind == 0:
        height = draw_towers(rng, layout, n_cubes)
    elif kind == 1:
        height = draw_pyramid(rng, layout, n_cubes)
    else:
        height = draw_columns(rng, layout, n_cubes)
    order = rng.permutation(n_cubes)
    if kind == 2:
        order = np.argsort(colour_N3 @ np.array(LUMINANCE), kind="stable")
    return fill(layout, height, order.tolist())


def fill(layout: Layout, height: Sequence[int], order: Sequence[int]) -> Cells:
    """The cells of cubes that fill columns of given heights, in order, each from its bottom."""
    cells = [
        level * layout.n_columns + column
        for column, top in enumerate(height)
        for level in range(top)
    ]
    built = [0] * len(order)
    for cube, cell in zip(order, cells, strict=True):
        built[cube] = cell
    return built


def draw_towers(rng: np.random.Generator, layout: Layout, n_cubes: int) -> Cells:
    """Heights of as few towers as will do, or one more, at random columns."""
    fewest = -(-n_cubes // layout.levels)
    count = min(fewest + int(rng.integers(2)), n_cubes, layout.n_columns)
    height = [0] * layout.n_columns
    columns = rng.permutation(layout.n_columns)[:count].tolist()
    for column in columns:
        height[column] = 1
    for _ in range(n_cubes - count):
        open_columns = [column for column in columns if height[column] < layout.levels]
        height[open_columns[int(rng.integers(len(open_columns)))]] += 1
    return height


def draw_pyramid(rng: np.random.Generator, layout: Layout, n_cubes: int) -> Cells:
    """Heights that rise by one and fall by one, around a random column of a row."""
    first = int(rng.integers(layout.n_columns // layout.row)) * layout.row
    peak = int(rng.integers(layout.row))
    slots = sorted(
        (abs(column - peak) + level, level, column)
        for column in range(layout.row)
        for level in range(layout.levels - abs(column - peak))
    )
    height = [0] * layout.n_columns
    for _, _, column in slots[:n_cubes]:
        height[first + column] += 1
    return _top_up(height, n_cubes)


def _top_up(height: Cells, n_cubes: int) -> Cells:
    """Heights that hold every cube: what a shape has no room for goes on the lowest columns."""
    while sum(height) < n_cubes:
        height[height.index(min(height))] += 1
    return height


def draw_columns(rng: np.random.Generator, layout: Layout, n_cubes: int) -> Cells:
    """Heights of columns as equal as they can be."""
    fewest = -(-n_cubes // layout.levels)
    most = min(layout.n_columns, max(fewest, n_cubes // 2))
    count = int(rng.integers(fewest, most + 1))
    height = [0] * layout.n_columns
    columns = sorted(rng.permutation(layout.n_columns)[:count].tolist())
    for index, column in enumerate(columns):
        height[column] = n_cubes // count + (index < n_cubes % count)
    return height


def draw_start(rng: np.random.Generator, layout: Layout, built: Cells) -> Cells:
    """Cubes dropped anywhere; or where the goal is, every column upside down or all mixed up."""
    draw = rng.random()
    if draw < ELSEWHERE:
        return drop(rng, layout, len(built))
    if draw < 1 - UPSIDE_DOWN:
        return [built[int(i)] for i in rng.permutation(len(built))]
    columns = layout.n_columns
    height = [0] * columns
    for cell in built:
        height[cell % columns] += 1
    return [
        (height[cell % columns] - 1 - cell // columns) * columns + cell % columns for cell in built
    ]


def shortest(layout: Layout, cells: Sequence[int], built: Sequence[int]) -> list[Move]:
    """A shortest sequence of moves that brings every constrained cube home."""
    if all(goal == NO_GOAL for goal in built):
        return []
    plan = solve(rules(layout), tuple(int(c) for c in cells), [int(c) for c in built])
    assert plan is not None, "every arrangement can be taken apart and built again"
    return plan
