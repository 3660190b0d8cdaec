"""The eyes: for every pixel, whether it is of a thing, where that thing's middle is, what it is.

Nothing pools over the picture: what is said of a pixel depends on some thirty pixels around it,
and what a thing is not on how many others there are.

Legend: N pictures, C channels, H height, W width, K things, D channels of a pixel's description,
P features of a thing, Z type channels.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDE = 8  # pictures are padded to a multiple
OFFSET = 4.0  # pixels: brings the first votes to the scale of a thing


class PixelNorm(nn.Module):
    """Divides each pixel by the size of its channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1, width, 1, 1))

    def forward(self, value_NCHW: Tensor) -> Tensor:
        """The same shape."""
        size = value_NCHW.square().mean(dim=1, keepdim=True)
        return value_NCHW * (size + 1e-5).rsqrt() * self.scale


@dataclass(frozen=True)
class Maps:
    """What the network says of every pixel."""

    logit: Tensor  # (N, H, W) of being part of a thing
    vote: Tensor  # (N, 2, H, W) the pixel (x, y) where that thing's middle is
    kind: Tensor  # (N, D, H / 2, W / 2) what it is


def layer(into: int, out: int, stride: int = 1) -> nn.Sequential:
    """A convolution with its norm and bend."""
    return nn.Sequential(nn.Conv2d(into, out, 3, stride, 1), PixelNorm(out), nn.ReLU(inplace=True))


class Eyes(nn.Module):
    """A small U-Net from half the picture's size down to an eighth and back."""

    def __init__(self, width: int, description: int) -> None:
        super().__init__()
        middle, deep = width + width // 2, 2 * width
        self.stem = nn.Sequential(nn.Conv2d(3, width, 4, 2, 1), PixelNorm(width), nn.ReLU())
        self.at_half = layer(width, width)
        self.at_quarter = nn.Sequential(layer(width, middle, 2), layer(middle, middle))
        self.at_eighth = nn.Sequential(layer(middle, deep, 2), layer(deep, deep))
        self.up_quarter = layer(deep + middle, middle)
        self.up_half = layer(middle + width, width)
        self.out = nn.Conv2d(width, 3 * 4, 1)
        self.kind = nn.Conv2d(width, description, 1)

    def forward(self, image_NCHW: Tensor) -> Maps:
        """The maps of pictures in [0, 1] of any size."""
        height, width = image_NCHW.shape[2:]
        extra = (0, -width % STRIDE, 0, -height % STRIDE)
        padded = functional.pad(image_NCHW, extra, mode="replicate") if any(extra) else image_NCHW
        half = self.at_half(self.stem(padded * 4 - 2))
        quarter = self.at_quarter(half)
        low = self.up_quarter(torch.cat([enlarge(self.at_eighth(quarter)), quarter], dim=1))
        top = self.up_half(torch.cat([enlarge(low), half], dim=1))
        fine = functional.pixel_shuffle(self.out(top).float(), 2)[:, :, :height, :width]
        vote = fine[:, 1:] * OFFSET + pixels(height, width, image_NCHW)
        kind = self.kind(top).float()[:, :, : (height + 1) // 2, : (width + 1) // 2]
        return Maps(fine[:, 0], vote, kind)


def enlarge(value_NCHW: Tensor) -> Tensor:
    """Twice as many rows and columns."""
    return functional.interpolate(value_NCHW, scale_factor=2.0)


def pixels(height: int, width: int, like: Tensor) -> Tensor:
    """The middle (2, H, W) of every pixel, x first."""
    line = torch.arange(max(height, width), dtype=like.dtype, device=like.device) + 0.5
    return torch.stack(
        [line[None, :width].expand(height, -1), line[:height, None].expand(-1, width)]
    )


class Describer(nn.Module):
    """A thing's type and the correction of its place, from the pixels that are its own."""

    def __init__(self, description: int, type_width: int) -> None:
        super().__init__()
        features = description + 4
        self.teller = nn.Sequential(
            nn.Linear(features, 64), nn.ReLU(inplace=True), nn.Linear(64, type_width)
        )
        last = nn.Linear(64, 3)
        nn.init.zeros_(last.weight)  # places start where the fit sees them
        nn.init.zeros_(last.bias)
        self.shifter = nn.Sequential(nn.Linear(features + 6, 64), nn.Tanh(), last)

    def pool(self, maps: Maps, image_NCHW: Tensor, mask_NKHW: Tensor) -> Tensor:
        """Features (N, K, P) of things: description and colour, meaned, and how large it is."""
        area_NK1 = mask_NKHW.sum(dim=(2, 3))[..., None]
        extra = (0, mask_NKHW.shape[3] % 2, 0, mask_NKHW.shape[2] % 2)
        half_NKHW = functional.avg_pool2d(functional.pad(mask_NKHW, extra), 2) * 4
        kind_NKD = half_NKHW.flatten(2) @ maps.kind.flatten(2).transpose(1, 2)
        colour_NK3 = mask_NKHW.flatten(2) @ image_NCHW.flatten(2).transpose(1, 2)
        mean = torch.cat([kind_NKD, colour_NK3 * 4], dim=2) / (area_NK1 + 1e-6)
        return torch.cat([mean, (area_NK1 + 1).log() / 4], dim=2)

    def types(self, feature_NKP: Tensor) -> Tensor:
        """Types (N, K, Z) of length 1."""
        return functional.normalize(self.teller(feature_NKP), dim=-1)

    def shifts(self, feature_NKP: Tensor, term_NK6: Tensor) -> Tensor:
        """How far (N, K, 3) things are from where the fit sees them, in scaled world places."""
        shift: Tensor = self.shifter(torch.cat([feature_NKP, term_NK6], dim=-1))
        return shift
