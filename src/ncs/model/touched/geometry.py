"""Where a point of the world is seen, and what world point is seen somewhere: fits, no camera.

Legend: N points, X coordinates of a point, F terms, Y coordinates of what is fitted.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Doubles = NDArray[np.float64]
REFITS = 8
OUTLIER = 3.0  # a miss beyond so many medians is no measurement of the same thing
SLIGHT = 0.02  # of how far values spread: misses below are never called wrong
RIDGE = 1e-6  # coordinates that never vary leave their terms at zero


def terms(point_NX: Tensor) -> Tensor:
    """Constant, coordinates and their products (..., F)."""
    row, column = torch.triu_indices(point_NX.shape[-1], point_NX.shape[-1])
    product = point_NX[..., row] * point_NX[..., column]
    return torch.cat([torch.ones_like(point_NX[..., :1]), point_NX, product], dim=-1)


def n_terms(coordinates: int) -> int:
    """How many terms points of so many coordinates have."""
    return 1 + coordinates + coordinates * (coordinates + 1) // 2


def fit(
    point_NX: NDArray[Any], value_NY: NDArray[Any], linear: bool = False, refits: int = REFITS
) -> Doubles:
    """Coefficients (F, Y) by least squares, fitted again without what misses by far."""
    term_NF = terms(torch.from_numpy(np.asarray(point_NX, np.float64))).numpy()
    if linear:
        term_NF = term_NF * (np.arange(term_NF.shape[1]) <= point_NX.shape[1])
    return solve(term_NF, np.asarray(value_NY, np.float64), refits)


def solve(term_NF: Doubles, value_NY: Doubles, refits: int = REFITS) -> Doubles:
    """Coefficients (F, Y) of given terms, fitted again without what misses by far."""
    keep_N = np.ones(len(term_NF), bool)
    slight = SLIGHT * float(value_NY.std(axis=0).max()) + 1e-9
    ridge_FF = RIDGE * np.eye(term_NF.shape[1])
    for _ in range(1 + refits):
        kept_NF = term_NF[keep_N]
        gram_FF = kept_NF.T @ kept_NF / len(kept_NF) + ridge_FF
        coefficient_FY = np.linalg.solve(gram_FF, kept_NF.T @ value_NY[keep_N] / len(kept_NF))
        miss_N = np.linalg.norm(term_NF @ coefficient_FY - value_NY, axis=1)
        keep_N = miss_N <= max(OUTLIER * float(np.median(miss_N)), slight)
    return np.asarray(coefficient_FY, np.float64)
