"""How far apart two states are, by the metrics of the paper's table.

Legend: N, M states, S state channels, X any leading axes.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Metric = Literal["cosine", "euclidean", "sqeuclidean", "iou"]
Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]

# Rounding leaves equal vectors this far apart by cosine; "has not moved" must come out as zero.
ROUNDING = 1e-12


def pairwise(a_NS: Floats, b_MS: Floats, metric: str) -> Doubles:
    """The distance (N, M) of every state of one set to every state of another."""
    a_NS, b_MS = np.asarray(a_NS, np.float64), np.asarray(b_MS, np.float64)
    if metric == "euclidean":
        return np.asarray(cdist(a_NS, b_MS, "euclidean"), np.float64)
    if metric == "sqeuclidean":
        return np.asarray(cdist(a_NS, b_MS, "sqeuclidean"), np.float64)
    if metric == "cosine":
        square_N, square_M = (a_NS**2).sum(1), (b_MS**2).sum(1)
        return cosine(a_NS @ b_MS.T, square_N[:, None], square_M[None])
    return iou(a_NS @ b_MS.T, a_NS.sum(1)[:, None], b_MS.sum(1)[None], a_NS.shape[1])


def paired(a_XS: Floats, b_XS: Floats, metric: str) -> Doubles:
    """The distance (X) between states that stand at the same place in two arrays."""
    a_XS, b_XS = np.asarray(a_XS, np.float64), np.asarray(b_XS, np.float64)
    if metric in ("euclidean", "sqeuclidean"):
        square_X = ((a_XS - b_XS) ** 2).sum(-1)
        return np.asarray(square_X if metric == "sqeuclidean" else np.sqrt(square_X))
    product_X = (a_XS * b_XS).sum(-1)
    if metric == "cosine":
        return cosine(product_X, (a_XS**2).sum(-1), (b_XS**2).sum(-1))
    return iou(product_X, a_XS.sum(-1), b_XS.sum(-1), a_XS.shape[-1])


def length(offset_X2: Floats) -> Doubles:
    """How long offsets along two axes are (X,); numpy is slow at rows of two."""
    square_X2 = offset_X2 * offset_X2
    return np.asarray(np.sqrt(square_X2[..., 0] + square_X2[..., 1]))


def cosine(product: Doubles, square_a: Doubles, square_b: Doubles) -> Doubles:
    """One minus the cosine, from a dot product and squared lengths.

    A zero vector points nowhere: it is at distance 1 from all but another zero vector.
    """
    length = np.sqrt(square_a) * np.sqrt(square_b)
    similarity = np.divide(product, length, out=np.zeros_like(product), where=length > 0)
    distance = np.where((square_a == 0) & (square_b == 0), 0.0, 1.0 - similarity)
    return np.where(distance < ROUNDING, 0.0, distance)


def iou(product: Doubles, sum_a: Doubles, sum_b: Doubles, size: int) -> Doubles:
    """Two minus the soft overlap of foreground and of background, in [0, 2].

    Masks in [0, 1] are not thresholded, so a mask is at zero from itself only if it is crisp.

    Args:
        product: Sum over cells of a times b.
        sum_a: Sum over cells of a.
        sum_b: Sum over cells of b.
        size: Cells of a mask.
    """
    total = sum_a + sum_b
    outside = size - total + product
    foreground = product / (total - product + 1e-7)
    background = outside / (2 * size - total - outside + 1e-7)
    return np.asarray(np.maximum(2.0 - foreground - background, 0.0))
