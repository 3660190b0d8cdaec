"""Why slots are of no use: a run that stays so is stopped.

Legend: F frames, K slots, P mask cells.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def collapse_reason(
    mask_FKP: NDArray[np.floating[Any]], present_FK: NDArray[np.bool_]
) -> str | None:
    """Why slots of frames (F, K, P) are of no use, or None if they may be."""
    if mask_FKP.shape[1] > 1:
        # Slots are exchangeable, so it need not be the same one in every frame.
        if mask_FKP.mean(axis=2).max(axis=1).mean() > 0.99:
            return "one slot takes the whole image"
        if np.ptp(mask_FKP, axis=1).max() < 1e-3:
            return "all slots look at the same cells"
    return None if present_FK.any() else "no slot stands for anything"
