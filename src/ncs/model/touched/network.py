"""The eyes: for every pixel, whether it is of a thing, where that thing's middle is, what it is.

Nothing pools over the picture: what is said of a pixel depends on some thirty pixels around it,
and what a thing is not on how many others there are.

Legend: N pictures, C channels, H height, W width, K things, D channels of a pixel's description,
P features or pixels, F terms, Z type channels.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.touched.geometry import n_terms

STRIDE = 8  # pictures are padded to a multiple
TERMS = n_terms(2)  # of a pixel, in the fit from pictures to the world
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


@dataclass(frozen=True)
class Summary:
    """What the pixels of things say together."""

    look: Tensor  # (N, K, P) description and colour, meaned, and how large it is
    middle: Tensor  # (N, K, 2) of its pixels, as shares of the longer side
    shape: Tensor  # (N, K, 3) how far its pixels spread along x, y and both, in pixels


class Describer(nn.Module):
    """A thing's type and the correction of its place, from the pixels that are its own."""

    def __init__(self, description: int, type_width: int) -> None:
        super().__init__()
        look = description + 4
        self.teller = nn.Sequential(
            nn.Linear(look, 64), nn.ReLU(inplace=True), nn.Linear(64, type_width)
        )
        last = nn.Linear(64, 3 * (TERMS + 2))
        self.shifter = nn.Sequential(nn.Linear(look + TERMS + 5, 64), nn.Tanh(), last)
        self.forget_shifts()

    def pool(self, maps: Maps, image_NCHW: Tensor, mask_NKHW: Tensor) -> Summary:
        """Summaries of things, without their positions in what they look like."""
        height, width = mask_NKHW.shape[2:]
        flat_NKP = mask_NKHW.flatten(2)
        area_NK1 = flat_NKP.sum(dim=2, keepdim=True)
        half_NKHW = functional.avg_pool2d(
            functional.pad(mask_NKHW, (0, width % 2, 0, height % 2)), 2
        )
        kind_NKD = half_NKHW.flatten(2) @ maps.kind.flatten(2).transpose(1, 2) * 4
        colour_NK3 = flat_NKP @ image_NCHW.flatten(2).transpose(1, 2)
        mean = torch.cat([kind_NKD, colour_NK3 * 4], dim=2) / (area_NK1 + 1e-6)
        grid_2P = pixels(height, width, image_NCHW).flatten(1)
        moment_5P = torch.cat([grid_2P, grid_2P.square(), grid_2P[:1] * grid_2P[1:]])
        moment_NK5 = flat_NKP @ moment_5P.T / (area_NK1 + 1e-6)
        middle_NK2 = moment_NK5[..., :2]
        product = torch.cat([middle_NK2.square(), middle_NK2.prod(dim=-1, keepdim=True)], dim=-1)
        return Summary(
            look=torch.cat([mean, (area_NK1 + 1).log() / 4], dim=2),
            middle=middle_NK2 / max(height, width),
            shape=moment_NK5[..., 2:] - product,
        )

    def types(self, summary: Summary) -> Tensor:
        """Types (N, K, Z) of length 1."""
        return functional.normalize(self.teller(summary.look), dim=-1)

    def forget_shifts(self) -> None:
        """Takes places to be where the fit sees them."""
        for parameter in self.shifter[-1].parameters():
            nn.init.zeros_(parameter)

    @torch.no_grad()
    def set_aside(self, aside_23: Tensor) -> None:
        """Shifts places only by how far a thing's pixels lie beside its votes, times these."""
        self.forget_shifts()
        last = self.shifter.get_submodule("2")
        last.get_parameter("bias").view(3, -1)[:, TERMS:] = aside_23.T

    def shifts(self, summary: Summary, term_NKF: Tensor) -> Tensor:
        """How far (N, K, 3) things are from where the fit sees them, in scaled world places.

        The fit is corrected by what a thing looks like: a tall one is seen further out.
        """
        shape_NK3 = (summary.shape.abs() + 1e-3).sqrt() * summary.shape.sign() / 4
        term = torch.cat([term_NKF, aside(summary, term_NKF)], dim=-1)
        change = self.shifter(torch.cat([summary.look, shape_NK3, term], dim=-1))
        shift: Tensor = (change.view(*term.shape[:-1], 3, -1) * term[..., None, :]).sum(dim=-1)
        return shift


def aside(summary: Summary, term_NKF: Tensor) -> Tensor:
    """How far (N, K, 2) the middle of a thing's pixels lies beside that of its votes."""
    return (summary.middle - term_NKF[..., 1:3]) * 10
