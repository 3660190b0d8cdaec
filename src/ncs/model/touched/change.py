"""Which pixels differ between two pictures by more than the camera's noise.

Legend: B clips, T frames, M moves (T - 1), C channels, H height, W width.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

LEVEL = 1 / 255
SURE = 4.5  # standard deviations of a still pixel: one of 150 000 is further off by chance
LIKELY = 1.5  # what a pixel must show itself where its neighbours together are sure
SAMPLE = 4_000_000  # differences that tell the noise


def as_image(frame: Tensor, shape: tuple[int, int]) -> Tensor:
    """Images (..., C, H, W) in [0, 1] of a given size, from frames (..., H, W, C) of bytes."""
    image = frame.movedim(-1, -3).float() * LEVEL
    if tuple(image.shape[-2:]) == shape:
        return image
    flat = image.reshape(-1, *image.shape[-3:])
    mode = "area" if shape[0] <= image.shape[-2] else "bilinear"
    resized = functional.interpolate(flat, size=shape, mode=mode)
    return resized.view(*image.shape[:-2], *shape)


def measure_noise(image_BTCHW: Tensor) -> float:
    """Standard deviation of the difference of a still pixel, robust against what moves.

    Most pixels do not change. Where noise is below a level of brightness most differences are
    zero, and how many are tells the rest.
    """
    gap = (image_BTCHW[:, 1:] - image_BTCHW[:, :-1]).abs().flatten()
    gap = gap[:: max(1, len(gap) // SAMPLE)]
    zero = float((gap < LEVEL / 2).float().mean())
    middle = 1.4826 * float(gap.median())
    if not 0 < zero < 1:
        return middle or LEVEL / 8
    tail = LEVEL / 2 / (math.sqrt(2) * float(torch.erfinv(torch.tensor(zero))))
    return middle if zero < 0.5 else min(tail, LEVEL)


def find_change(image_BTCHW: Tensor, noise: float) -> Tensor:
    """Pixels (B, M, H, W) that changed from each frame to the next.

    A pixel is sure by itself, or together with its eight neighbours: faint things under noise.
    """
    gap = image_BTCHW[:, 1:] - image_BTCHW[:, :-1]
    alone = gap.abs().amax(dim=2)
    if SURE * noise < 2 * LEVEL:  # nothing is fainter than what a pixel shows by itself
        return alone > SURE * noise
    flat = gap.flatten(0, 1)
    together = functional.avg_pool2d(flat, 3, 1, 1).abs().amax(dim=1).view_as(alone)
    return (alone > SURE * noise) | ((together > SURE / 3 * noise) & (alone > LIKELY * noise))
