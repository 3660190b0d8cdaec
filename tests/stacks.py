"""Stacks made by hand: things in columns, and moves among them that work or fail."""

import numpy as np

from ncs.graph.rules import Attempts

SIDE = 0.15  # of a thing
COLUMNS = np.array([-0.4, -0.2, 0.0, 0.2, 0.4])
LEVELS = 4
FEWER = 9  # things at most


def points(cell: np.ndarray) -> np.ndarray:
    """Where the middle of a thing in a cell is; cell = level * columns + column."""
    level, column = np.divmod(cell, len(COLUMNS))
    nothing = np.zeros(np.shape(cell))
    return np.stack([COLUMNS[column], nothing, (level + 0.5) * SIDE], axis=-1)


def drop(rng: np.random.Generator, n_things: int) -> np.ndarray:
    """Cells of things dropped into random columns."""
    height, cells = np.zeros(len(COLUMNS), int), []
    for _ in range(n_things):
        column = int(rng.choice(np.flatnonzero(height < LEVELS)))
        cells.append(height[column] * len(COLUMNS) + column)
        height[column] += 1
    return rng.permutation(cells)


def works(cells: np.ndarray, thing: int, target: int) -> bool:
    """Whether a move does: the rules that are to be found out."""
    others = {int(cell) for i, cell in enumerate(cells) if i != thing}
    below = target - len(COLUMNS)
    clear = int(cells[thing]) + len(COLUMNS) not in others
    return clear and target not in others and (below < 0 or below in others)


def attempt(
    rng: np.random.Generator, n_attempts: int, n_things: int, noise: float = 0.0
) -> Attempts:
    """Random attempts, half of them at places that can be taken."""
    thing, place, others, landed, worked = [], [], [], [], []
    while len(worked) < n_attempts:
        cells = drop(rng, n_things)
        index = int(rng.integers(n_things))
        choices = [c for c in range(len(COLUMNS) * LEVELS) if c != cells[index]]
        if rng.random() < 0.5:
            choices = [c for c in choices if works(cells, index, c)] or choices
        target = int(rng.choice(choices))
        seen_3 = points(cells) + rng.normal(0, noise, (n_things, 3)) if noise else points(cells)
        padded = np.full((FEWER, 3), np.nan)
        padded[: n_things - 1] = np.delete(seen_3, index, axis=0)
        worked.append(works(cells, index, target))
        thing.append(seen_3[index])
        place.append(points(np.array(target)))
        others.append(padded)
        landed.append(place[-1] if worked[-1] else thing[-1])
    return Attempts(
        np.array(thing),
        np.array(place),
        np.array(others),
        np.array(landed),
        np.zeros(n_attempts, bool),
        np.array(worked),
    )
