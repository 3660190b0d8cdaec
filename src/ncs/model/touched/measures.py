"""What a buffer says about its world, kept with the weights: no number here is set by hand.

Lengths in pictures are pixels of the size at which pictures are looked at. Places in the world are
scaled: the buffer's own lie around 0 with spread 1.

Legend: N points, K things, H height, W width.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ncs.model.touched.geometry import n_terms, terms

STILL = 1e-3  # a coordinate that never varied has terms below this share of the others
NEWTON = 2  # steps to the point of a level that is seen at a pixel
LEVELS = 16  # heights at which things stand, at most
SPOTS = 64  # places at which things can be, at most
NO_LEVEL = 1e6  # no scaled height is so large
MAP = 64  # cells of a side of the map of what was ever touched
# Name, first value and what it is, as ``ncs train`` prints it.
NUMBERS: Mapping[str, tuple[float, str]] = {
    "height": (64, "rows at which pictures are looked at"),
    "width": (64, "columns"),
    "noise": (1 / 255, "noise of a still pixel's difference, of 1"),
    "miss": (1.0, "pixels by which the fit misses where the world is seen"),
    "reach": (8.0, "pixels from its middle to which a thing reaches at most"),
    "radius": (4.0, "pixels to which a usual thing reaches"),
    "apart": (8.0, "pixels between the middles of things, at least"),
    "least": (4.0, "pixels that vote for a thing, at least"),
    "gap": (0.2, "metres between things, at least"),
    "tall": (0.0, "1 where moves change the height"),
    "low": (0.0, "height of the floor's things, scaled"),
    "moves": (0.0, "moves that were measured"),
    "plain": (0.0, "share of moves that changed the picture at both ends"),
}


class Measures(nn.Module):
    """Numbers and fits of one buffer, as buffers of the checkpoint."""

    centre: Tensor  # (3,) metres
    scale: Tensor  # () metres
    to_pixel: Tensor  # (10, 2) from terms of scaled places
    to_place: Tensor  # (6, 3) from terms of pixels as shares of the longer side
    touched: Tensor  # (MAP, MAP) 1 where a thing may be
    levels: (
        Tensor  # (LEVELS,) scaled heights at which things stand, where these are few, then NO_LEVEL
    )
    spots: Tensor  # (SPOTS, 3) scaled places at which things can be, where these are few; NO_LEVEL

    def __init__(self) -> None:
        super().__init__()
        for name, (value, _) in NUMBERS.items():
            self.register_buffer(name, torch.tensor(value, dtype=torch.float32))
        self.register_buffer("centre", torch.zeros(3))
        self.register_buffer("scale", torch.ones(()))
        self.register_buffer("to_pixel", torch.zeros(n_terms(3), 2))
        self.register_buffer("to_place", torch.zeros(n_terms(2), 3))
        self.register_buffer("touched", torch.ones(MAP, MAP))
        self.register_buffer("levels", torch.full((LEVELS,), NO_LEVEL))
        self.register_buffer("spots", torch.full((SPOTS, 3), NO_LEVEL))

    def take(self, values: Mapping[str, Any]) -> None:
        """Keeps measurements by name."""
        for name, value in values.items():
            held = getattr(self, name)
            held.copy_(torch.as_tensor(np.asarray(value), dtype=held.dtype).to(held.device))

    def number(self, name: str) -> float:
        """One of the numbers."""
        return float(getattr(self, name))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns at which pictures are looked at."""
        return int(self.number("height")), int(self.number("width"))

    @property
    def state_width(self) -> int:
        """Numbers of a state: height is one where moves change it."""
        return 3 if self.number("tall") else 2

    @property
    def half_step(self) -> float:
        """Scaled places that differ by less are one."""
        return self.number("gap") / 4 / float(self.scale)

    @property
    def is_deep(self) -> bool:
        """Whether a pixel may show places of any height: all three coordinates were moved along."""
        size_3 = self.to_pixel[1:4].norm(dim=1)
        return bool(self.number("tall")) and bool((size_3 > STILL * size_3.max()).all())

    def scaled(self, place_N3: Tensor) -> Tensor:
        """Scaled places of places in metres."""
        return (place_N3 - self.centre) / self.scale

    def metres(self, scaled_N3: Tensor) -> Tensor:
        """Places in metres of scaled ones."""
        return scaled_N3 * self.scale + self.centre

    def project(self, scaled_N3: Tensor) -> Tensor:
        """Pixels (N, 2) where places are seen."""
        return terms(scaled_N3) @ self.to_pixel

    def flat_at(self, pixel_N2: Tensor, place_N3: Tensor) -> Tensor:
        """Where (N, 2) on the level of given places, and near them, a pixel is seen."""
        x, y, z = place_N3.unbind(-1)
        c_F2 = self.to_pixel
        for _ in range(NEWTON):
            miss_N2 = pixel_N2 - self.project(torch.stack([x, y, z], dim=-1))
            along_x = c_F2[1] + 2 * x[..., None] * c_F2[4] + y[..., None] * c_F2[5]
            along_x = along_x + z[..., None] * c_F2[6]
            along_y = c_F2[2] + x[..., None] * c_F2[5] + 2 * y[..., None] * c_F2[7]
            along_y = along_y + z[..., None] * c_F2[8]
            turn = along_x[..., 0] * along_y[..., 1] - along_x[..., 1] * along_y[..., 0]
            turn = torch.where(turn.abs() < 1e-6, torch.ones_like(turn), turn)
            x = x + (miss_N2[..., 0] * along_y[..., 1] - miss_N2[..., 1] * along_y[..., 0]) / turn
            y = y + (along_x[..., 0] * miss_N2[..., 1] - along_x[..., 1] * miss_N2[..., 0]) / turn
        return torch.stack([x, y], dim=-1)

    @property
    def known_levels(self) -> Tensor:
        """Scaled heights (L,) at which things stand, none where these are many."""
        return self.levels[self.levels < NO_LEVEL]

    @property
    def known_spots(self) -> Tensor:
        """Scaled places (S, 3) at which things can be, none where these are many."""
        return self.spots[self.spots[:, 2] < NO_LEVEL]

    def on_level(self, height_N: Tensor) -> Tensor:
        """Scaled heights, each the nearest at which things stand where these are few."""
        known = self.known_levels
        if len(known) == 0:
            return height_N
        return known[(height_N[..., None] - known).abs().argmin(dim=-1)]

    def pixel_terms(self, pixel_N2: Tensor) -> Tensor:
        """Terms (N, 6) of pixels."""
        return terms(pixel_N2 / max(self.shape))

    def describe(self) -> dict[str, float]:
        """The numbers by what they are, for people."""
        return {text: self.number(name) for name, (_, text) in NUMBERS.items()}
