"""Which differences from the background are of one colour, whatever the light on them.

Legend: B batch, N grid cells, K slots, C channels.
"""

import torch
from torch import Tensor
from torch.nn import functional


def alike(first_BKC: Tensor, second_BNC: Tensor, least: float) -> Tensor:
    """Whether differences from the background have one hue (B, K, N), however strong they are.

    ``least`` is the cosine they must reach; 0 finds everything alike.
    """
    return alike_hues(hues(first_BKC), hues(second_BNC), least)


def hues(colour_BNC: Tensor) -> Tensor:
    """Colours at unit length."""
    return functional.normalize(colour_BNC, dim=-1)


def alike_hues(first_BKC: Tensor, second_BNC: Tensor, least: float) -> Tensor:
    """What ``alike`` says of colours that are at unit length already."""
    if least == 0:
        shape = (*first_BKC.shape[:2], second_BNC.shape[1])
        return torch.ones(shape, dtype=torch.bool, device=first_BKC.device)
    return first_BKC @ second_BNC.transpose(1, 2) >= least
