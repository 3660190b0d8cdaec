"""Where cubes can stand, and from where they are seen: one layout a style.

Legend: C columns, 3 coordinates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.envs.stacking.facts import (
    COLUMNS_X,
    CUBE,
    EDGE,
    GROUND_GREY,
    GROUND_PIXELS,
    HALF_PIXEL,
    LEVELS,
    PIXELS_PER_METRE,
    TABLE_GREY,
    TABLE_LEVELS,
    TABLE_X,
    TABLE_Y,
    TILT,
    Style,
)


@dataclass(frozen=True, eq=False)  # there is one of each
class Layout:
    """Columns and levels, and a camera."""

    column: NDArray[np.float64]  # (C, 2) xy of each, row by row, x fastest
    row: int  # columns in a row
    reach: tuple[float, float]  # how far from a column's middle still belongs to it, x and y
    levels: int
    tilt: float  # degrees by which the camera looks down
    middle: tuple[float, float, float]  # what it looks at
    light: tuple[float, float, float]  # where light comes from
    ground: float  # grey of what cubes stand on

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.column)

    @property
    def n_cells(self) -> int:
        """How many places there are: cell ``level * n_columns + column``."""
        return self.n_columns * self.levels

    def centres(self) -> NDArray[np.float64]:
        """The middle of a cube in each cell, (cells, 3)."""
        level, column = np.divmod(np.arange(self.n_cells), self.n_columns)
        return np.column_stack([self.column[column], (level + 0.5) * CUBE])

    def cell_at(self, x: float, y: float, z: float) -> int | None:
        """The cell a point lies in; None where it lies in none."""
        away_C2 = np.abs(self.column - (x, y)) - self.reach
        column = int(away_C2.max(axis=1).argmin())
        level = int(np.floor(z / CUBE))
        if away_C2[column].max() > 1e-6 or not 0 <= level < self.levels:
            return None
        return level * self.n_columns + column


def _grid(x: Sequence[float], y: Sequence[float]) -> NDArray[np.float64]:
    """Columns row by row, x fastest."""
    return np.array([(a, b) for b in y for a in x])


FRONT = Layout(
    row=len(COLUMNS_X),
    column=_grid(COLUMNS_X, [0.0]),
    reach=((COLUMNS_X[1] - COLUMNS_X[0]) / 2, EDGE),  # depth is no matter in the plane
    levels=LEVELS,
    tilt=0.0,
    middle=(HALF_PIXEL, 0.0, (32 - GROUND_PIXELS) / PIXELS_PER_METRE + HALF_PIXEL),
    light=(0.0, -1.0, 0.0),  # makes a cube's front exactly its colour
    ground=GROUND_GREY,
)
DEPTH = Layout(
    row=len(TABLE_X),
    column=_grid(TABLE_X, TABLE_Y),
    reach=((TABLE_X[1] - TABLE_X[0]) / 2, (TABLE_Y[1] - TABLE_Y[0]) / 2),
    levels=TABLE_LEVELS,
    tilt=TILT,
    middle=(0.0, 0.0, CUBE),
    light=(0.0, -0.6, 1.0),  # tops are brighter than fronts
    ground=TABLE_GREY,
)
LAYOUTS = (FRONT, DEPTH)
LAYOUT_OF: dict[Style, int] = {"plain": 0, "xyz": 1}
