"""The picture once a thing has moved: its pixels go with it, what surrounds it closes the hole.

For people to look at, and for plans without a world; nothing is learned from it.

Legend: C channels, H height, W width.
"""

import torch
from torch import Tensor
from torch.nn import functional

ROUNDS = 200  # a hole of 400 pixels across is closed


def shift_thing(
    image_CHW: Tensor, mask_HW: Tensor, other_HW: Tensor, right: int, down: int
) -> Tensor:
    """The picture with the pixels of a mask moved so far, over anything else.

    Args:
        image_CHW: The picture.
        mask_HW: Pixels of the thing.
        other_HW: Pixels of other things, which do not flow into the hole.
        right: Columns it goes.
        down: Rows it goes.
    """
    hole_HW = functional.max_pool2d(mask_HW[None].float(), 3, 1, 1)[0] > 0
    floor_CHW = close(image_CHW, hole_HW & ~other_HW, other_HW)
    row, column = mask_HW.nonzero(as_tuple=True)
    to_row, to_column = row + down, column + right
    height, width = mask_HW.shape
    inside = (to_row >= 0) & (to_row < height) & (to_column >= 0) & (to_column < width)
    drawn_CHW = floor_CHW.clone()
    source = image_CHW[:, row[inside], column[inside]]
    drawn_CHW[:, to_row[inside], to_column[inside]] = source
    return drawn_CHW


def close(image_CHW: Tensor, hole_HW: Tensor, other_HW: Tensor) -> Tensor:
    """The picture with a hole closed from its border inwards."""
    filled_CHW = image_CHW.clone()
    known_HW = ~hole_HW & ~other_HW
    for _ in range(ROUNDS):
        rim_HW = hole_HW & ~known_HW
        if not rim_HW.any() or not known_HW.any():
            break
        weight_HW = functional.avg_pool2d(known_HW[None].float(), 3, 1, 1)[0]
        mean_CHW = functional.avg_pool2d(filled_CHW * known_HW, 3, 1, 1) / weight_HW.clamp(min=1e-6)
        rim_HW &= weight_HW > 0
        filled_CHW = torch.where(rim_HW, mean_CHW, filled_CHW)
        known_HW = known_HW | rim_HW
    return filled_CHW
