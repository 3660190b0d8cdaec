"""Free play of block-stacking: which cube goes first, and where to.

Before a wall cubes are moved in any order to any column. On a table, where few columns of many
would be high by chance, play takes from tops and mostly puts on cubes.
"""

from collections.abc import Sequence

import numpy as np

from ncs.envs.stacking.facts import DIGS, HIGHEST, ON_TOP, TRIES
from ncs.envs.stacking.layouts import DEPTH, Layout
from ncs.envs.stacking.tasks import Cells, tops


def first_to_move(
    rng: np.random.Generator, layout: Layout, cells: Sequence[int], left: Sequence[int]
) -> int:
    """Which of the cubes that are left to be moved in a clip goes first."""
    if layout is not DEPTH or rng.random() >= DIGS:
        return left[0]
    free = [i for i in left if cells[i] + layout.n_columns not in cells] or list(left)
    if rng.random() < HIGHEST:
        return max(free, key=lambda i: cells[i] // layout.n_columns)
    return free[0]


def place_to_try(
    rng: np.random.Generator,
    layout: Layout,
    cells: Sequence[int],
    index: int,
    start: Sequence[int],
) -> int:
    """The cell in which to try to put a cube: mostly one in which it can stand.

    Args:
        rng: Of the clip.
        layout: Where cubes can stand.
        cells: Where they do.
        index: Which is moved.
        start: Where they stood as play began.
    """
    others = [i for i in range(len(cells)) if i != index]
    own = cells[index] % layout.n_columns
    free = tops(layout, [cells[i] for i in others])
    free = [cell for cell in free if cell % layout.n_columns != own]
    if rng.random() < TRIES:
        free = list(range(layout.n_cells))
    elif layout is DEPTH and rng.random() < ON_TOP:
        left = {cells[i] % layout.n_columns for i in others if cells[i] == start[i]}
        free = _high(layout, free, left)
    return free[int(rng.integers(len(free)))]


def _high(layout: Layout, free: Cells, left: set[int]) -> Cells:
    """Of places those on other cubes, the higher the more often; all where none is.

    What is left to be moved is not buried: what is never moved teaches that it is nothing.
    """
    level_of = {cell: cell // layout.n_columns for cell in free}
    open_to = [cell for cell in free if cell % layout.n_columns not in left]
    return [cell for cell in open_to for _ in range(level_of[cell] ** 2)] or free
