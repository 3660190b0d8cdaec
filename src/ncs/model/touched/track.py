"""Which thing is which from frame to frame of a clip, by place and type.

Legend: T frames, K slots, S coordinates, Z type channels.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Floats = NDArray[np.floating[Any]]


def track(
    place_TKS: Floats,
    expected_TKS: Floats,
    kind_TKZ: Floats,
    present_TK: NDArray[np.bool_],
    gap: float,
) -> NDArray[np.int64]:
    """An order (T, K) of each frame's slots in which an index keeps to one thing.

    A thing is looked for where it was and where the action should have taken it; one that was
    lost for some frames where it was last seen.

    Args:
        place_TKS: Where things are.
        expected_TKS: Where those of a frame should be in the next, if its action works.
        kind_TKZ: Types.
        present_TK: Which slots stand for a thing.
        gap: How near things come to one another.
    """
    frames, slots = present_TK.shape
    order_TK = np.tile(np.arange(slots), (frames, 1))
    known_K, kind_KZ = present_TK[0].copy(), kind_TKZ[0].copy()
    place_K2S = np.stack([place_TKS[0], expected_TKS[0]], axis=1)
    for t in range(1, frames):
        old, new = np.flatnonzero(known_K), np.flatnonzero(present_TK[t])
        away = np.linalg.norm(place_K2S[old][:, None] - place_TKS[t][new][None, :, None], axis=-1)
        near = np.minimum(away.min(axis=2) / gap, 1.0)  # beyond a gap only types tell
        unlike = np.linalg.norm(kind_KZ[old][:, None] - kind_TKZ[t][new], axis=-1)
        row, column = linear_sum_assignment(near + 0.5 * unlike)
        order_K = _fill(known_K, old[row], new[column], new, present_TK[t])
        seen_K = present_TK[t][order_K]
        place_K2S[seen_K, 0] = place_TKS[t][order_K][seen_K]
        place_K2S[:, 1] = place_K2S[:, 0]
        place_K2S[seen_K, 1] = expected_TKS[t][order_K][seen_K]
        kind_KZ[seen_K] = kind_TKZ[t][order_K][seen_K]
        known_K |= seen_K
        order_TK[t] = order_K
    return order_TK


def _fill(
    known_K: NDArray[np.bool_],
    old: NDArray[np.int64],
    partner: NDArray[np.int64],
    new: NDArray[np.int64],
    present_K: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """A whole order: newcomers take indices nobody had, absent slots the rest."""
    order_K = np.full(len(known_K), -1)
    order_K[old] = partner
    open_K = order_K < 0
    room = np.concatenate([np.flatnonzero(open_K & ~known_K), np.flatnonzero(open_K & known_K)])
    order_K[room] = np.concatenate([np.setdiff1d(new, partner), np.flatnonzero(~present_K)])
    return order_K
