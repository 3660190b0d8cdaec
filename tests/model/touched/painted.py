"""Discs and sticks that actions move about, painted; with all that a world may add to them."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

METRES = 0.01  # of a pixel


@dataclass(frozen=True)
class Clips:
    """Clips with their truth."""

    frame: Tensor  # (B, T, H, W, 3) uint8
    action: Tensor  # (B, T - 1, 6)
    pixel: NDArray[np.float64]  # (B, T, N, 2) x, y


def disc(
    picture: NDArray[np.float64],
    middle: NDArray[np.float64],
    colour: NDArray[np.float64],
    radius: float,
) -> None:
    """Paints a disc into a picture (H, W, 3)."""
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]] + 0.5
    picture[(x - middle[0]) ** 2 + (y - middle[1]) ** 2 < radius**2] = colour


def to_world(pixel: NDArray[np.float64]) -> NDArray[np.float32]:
    """Metres of pixels: y goes up there, and down in pictures."""
    flat = np.stack([pixel[..., 0] - 20, 10 - pixel[..., 1], np.full(pixel.shape[:-1], 5.0)], -1)
    return (flat * METRES).astype(np.float32)


def free_spot(
    others: NDArray[np.float64], radius: float, high: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """A middle inside the picture and away from the others."""
    while True:
        spot = rng.uniform(radius + 1, high)
        if not len(others) or np.linalg.norm(others - spot, axis=1).min() > 2.5 * radius:
            return spot


def make_clips(
    clips: int,
    objects: int,
    height: int = 48,
    width: int = 64,
    frames: int = 4,
    seed: int = 0,
    noise: float = 0.0,
    radius: float = 4.0,
    arm: bool = False,
    fail: float = 0.0,
) -> Clips:
    """Clips in which each action moves one disc to a free spot; some fail, and nothing changes."""
    rng = np.random.default_rng(seed)
    frame = np.empty((clips, frames, height, width, 3), np.uint8)
    action = np.empty((clips, frames - 1, 6), np.float32)
    pixel = np.empty((clips, frames, objects, 2))
    high = np.array([width, height]) - radius - 1
    for b in range(clips):
        colour = rng.uniform(0, 255, (objects, 3))
        colour[:, rng.integers(3)] = rng.uniform(0, 90, objects)
        place = np.zeros((0, 2))
        for _ in range(objects):
            place = np.concatenate([place, free_spot(place, radius, high, rng)[None]])
        for t in range(frames):
            picture = np.full((height, width, 3), 150.0)
            for middle, shade in zip(place, colour, strict=True):
                disc(picture, middle, shade, radius)
            if arm:
                column = int(rng.integers(width - 6))
                picture[: height // 3, column : column + 5] = 20
            picture += rng.normal(0, noise, picture.shape)
            frame[b, t] = np.clip(np.round(picture), 0, 255)
            pixel[b, t] = place
            if t + 1 < frames:
                k = int(rng.integers(objects))
                spot = free_spot(place, radius, high, rng)
                action[b, t, :3] = to_world(place[k])
                action[b, t, 3:] = to_world(spot) - to_world(place[k])
                if rng.random() >= fail:
                    place = place.copy()
                    place[k] = spot
    return Clips(torch.from_numpy(frame), torch.from_numpy(action), pixel)
