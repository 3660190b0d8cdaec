"""What a match must ignore: the ways in which one object's type differs from place to place.

Legend: N moves, D type channels.
"""

import numpy as np

from ncs.graph.distances import Doubles, Floats

# Pairs kept: the rest are mostly wrong isolations, two different objects.
KEPT = 0.9
# Share of the total variance added to every direction, so that none is trusted without limit.
RIDGE = 1e-3


def fit_whitening(kind_before_ND: Floats, kind_after_ND: Floats) -> Doubles:
    """A matrix (D, D) under which one object at two places differs equally in all directions.

    Multiply types by it from the right. The identity comes back where there is nothing to learn
    from: no moves, or types that never differ.
    """
    difference_ND = np.asarray(kind_before_ND, np.float64) - kind_after_ND
    channels = difference_ND.shape[1]
    square_N = (difference_ND**2).sum(1)
    if len(square_N) == 0 or channels == 0:
        return np.eye(channels)
    kept_ND = difference_ND[square_N <= np.quantile(square_N, KEPT)]
    covariance_DD = kept_ND.T @ kept_ND / len(kept_ND)
    total = np.trace(covariance_DD)
    if total <= 0:
        return np.eye(channels)
    variance_D, direction_DD = np.linalg.eigh(covariance_DD + RIDGE * total * np.eye(channels))
    return np.asarray(direction_DD / np.sqrt(variance_D), np.float64)
