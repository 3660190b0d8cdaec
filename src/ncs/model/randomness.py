"""Random numbers of a batch of pictures: from one stream, or from a stream a picture.

With a stream a picture, what a model sees in one does not depend on which others it is shown with.
"""

import torch
from torch import Tensor

Randomness = torch.Generator | tuple[torch.Generator, ...]  # a tuple has one for each picture


def uniform(shape: tuple[int, ...], source: Randomness) -> Tensor:
    """Numbers in [0, 1); the first axis of the shape goes over pictures."""
    if isinstance(source, torch.Generator):
        return torch.rand(shape, generator=source, device=source.device)
    return torch.stack([torch.rand(shape[1:], generator=own, device=own.device) for own in source])


def normal(shape: tuple[int, ...], source: Randomness) -> Tensor:
    """Standard Gaussian numbers; the first axis of the shape goes over pictures."""
    if isinstance(source, torch.Generator):
        return torch.randn(shape, generator=source, device=source.device)
    return torch.stack([torch.randn(shape[1:], generator=own, device=own.device) for own in source])


def of_rows(source: Randomness, row_R: Tensor) -> Randomness:
    """The source of some of the pictures."""
    if isinstance(source, torch.Generator):
        return source
    return tuple(source[row] for row in row_R.tolist())
