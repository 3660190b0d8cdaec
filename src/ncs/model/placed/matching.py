"""Which slots stand for something, and which slot is which from frame to frame.

Legend: B batch, T frames, K slots.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor

Indices = NDArray[np.integer[Any]]


def survivors(
    place_BK2: Tensor,
    area_BK: Tensor,
    least: float,
    spacing: float,
    alike_BKK: Tensor | None = None,
) -> Tensor:
    """Slots (B, K) that explain enough pixels and are not the smaller of two in one place.

    Where it is known which slots look alike, the others may be near each other.
    """
    close_BKK = torch.cdist(place_BK2, place_BK2) < spacing
    if alike_BKK is not None:
        close_BKK &= alike_BKK
    order_BK = area_BK.argsort(dim=1, descending=True, stable=True)
    alive_BK = torch.zeros_like(area_BK, dtype=torch.bool)
    row_B = torch.arange(len(area_BK), device=area_BK.device)
    for rank in range(area_BK.shape[1]):
        k_B = order_BK[:, rank]
        taken_B = (close_BKK[row_B, k_B] & alive_BK).any(dim=1)
        alive_BK[row_B, k_B] = (area_BK[row_B, k_B] > least) & ~taken_B
    return alive_BK


def match_places(
    before_K2: NDArray[np.float32], after_K2: NDArray[np.float32]
) -> tuple[Indices, Indices]:
    """Pairs of indices that join two sets of places.

    The cost is the root of the distance, so that one long move beats several short ones.
    """
    gap_KK = np.linalg.norm(before_K2[:, None] - after_K2[None], axis=-1)
    return linear_sum_assignment(np.sqrt(gap_KK))


def match_frames(
    before_BK2: Tensor, before_BK: Tensor, after_BK2: Tensor, after_BK: Tensor
) -> tuple[Tensor, Tensor]:
    """For each slot its index (B, K) in the next frame, and whether the match counts (B, K).

    Scenes in which the numbers of live slots differ count for nothing: somebody was missed.
    """
    index_BK = np.tile(np.arange(before_BK.shape[1]), (len(before_BK), 1))
    same_BK = np.zeros(before_BK.shape, bool)
    place, live = before_BK2.cpu().numpy(), before_BK.cpu().numpy()
    next_place, next_live = after_BK2.cpu().numpy(), after_BK.cpu().numpy()
    for b in np.flatnonzero(live.sum(axis=1) == next_live.sum(axis=1)):
        old, new = np.flatnonzero(live[b]), np.flatnonzero(next_live[b])
        row, column = match_places(place[b][old], next_place[b][new])
        index_BK[b, old[row]] = new[column]
        same_BK[b, old[row]] = True
    device = before_BK.device
    return torch.from_numpy(index_BK).to(device), torch.from_numpy(same_BK).to(device)


def track(place_TK2: NDArray[np.float32], alive_TK: NDArray[np.bool_]) -> NDArray[np.int64]:
    """An order (T, K) of each frame's slots in which an index keeps to one entity.

    An entity lost for some frames is looked for where it was last seen.
    """
    frames, slots = alive_TK.shape
    order_TK = np.tile(np.arange(slots), (frames, 1))
    known_K, last_K2 = alive_TK[0].copy(), place_TK2[0].copy()
    for t in range(1, frames):
        order_K = _continue(last_K2, known_K, place_TK2[t], alive_TK[t])
        seen_K = alive_TK[t][order_K]
        last_K2[seen_K] = place_TK2[t][order_K][seen_K]
        known_K |= seen_K
        order_TK[t] = order_K
    return order_TK


def _continue(
    last_K2: NDArray[np.float32],
    known_K: NDArray[np.bool_],
    place_K2: NDArray[np.float32],
    alive_K: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """The order of a frame's slots that goes on from the entities known so far."""
    old, new = np.flatnonzero(known_K), np.flatnonzero(alive_K)
    row, column = match_places(last_K2[old], place_K2[new])
    order_K = np.full(len(known_K), -1)
    order_K[old[row]] = new[column]
    # Newcomers take an index that nobody has had, while there are any; absent slots take the rest.
    open_K = order_K < 0
    room = np.concatenate([np.flatnonzero(open_K & ~known_K), np.flatnonzero(open_K & known_K)])
    rest = np.concatenate([np.delete(new, column), np.flatnonzero(~alive_K)])
    order_K[room] = rest
    return order_K
