"""A world of one painted block on a grid of 4 x 4 cells, 32 pixels wide, for quick sanity checks.

Legend: B clips, T frames, H height, W width, C channels, 2 cell column and row.
"""

import numpy as np
import torch

from ncs.baselines.pixels import Actor, stack, to_metres

SIDE, CELL, SIZE = 4, 8, 32
ARENA = {"low": (-0.4, -0.4), "high": (0.4, 0.4), "height": 0.08}
SMALL = {**ARENA, "size": SIZE, "features": (8, 16, 32, 64), "hidden": (64, 64), "crop_pad": 0}


def paint(cell_BT2: np.ndarray, colour_B3: np.ndarray) -> np.ndarray:
    """Frames (B, T, H, W, C) of a block in these cells, on grey."""
    frame = np.full((*cell_BT2.shape[:2], SIZE, SIZE, 3), 190, np.uint8)
    for clip, time in np.ndindex(*cell_BT2.shape[:2]):
        left, top = cell_BT2[clip, time] * CELL + 1
        frame[clip, time, top : top + CELL - 2, left : left + CELL - 2] = colour_B3[clip]
    return frame


def draw_clips(
    rng: np.random.Generator, n_clips: int, n_moves: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frames, actions (B, T - 1, 6) and cells of clips in which the block is moved at random."""
    number = rng.integers(SIDE**2, size=(n_clips, n_moves + 1))
    for time in range(1, n_moves + 1):
        hop = rng.integers(1, SIDE**2, size=n_clips)  # never to where it is
        number[:, time] = (number[:, time - 1] + hop) % SIDE**2
    cell_BT2 = np.stack([number % SIDE, number // SIDE], axis=-1)
    place_BT2 = (cell_BT2 - (SIDE - 1) / 2) * 0.2
    action = np.zeros((n_clips, n_moves, 6), np.float32)
    action[..., :2], action[..., 2] = place_BT2[:, :-1], 0.08
    action[..., 3:5] = np.diff(place_BT2, axis=1)
    colour = rng.integers(0, 150, size=(n_clips, 3), dtype=np.uint8)
    return paint(cell_BT2, colour), action, cell_BT2


def success(actor: Actor, rng: np.random.Generator, n_tasks: int = 300) -> float:
    """The share of one-move tasks whose first action picks the block and puts it on its goal."""
    frame, _, cell_BT2 = draw_clips(rng, n_tasks, 1)
    with torch.no_grad():
        pair = stack(torch.from_numpy(frame[:, 0]), torch.from_numpy(frame[:, 1]))
        action_B6 = to_metres(actor(pair), actor.config).numpy()
    pick_B2 = action_B6[:, :2]
    point_BT2 = np.stack([pick_B2, pick_B2 + action_B6[:, 3:5]], axis=1)
    reached_BT2 = np.floor(point_BT2 / 0.2 + SIDE / 2).astype(int)
    return float((reached_BT2 == cell_BT2).all(axis=(1, 2)).mean())
