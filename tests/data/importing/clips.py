"""Clips of squares that are moved, and folders of them as a user would have them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

HEADER = "pick_x_cm,pick_y_cm,place_x_cm,place_y_cm"


def draw_clips(
    n_clips: int, n_frames: int = 3, height: int = 36, width: int = 48
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Frames (N, T, H, W, 3) and actions (N, T - 1, 6) of one square on grey."""
    rng = np.random.default_rng(0)
    frame = np.full((n_clips, n_frames, height, width, 3), 90, np.uint8)
    place = rng.integers(2, [width - 8, height - 8], (n_clips, n_frames, 2))
    for clip, time in np.ndindex(n_clips, n_frames):
        x, y = place[clip, time]
        frame[clip, time, y : y + 6, x : x + 6] = (220, 30 * time, 40)
    position = np.concatenate([place, np.zeros((n_clips, n_frames, 1))], axis=2) / 100
    action = np.concatenate([position[:, :-1], np.diff(position, axis=1)], axis=2)
    return frame, action.astype(np.float32)


def write_folder(
    folder: Path, frame: NDArray[np.uint8], action: NDArray[np.float32], ending: str = "png"
) -> Path:
    """The same clips as folders of pictures with a table in centimetres."""
    for number, (pictures, moves) in enumerate(zip(frame, action, strict=True)):
        clip = folder / f"clip-{number:04d}"
        clip.mkdir(parents=True)
        for time, picture in enumerate(pictures):
            Image.fromarray(picture).save(clip / f"{time:03d}.{ending}")
        ends = np.concatenate([moves[:, :2], moves[:, :2] + moves[:, 3:5]], axis=1) * 100
        lines = [",".join(f"{value:.6f}" for value in row) for row in ends]
        (clip / "actions.csv").write_text("\n".join([HEADER, *lines]) + "\n")
    return folder
