"""Pictures of squares on a grid, made by slicing arrays: block-rearrange without a simulator."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

GREY = 191
PITCH = 16  # pixels from cell to cell
CUBE = 13


@dataclass(frozen=True)
class Painted:
    """Clips with their truth."""

    frame: Tensor  # (B, T, H, W, 3) uint8
    action: Tensor  # (B, T - 1, 6)
    cell: NDArray[np.int64]  # (B, T, N)


def paint(cell_N: NDArray[np.int64], colour_N3: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """One picture."""
    frame = np.full((side * PITCH, side * PITCH, 3), GREY, np.uint8)
    for cell, colour in zip(cell_N, colour_N3, strict=True):
        top, left = cell // side * PITCH + 1, cell % side * PITCH + 2
        frame[top : top + CUBE, left : left + CUBE] = colour
    return frame


def centres(cell: NDArray[np.int64], side: int) -> NDArray[np.float64]:
    """Places (..., 2) of the middles of squares."""
    pixel = np.stack([cell % side * PITCH + 2, cell // side * PITCH + 1], axis=-1) + CUBE / 2
    place: NDArray[np.float64] = pixel / (side * PITCH / 2) - 1
    return place


def metres(cell: int, side: int) -> NDArray[np.float64]:
    """Where a cell is in the world: y goes up there, and down in pictures."""
    middle = (side - 1) / 2
    return np.array([(cell % side - middle) * 0.2, (middle - cell // side) * 0.2, 0.08])


def make_clips(
    clips: int, objects: int, side: int, frames: int = 2, seed: int = 0, contrast: int = 40
) -> Painted:
    """Clips in which each action moves one object to a free cell.

    Colours differ from the background by the contrast in each channel.
    """
    rng = np.random.default_rng(seed)
    colour = rng.integers(0, GREY - contrast, (clips, objects, 3)).astype(np.uint8)
    picture = np.empty((clips, frames, side * PITCH, side * PITCH, 3), np.uint8)
    action = np.empty((clips, frames - 1, 6), np.float32)
    cell = np.empty((clips, frames, objects), np.int64)
    for b in range(clips):
        cell[b, 0] = rng.choice(side**2, objects, replace=False)
        for t in range(frames):
            picture[b, t] = paint(cell[b, t], colour[b], side)
            if t + 1 < frames:
                k = rng.integers(objects)
                to = rng.choice(np.setdiff1d(np.arange(side**2), cell[b, t]))
                start = metres(int(cell[b, t, k]), side)
                action[b, t] = np.concatenate([start, metres(int(to), side) - start])
                cell[b, t + 1] = cell[b, t]
                cell[b, t + 1, k] = to
    return Painted(torch.from_numpy(picture), torch.from_numpy(action), cell)
