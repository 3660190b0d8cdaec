"""Which unmet goal comes next.

Legend: K constraints.
"""

import numpy as np

from ncs.graph.distances import Floats


def select(difference_K: Floats, rng: np.random.Generator, choice: str = "sample") -> int:
    """The constraint to act on: drawn in proportion to how far it is from holding.

    Args:
        difference_K: How far each constraint is from holding; negative counts as zero.
        rng: Source of the draw.
        choice: "sample" is the paper's; "argmax" takes the furthest, the lowest of equals.
    """
    weight_K = np.maximum(np.asarray(difference_K, np.float64), 0.0)
    if choice == "argmax":
        return int(weight_K.argmax())
    total = weight_K.sum()
    # All constraints hold: none is better than another.
    share_K = weight_K / total if total > 0 else None
    return int(rng.choice(len(weight_K), p=share_K))
