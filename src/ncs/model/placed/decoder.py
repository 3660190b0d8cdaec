"""Pictures from types and places: each slot paints a small window, pasted at its place.

No slot ever paints a whole image. A window is resampled by two small matrices, one for columns
and one for rows, and the sum over slots is part of the second product.

Legend: B batch, K slots, Z type channels, C channels, G window pixels, H height, W width,
J window rows of all slots, X two axes in one.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ncs.model.placed.config import PlacedConfig


@dataclass(frozen=True)
class Picture:
    """What slots say an image is."""

    image: Tensor  # (B, C, H, W)
    opacity: Tensor  # (B, K, G, G) of each slot's window
    total: Tensor  # (B, H, W) all opacities, pasted; where it is over 1, slots share a pixel


class Painter(nn.Module):
    """Paints a window of colours and opacities from a type; a place only shifts it."""

    def __init__(self, config: PlacedConfig) -> None:
        super().__init__()
        self.config = config
        width = config.decoder_width
        self.paint = nn.Sequential(
            nn.Linear(config.type_width, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, 4 * config.window**2),
        )

    def forward(
        self, kind_BKZ: Tensor, place_BK2: Tensor, alive_BK: Tensor, background_CHW: Tensor
    ) -> Picture:
        """The slots' picture over a background; slots that are not alive paint nothing.

        The background shows through what the slots leave; where their opacities exceed 1 they
        share the pixel in proportion.
        """
        window = self.config.window
        # Colours are bounded, lest a veil of an impossible colour pass for a thing.
        patch_BKG4G = self.paint(kind_BKZ).sigmoid().view(*alive_BK.shape, window, 4, window)
        opacity_BKG1G = patch_BKG4G[..., 3:, :] * alive_BK[..., None, None, None]
        colour_BKG3G = patch_BKG4G[..., :3, :] * opacity_BKG1G
        canvas_BHCW = self._paste(torch.cat([colour_BKG3G, opacity_BKG1G], dim=3), place_BK2)
        total_BH1W = canvas_BHCW[:, :, 3:]
        image_BHCW = canvas_BHCW[:, :, :3] / total_BH1W.clamp(min=1)
        image_BHCW = image_BHCW + background_CHW.transpose(0, 1) * (1 - total_BH1W).clamp(min=0)
        return Picture(image_BHCW.transpose(1, 2), opacity_BKG1G[:, :, :, 0], total_BH1W[:, :, 0])

    def _paste(self, patch_BKGCG: Tensor, place_BK2: Tensor) -> Tensor:
        """The sum (B, H, C, W) over slots of windows moved to their places."""
        batch, _, _, channels, _ = patch_BKGCG.shape
        row_BKXW = patch_BKGCG.flatten(2, 3) @ self._spread(place_BK2[..., 0])
        row_BJX = row_BKXW.view(batch, -1, channels * self.config.size)
        column_BJH = self._spread(place_BK2[..., 1]).flatten(1, 2)
        canvas_BHX = column_BJH.transpose(1, 2) @ row_BJX
        return canvas_BHX.view(batch, -1, channels, self.config.size)

    def masks(self, picture: Picture, place_BK2: Tensor) -> Tensor:
        """Each slot's share (B, K, H, W) of each pixel; the background has the rest."""
        column_BKHG = self._spread(place_BK2[..., 1]).transpose(2, 3)
        canvas_BKHW = column_BKHG @ picture.opacity @ self._spread(place_BK2[..., 0])
        return canvas_BKHW / picture.total[:, None].clamp(min=1)

    def _spread(self, place_BK: Tensor) -> Tensor:
        """Weights (B, K, G, size) that resample a window onto a line of pixels, linearly."""
        window, size = self.config.window, self.config.size
        middle_BK11 = ((place_BK + 1) * (size / 2) - 0.5)[..., None, None]
        offset_G1 = torch.arange(window, device=place_BK.device)[:, None] - (window - 1) / 2
        pixel_H = torch.arange(size, device=place_BK.device)
        return (1 - ((pixel_H - offset_G1) - middle_BK11).abs()).clamp(min=0)
