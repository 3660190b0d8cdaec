"""Goals for clips that had none: pictures of what came of them.

Legend: B clips, T frames, H height, W width, C channels, A action numbers.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Moves:
    """One move of each clip."""

    first: Tensor  # (B,) the frame it starts from
    frame: Tensor  # (B, H, W, C) uint8, before
    after: Tensor  # (B, H, W, C) uint8
    action: Tensor  # (B, A)


def draw_moves(frame_BTHWC: Tensor, action_BTA: Tensor, generator: torch.Generator) -> Moves:
    """A move of every clip, any of them equally likely."""
    n_clips, n_moves = action_BTA.shape[:2]
    device = frame_BTHWC.device
    first_B = torch.randint(n_moves, (n_clips,), generator=generator, device=device)
    clip_B = torch.arange(n_clips, device=device)
    return Moves(
        first_B,
        frame_BTHWC[clip_B, first_B],
        frame_BTHWC[clip_B, first_B + 1],
        action_BTA[clip_B, first_B],
    )


def future_frames(first_B: Tensor, n_frames: int, generator: torch.Generator) -> Tensor:
    """A frame (B,) after each move's start, any up to the clip's end equally likely."""
    left_B = n_frames - 1 - first_B
    share_B = torch.rand(len(first_B), generator=generator, device=first_B.device)
    return first_B + 1 + (share_B * left_B).long()
