"""What moves say where more than the thing changes: it looks the same at both ends of its move.

A hand that takes a thing off others nudges them, what holds a thing goes along with it or keeps its
own look, and an arm is before it in one picture: pixels that changed with the thing but do not come
back where it went are not its own.

Legend: B clips, T frames, M moves (T - 1), L pixels of masks, C channels, H height, W width.
"""

from dataclasses import replace

import torch
from torch import Tensor

from ncs.model.touched.moved import LIKE, Moved


def looks_the_same(image_BTCHW: Tensor, moved: Moved, shift_BM2: Tensor, near: int) -> Moved:
    """Moves with only those pixels of either end that are seen at the other end too.

    Args:
        image_BTCHW: Pictures of the clips.
        moved: What their moves changed.
        shift_BM2: Pixels (x, y) from where a thing was seen before to where after.
        near: Pixels by which a thing's parts may lie beside where the shift brings them.
    """
    masks = (moved.before, moved.after)
    kept = []
    for side in (0, 1):
        way_BM2 = (shift_BM2 if side == 0 else -shift_BM2).round().long()
        kept.append(_come_back(image_BTCHW, masks[side], masks[1 - side], way_BM2, side, near))
    return replace(moved, before=kept[0], after=kept[1], image=image_BTCHW)


def _come_back(
    image_BTCHW: Tensor,
    mask_BMHW: Tensor,
    other_BMHW: Tensor,
    way_BM2: Tensor,
    side: int,
    near: int,
) -> Tensor:
    """The pixels (B, M, H, W) of a mask that look like one of the other, where the way leads."""
    height, width = mask_BMHW.shape[2:]
    clip_L, move_L, y_L, x_L = mask_BMHW.nonzero(as_tuple=True)
    image_BTHWC = image_BTCHW.movedim(2, -1)
    look_LC = image_BTHWC[clip_L, move_L + side, y_L, x_L]
    change_L = (look_LC - image_BTHWC[clip_L, move_L + 1 - side, y_L, x_L]).norm(dim=1)
    right_L, down_L = way_BM2[clip_L, move_L].unbind(1)
    least_L = torch.full_like(change_L, torch.inf)
    for beside in (-near, 0, near):
        for below in (-near, 0, near):
            there_x = x_L + right_L + beside
            there_y = y_L + down_L + below
            inside_L = (there_x >= 0) & (there_x < width) & (there_y >= 0) & (there_y < height)
            there_x, there_y = there_x.clamp(0, width - 1), there_y.clamp(0, height - 1)
            inside_L &= other_BMHW[clip_L, move_L, there_y, there_x]
            there_LC = image_BTHWC[clip_L, move_L + 1 - side, there_y, there_x]
            away_L = (look_LC - there_LC).norm(dim=1).masked_fill(~inside_L, torch.inf)
            least_L = torch.minimum(least_L, away_L)
    kept_BMHW = torch.zeros_like(mask_BMHW)
    kept_BMHW[clip_L, move_L, y_L, x_L] = least_L < LIKE * change_L
    return kept_BMHW


def carries(start_BM3: Tensor, end_BM3: Tensor, worked_BM: Tensor, gap: float) -> Tensor:
    """Whether (B, M) another thing stood on the one that was moved, by where moves put and pick.

    What was put on it before goes along, and what is picked from it later can only have come so.
    """
    count = start_BM3.shape[1]
    along_BM = torch.zeros_like(worked_BM)
    for move in range(count):
        for other in range(count):
            if other == move:
                continue
            offset_B3 = (
                end_BM3[:, other] - start_BM3[:, move]
                if other < move
                else start_BM3[:, other] - end_BM3[:, move]
            )
            above_B = (offset_B3[:, 2] > gap / 2) & (offset_B3[:, :2].norm(dim=1) < gap / 2)
            along_BM[:, move] |= above_B & (worked_BM[:, other] | (other > move))
    return along_BM
