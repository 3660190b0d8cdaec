"""What every reader of foreign experience gives: clips, and which were left out and why.

Legend: T frames, H height, W width.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.records import DataError

ACTION_NUMBERS = 6
MOST_CLIPS = 100_000
MOST_FRAMES = 10_000  # of one clip


@dataclass(frozen=True)
class RawClip:
    """One stretch of pictures, and the pick-and-move between each two."""

    name: str
    frame: NDArray[np.uint8]  # (T, H, W, 3)
    action: NDArray[np.float32]  # (T - 1, 6): w then delta w


@dataclass(frozen=True)
class LeftOut:
    """A clip that is not taken."""

    name: str
    why: str


@dataclass(frozen=True)
class Source:
    """Experience of others, not yet read."""

    kind: str  # "folder", "arrays", "minari" or "lerobot"
    clips: Iterator["RawClip | LeftOut"]  # read one at a time
    total: int  # of them, left out or not
    unit: str = ""  # of lengths; "" where nobody says


@dataclass
class Tally:
    """What came of the clips so far."""

    taken: int = 0
    left_out: list[LeftOut] = field(default_factory=list)


def check_clip(name: str, frame: NDArray[Any], action: NDArray[Any]) -> RawClip | LeftOut:
    """The clip of two arrays, or why it is none."""
    if frame.ndim != 4 or frame.shape[-1] != 3:
        return LeftOut(name, f"frame has shape {frame.shape}, must be (T, H, W, 3)")
    if len(frame) < 2:
        return LeftOut(name, "shows no move: it has fewer than two frames")
    if action.shape != (len(frame) - 1, ACTION_NUMBERS):
        return LeftOut(
            name,
            f"{len(frame)} frames need actions ({len(frame) - 1}, {ACTION_NUMBERS}), "
            f"got {action.shape}",
        )
    if not np.isfinite(action).all():
        return LeftOut(name, "an action is not a finite number")
    return RawClip(name, as_bytes(frame), action.astype(np.float32))


def as_bytes(frame: NDArray[Any]) -> NDArray[np.uint8]:
    """Pictures of 8 bits from 8 or 16 bits, or from numbers in [0, 1]; refuses others."""
    if frame.dtype == np.uint8:
        return np.asarray(frame)
    if frame.dtype == np.uint16:
        return (frame >> 8).astype(np.uint8)
    if np.issubdtype(frame.dtype, np.floating) and frame.size:
        if not np.isfinite(frame).all():
            raise DataError("frame: holds what is no finite number; give bytes, 16 bits, or [0, 1]")
        low, high = float(frame.min()), float(frame.max())
        if low >= 0 and high <= 1:
            return np.asarray((frame * 255).round(), np.uint8)
        raise DataError(
            f"frame: holds numbers from {low:.3g} to {high:.3g}; give bytes, 16 bits, or [0, 1]"
        )
    raise DataError(f"frame: is of type {frame.dtype}; give uint8, uint16, or floats in [0, 1]")
