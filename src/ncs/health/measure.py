"""Takes masks, types and states and what is really there, gives figures of how well slots see.

Masks live on a square grid of P cells, 8x8 or 16x16 or any other; segmentations on pixels. Where a
slot's masks do not add up to one in a cell, the rest is background.

An object's **core** is the cells of which it covers at least half, or the one it covers most where
it covers half of none (a thin or small object on a coarse grid). A slot's **hold** on an object is
its mean mask over the core. The object's **holder** is the present slot whose hold is at least
one half, if there is one. A slot **claims** an object if it is present and holds it, or if its
mask peaks in a cell that the object covers more than any other object and at least by a quarter.
An object is **found by exactly one slot** if it has a holder, no other slot claims it, and its
holder holds no other object.

Legend: K slots, P cells, N objects, H height, W width, D type channels, S state channels.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

HALF = 0.5
PEAK_COVER = 0.25
LOOKALIKE = 10.0  # CIELAB distance under which two patches pass for one colour at a glance

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]


def adjusted_rand(truth_P: Integers, guess_P: Integers) -> float:
    """Agreement of two labellings of the same points: 1 is the same up to names, 0 is chance."""
    _, truth_P = np.unique(truth_P, return_inverse=True)
    _, guess_P = np.unique(guess_P, return_inverse=True)
    table = np.zeros((truth_P.max(initial=0) + 1, guess_P.max(initial=0) + 1))
    np.add.at(table, (truth_P, guess_P), 1)

    def pairs(count: Floats) -> float:
        return float((count * (count - 1)).sum() / 2)

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    total = len(truth_P) * (len(truth_P) - 1) / 2
    if rows == columns and rows in (0, total):  # all alone, or all together, in both
        return 1.0
    chance = rows * columns / total
    return (both - chance) / ((rows + columns) / 2 - chance)


def enlarge(mask_KP: Floats, height: int, width: int) -> Floats:
    """Masks at pixel size (K, H, W), interpolated between the centres of cells."""
    side = math.isqrt(mask_KP.shape[1])
    grid = mask_KP.reshape(-1, side, side)
    blended: Floats = np.einsum("hi,kij,wj->khw", _blend(side, height), grid, _blend(side, width))
    return blended


def _blend(side: int, size: int) -> Floats:
    """Weights (size, side) of cells for each pixel along one axis."""
    place = np.clip((np.arange(size) + 0.5) * side / size - 0.5, 0, side - 1)
    low = np.minimum(place.astype(int), max(side - 2, 0))
    weights = np.zeros((size, side))
    weights[np.arange(size), low] = 1 - (place - low)
    if side > 1:
        weights[np.arange(size), low + 1] = place - low
    return weights


def foreground_ari(mask_KP: Floats, present_K: Flags, segment_HW: Integers) -> float:
    """Adjusted Rand index of present slots against objects, on the pixels of objects alone."""
    object_HW = segment_HW > 0
    if not object_HW.any():
        return math.nan
    if not present_K.any():
        return adjusted_rand(segment_HW[object_HW], np.zeros(object_HW.sum(), int))
    share_KHW = enlarge(mask_KP[present_K], *segment_HW.shape)
    return adjusted_rand(segment_HW[object_HW], share_KHW.argmax(axis=0)[object_HW])


def mask_iou(
    mask_KP: Floats, present_K: Flags, segment_HW: Integers, n_objects: int
) -> NDArray[np.float64]:
    """Overlap (N,) of each object with its slot, under the best one-to-one assignment.

    Each pixel goes to the slot with the largest share of it, or to the background. An object that
    gets no slot has 0, one that cannot be seen NaN.
    """
    share_KHW = enlarge(mask_KP, *segment_HW.shape)
    rest_1HW = 1 - share_KHW.sum(axis=0, keepdims=True)
    label_HW = np.concatenate([share_KHW, rest_1HW]).argmax(axis=0)
    slot_KHW = label_HW == np.flatnonzero(present_K)[:, None, None]
    object_NHW = segment_HW == np.arange(1, n_objects + 1)[:, None, None]
    both = np.einsum("khw,nhw->kn", slot_KHW.astype(float), object_NHW.astype(float))
    either = slot_KHW.sum(axis=(1, 2))[:, None] + object_NHW.sum(axis=(1, 2)) - both
    overlap_KN = both / np.maximum(either, 1)
    overlap_N = np.where(object_NHW.any(axis=(1, 2)), 0.0, math.nan)
    for k, n in zip(*linear_sum_assignment(-overlap_KN), strict=True):
        if not math.isnan(overlap_N[n]):
            overlap_N[n] = overlap_KN[k, n]
    return overlap_N


def cell_cover(segment_HW: Integers, n_objects: int, n_cells: int) -> Floats:
    """Share (N, P) of each cell's pixels that show each object."""
    side = math.isqrt(n_cells)
    height, width = segment_HW.shape
    cell_HW = (np.arange(height) * side // height)[:, None] * side
    cell_HW = cell_HW + np.arange(width) * side // width
    count = np.zeros((n_objects + 1, n_cells))
    np.add.at(count, (segment_HW.ravel(), cell_HW.ravel()), 1)
    return np.asarray(count[1:] / np.maximum(count.sum(axis=0), 1))


@dataclass(frozen=True)
class Finding:
    """Which slot sees which object of one frame."""

    holder: NDArray[np.int64]  # (N,) the slot that holds each object, -1 where none does
    found: Flags  # (N,) found by exactly one slot
    visible: Flags  # (N,)


def find_objects(
    mask_KP: Floats, present_K: Flags, segment_HW: Integers, n_objects: int
) -> Finding:
    """Holders, and which objects are found by exactly one slot (the definitions stand above)."""
    cover_NP = cell_cover(segment_HW, n_objects, mask_KP.shape[1])
    visible_N = np.asarray(cover_NP.any(axis=1))
    core_NP = cover_NP >= np.minimum(HALF, cover_NP.max(axis=1, keepdims=True, initial=0))
    core_NP &= visible_N[:, None]
    hold_KN = mask_KP @ core_NP.T / np.maximum(core_NP.sum(axis=1), 1)
    holds_KN = (hold_KN >= HALF) & present_K[:, None]
    peak_K = mask_KP.argmax(axis=1)
    at_peak_NK = cover_NP[:, peak_K]
    peaks_KN = (at_peak_NK == at_peak_NK.max(axis=0, initial=0)) & (at_peak_NK >= PEAK_COVER)
    claims_KN = holds_KN | (peaks_KN.T & present_K[:, None])
    # Two slots with one half each both hold by the letter; then nobody does.
    alone_N = holds_KN.sum(axis=0) == 1
    holder_N = np.where(alone_N, holds_KN.argmax(axis=0), -1)
    merged_N = holds_KN.sum(axis=1)[holder_N] > 1
    found_N = alone_N & (claims_KN.sum(axis=0) == 1) & ~merged_N
    return Finding(holder_N, found_N, visible_N)


def change_ratio(of: Floats, against: Floats) -> float:
    """Mean of one set of distances over the mean of another; NaN where either is empty."""
    if not len(of) or not len(against) or not against.mean():
        return math.nan
    return float(of.mean() / against.mean())


def spread_between(kind_ND: Floats) -> Floats:
    """Distances between the types of all pairs of different objects."""
    first, second = np.triu_indices(len(kind_ND), 1)
    return np.asarray(np.linalg.norm(kind_ND[first] - kind_ND[second], axis=1))


def matched_right(holder_first_N: Integers, holder_second_N: Integers, match_K: Integers) -> Flags:
    """Whether each object's slot in one image was matched with its slot in another (N,)."""
    held_N = (holder_first_N >= 0) & (holder_second_N >= 0)
    return np.asarray(held_N & (match_K[holder_first_N] == holder_second_N))


def lookalikes(colour_N3: Floats) -> Flags:
    """Objects whose colour a person would take for another's of the scene at a glance (N,)."""
    lab_N3 = to_lab(colour_N3)
    distance_NN = np.linalg.norm(lab_N3[:, None] - lab_N3[None], axis=2)
    np.fill_diagonal(distance_NN, math.inf)
    return np.asarray(distance_NN.min(axis=1, initial=math.inf) < LOOKALIKE)


def to_lab(colour_N3: Floats) -> Floats:
    """CIELAB of sRGB colours in [0, 1], white point D65."""
    linear = np.where(colour_N3 <= 0.04045, colour_N3 / 12.92, ((colour_N3 + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = linear @ to_xyz.T / to_xyz.sum(axis=1)
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@dataclass(frozen=True)
class Coverage:
    """How slots share the image, averaged over frames."""

    share: NDArray[np.float64]  # (K,) of the image that each slot takes
    entropy: NDArray[np.float64]  # (K,) 0: a slot looks at one cell, 1: at all evenly
    sharing: float  # 0: each cell is one slot's, 1: it is everybody's evenly


def coverage(mask_FKP: Floats) -> Coverage:
    """Coverage over frames (F, K, P)."""
    n_slots, n_cells = mask_FKP.shape[1:]
    weight_FKP = mask_FKP / np.maximum(mask_FKP.sum(axis=2, keepdims=True), 1e-9)
    rest_F1P = np.clip(1 - mask_FKP.sum(axis=1, keepdims=True), 0, 1)
    everyone = np.concatenate([mask_FKP, rest_F1P], axis=1)
    return Coverage(
        share=mask_FKP.mean(axis=(0, 2)),
        entropy=_entropy(weight_FKP, axis=2).mean(axis=0) / max(math.log(n_cells), 1e-9),
        sharing=float(_entropy(everyone, axis=1).mean() / max(math.log(n_slots), 1e-9)),
    )


def _entropy(share: Floats, axis: int) -> Floats:
    share = np.clip(share, 1e-12, 1)
    return np.asarray(-(share * np.log(share)).sum(axis=axis))
