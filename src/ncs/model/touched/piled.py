"""What moves say where things stand on things: only what is the moved thing's own.

A thing that is picked from under another takes it along, and what changed is then both. A thing
that meets something where it should go is brought back, and what changed is then a little of both
ends. Other moves of the clip tell: by where they put the other thing, or picked it afterwards.

Legend: B clips, T frames, M moves (T - 1), C channels, H height, W width.
"""

from dataclasses import replace

import torch
from torch import Tensor

from ncs.model.touched.moved import Moved

CLEARLY = 0.5  # of a difference: what differs by less is alike beside it
MOST = 0.5  # of a thing's pixels: if these changed with another's, it went along


def only_its_own(image_BTCHW: Tensor, moved: Moved, least: float) -> Moved:
    """Moves that took their thing away, each with no other thing's pixels."""
    went_BM = _went(image_BTCHW, moved)
    moved = replace(moved, worked=moved.worked & went_BM, sure=moved.sure & went_BM[..., None])
    masks = (moved.before.clone(), moved.after.clone())
    sure = moved.sure.clone()
    for move in range(moved.worked.shape[1]):
        taken = [_taken_along(moved, move, side, least) for side in (0, 1)]
        along = [one.any(dim=(1, 2)) for one in taken]
        for side in (0, 1):
            masks[side][:, move] &= ~taken[side]
            # What went along is known at one end only: the other end shows both.
            sure[:, move, side] &= along[side] | ~along[1 - side]
    return replace(moved, before=masks[0], after=masks[1], sure=sure)


def _went(image_BTCHW: Tensor, moved: Moved) -> Tensor:
    """Whether (B, M) what was at the one end is not clearly there still."""
    first_BMCHW, second_BMCHW = image_BTCHW[:, :-1], image_BTCHW[:, 1:]
    was_BMC = _mean_colour(first_BMCHW, moved.before)
    left_BMC = _mean_colour(second_BMCHW, moved.before)
    came_BMC = _mean_colour(second_BMCHW, moved.after)
    went_BM: Tensor = CLEARLY * (was_BMC - came_BMC).norm(dim=2) < (was_BMC - left_BMC).norm(dim=2)
    return went_BM


def _mean_colour(image_BMCHW: Tensor, mask_BMHW: Tensor) -> Tensor:
    total_BMC = (image_BMCHW * mask_BMHW[:, :, None]).sum(dim=(3, 4))
    return total_BMC / mask_BMHW.sum(dim=(2, 3)).clamp(min=1)[..., None]


def _taken_along(moved: Moved, move: int, side: int, least: float) -> Tensor:
    """Pixels (B, H, W) at one end of a move that are of things other moves speak of."""
    mask_BHW = (moved.before, moved.after)[side][:, move]
    size_B, taken_BHW = mask_BHW.sum(dim=(1, 2)), torch.zeros_like(mask_BHW)
    # Before a move only what was put there earlier can be told, after it what is picked later.
    for other in range(move) if side == 0 else range(move + 1, moved.worked.shape[1]):
        claim_BHW = moved.claim(other, move + side)
        common_BHW, claimed_B = claim_BHW & mask_BHW, claim_BHW.sum(dim=(1, 2))
        goes_B = common_BHW.sum(dim=(1, 2)) >= MOST * claimed_B
        goes_B &= (claimed_B >= least) & (claimed_B < size_B)
        goes_B &= moved.who[:, other] != moved.who[:, move]
        taken_BHW |= common_BHW & goes_B[:, None, None]
    return taken_BHW
