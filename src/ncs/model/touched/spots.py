"""Places of things where they can be at few: what is seen where one of these is seen is there.

A pixel shows a place on every level. Of places that are known the one that is seen at the pixel
tells the level, be there something under the thing or not.

Legend: N pictures or picks, K things, S spots.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncs.model.touched.measures import NO_LEVEL, SPOTS, Measures

ALIKE = 0.125  # of the distance that things keep: picks nearer to one another are of one spot
USUAL = 8  # picks of a spot, at least, as a mean
ALMOST = 0.95  # of the picks that must be at some spot for there to be spots
AS_NEAR = 0.25  # of the distance that things keep in pictures: spots as near as the nearest


def find_spots(place_N3: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Places (SPOTS, 3) at which things were picked where these are few, else NO_LEVEL."""
    spots, left = np.full((SPOTS, 3), NO_LEVEL), place_N3
    for index in range(SPOTS):
        if not len(left):
            break
        near = np.linalg.norm(left - left[0], axis=1) < ALIKE * gap
        spots[index], left = np.median(left[near], axis=0), left[~near]
    count = int((spots[:, 2] < NO_LEVEL).sum())
    few = len(left) <= (1 - ALMOST) * len(place_N3) and USUAL * count <= len(place_N3)
    return spots if few else np.full((SPOTS, 3), NO_LEVEL)


def at_spots(pixel_NK2: Tensor, place_NK3: Tensor, measures: Measures) -> Tensor:
    """Scaled places (N, K, 3): of the spots seen at pixels, or where none is, what is said.

    Args:
        pixel_NK2: Where things are seen.
        place_NK3: What the eyes say; the height tells between spots that are seen at one pixel.
        measures: Of a world with spots.
    """
    spot_S3, apart = measures.known_spots, measures.number("apart")
    away_NKS = (pixel_NK2[..., None, :] - measures.project(spot_S3)).norm(dim=-1)
    nearest_NK1 = away_NKS.min(dim=-1, keepdim=True).values
    miss_NKS = (place_NK3[..., 2:] - spot_S3[:, 2]).abs()
    miss_NKS = miss_NKS.masked_fill(away_NKS > nearest_NK1 + AS_NEAR * apart, torch.inf)
    return torch.where(nearest_NK1 < apart, spot_S3[miss_NKS.argmin(dim=-1)], place_NK3)
