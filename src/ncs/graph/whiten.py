"""What a match must ignore: the ways in which one object's type differs from place to place.

Legend: N moves, D type channels.
"""

import numpy as np

from ncs.graph.distances import Doubles, Floats

# Pairs kept: the rest are mostly wrong isolations, two different objects.
KEPT = 0.9
# Share of the total variance added to every direction, so that none is trusted without limit.
RIDGE = 1e-3
# Nor is a difference below a hundredth of how much types vary from object to object.
FINEST = 0.01
# Which pairs are the largest depends on the metric, so the two are settled in turn.
ROUNDS = 4


def fit_whitening(kind_before_ND: Floats, kind_after_ND: Floats) -> Doubles:
    """A matrix (D, D) under which one object at two places differs equally in all directions.

    Multiply types by it from the right. The identity comes back where there is nothing to learn
    from: no moves, or a single type.
    """
    difference_ND = np.asarray(kind_before_ND, np.float64) - kind_after_ND
    matrix_DD = np.eye(difference_ND.shape[1])
    if difference_ND.size == 0:
        return matrix_DD
    floor = FINEST**2 * float(np.var(kind_before_ND, axis=0, dtype=np.float64).mean())
    for _ in range(ROUNDS):
        square_N = ((difference_ND @ matrix_DD) ** 2).sum(1)
        kept_ND = difference_ND[square_N <= np.quantile(square_N, KEPT)]
        covariance_DD = kept_ND.T @ kept_ND / len(kept_ND)
        ridge = max(RIDGE * float(np.trace(covariance_DD)), floor)
        if ridge == 0:
            return np.eye(len(matrix_DD))
        variance_D, direction_DD = np.linalg.eigh(covariance_DD + ridge * np.eye(len(matrix_DD)))
        matrix_DD = np.asarray(direction_DD / np.sqrt(variance_D), np.float64)
    return matrix_DD
