"""Discrete variational autoencoder: pictures to a grid of tokens, and tokens to pictures.

Everything is kept channels-last, so that a 1×1 convolution is one matrix product.

Legend: R pictures, H height, W width, G grid rows and columns, N grid cells (G·G),
V vocabulary, C channels, P numbers of a patch or piece, U pixels of a group, M rows of a matrix.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.dslate.chunked import chunks, relax
from ncs.model.dslate.noise import Noise

Upsampling = Literal["stepwise", "once"]  # SLATE's doublings, or patches straight from tokens
SHARPNESS = 25.0  # logits a colour apart differ by about 5, clear of the Gumbel noise
CLEAR = 10.0  # logits by which a word wins over its neighbour, clear of the Gumbel noise
RARE = 0.03  # share of words that may be nearer to another than is clear
WORD_SEED = 0  # words depend on the clips alone
PATCHES_A_WORD = 50  # looked at: most are background
LLOYD_ROUNDS = 5  # of K-means: a start, not an optimum
ENCODER_DEPTH = 6  # 1×1 layers after the patches, as in SLATE


@dataclass(frozen=True)
class Coded:
    """What one training pass of the autoencoder gives."""

    token: Tensor  # (R, N) int64, carries no gradient
    error: Tensor  # squared error summed over a picture, averaged over pictures


class Dvae(nn.Module):
    """SLATE's autoencoder: a token for each patch, decoded by convolutions and pixel shuffles."""

    def __init__(
        self,
        image_size: int,
        patch: int,
        vocabulary: int,
        width: int,
        norm: bool = True,
        upsampling: Upsampling = "stepwise",
        palette: bool = False,
    ) -> None:
        """Builds the autoencoder.

        With a ``palette`` the logits also see the patch itself, and start as the distance of its
        colours to one colour a token. SLATE's start tells no patch from another, and thousands
        of steps pass before more than a handful of tokens mean anything.
        """
        super().__init__()
        self.patch, self.width, self.palette = patch, width, palette
        self.grid = image_size // patch
        self.encoder = nn.Sequential(
            Layer(3 * patch * patch, width, norm=norm),
            *(Layer(width, width, norm=norm) for _ in range(ENCODER_DEPTH)),
        )
        self.head = nn.Linear(width + (3 * patch * patch if palette else 0), vocabulary)
        nn.init.xavier_uniform_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.entry = Layer(vocabulary, width, norm=norm)
        if palette:
            self._give_colours()
        stepwise = upsampling == "stepwise"
        self.piece = 2 if stepwise else patch  # side of the squares that come out
        doublings = patch.bit_length() - 1 if stepwise else 1
        self.stages = nn.ModuleList(make_stage(width, norm, stepwise) for _ in range(doublings))
        self.exit = nn.Linear(width, 3 if stepwise else 3 * patch * patch)
        nn.init.xavier_uniform_(self.exit.weight)
        nn.init.zeros_(self.exit.bias)

    def forward(self, frame_RHWC: Tensor, temperature: float, noise: Noise) -> Coded:
        """Tokens of pictures (uint8) and how well their relaxed samples give the pictures back.

        One Gumbel sample serves both: relaxed it feeds the reconstruction, its largest entry is
        the token. SLATE draws two, but the token carries no gradient to these weights and the
        reconstruction none to the others, so either way each weight's gradient has the same law.
        """
        entry_CV = self.entry.weight[:, :, 0, 0]
        mixed_MC, token_M = relax(
            self._features(frame_RHWC),
            self.head.weight,
            self.head.bias,
            entry_CV,
            temperature,
            noise,
        )
        mixed_RGGC = mixed_MC.view(len(frame_RHWC), self.grid, self.grid, -1)
        piece_RGGP = self._draw(mixed_RGGC).float()
        target_RGGP = to_unit(to_patches(frame_RHWC, self.piece))
        error = functional.mse_loss(piece_RGGP, target_RGGP, reduction="sum") / len(frame_RHWC)
        return Coded(token_M.view(len(frame_RHWC), -1), error)

    @torch.no_grad()
    def encode(self, frame_RHWC: Tensor) -> Tensor:
        """The likeliest token of each patch, (R, N)."""
        feature_MC = self._features(frame_RHWC)
        pieces = [feature_MC[chunk] for chunk in chunks(feature_MC, self.head.out_features)]
        token_M = torch.cat([self.head(piece).argmax(dim=1) for piece in pieces])
        return token_M.view(len(frame_RHWC), -1)

    @torch.no_grad()
    def decode(self, token_RN: Tensor) -> Tensor:
        """The pictures that tokens stand for, (R, 3, H, W) in [0, 1]."""
        # A one-hot row times the matrix is one of its columns.
        mixed_RNC = functional.embedding(token_RN, self.entry.weight[:, :, 0, 0].T)
        piece_RGGP = self._draw(mixed_RNC.view(len(token_RN), self.grid, self.grid, -1))
        return from_patches(piece_RGGP, self.piece).permute(0, 3, 1, 2).clamp(0, 1)

    def _features(self, frame_RHWC: Tensor) -> Tensor:
        """What logits are made of, one row a patch."""
        patch_RGGP = to_unit(to_patches(frame_RHWC, self.patch))
        feature_MC: Tensor = self.encoder(patch_RGGP).flatten(0, 2)
        if not self.palette:
            return feature_MC
        return torch.cat([feature_MC, patch_RGGP.flatten(0, 2)], dim=1)

    @torch.no_grad()
    def _give_colours(self) -> None:
        """Starts each token as a colour: the nearest to a patch wins, alike ones look alike."""
        colour_V3 = spread_colours(self.head.out_features)
        sharpness = SHARPNESS * len(colour_V3) ** (2 / 3)
        pixels = self.patch * self.patch
        self.head.weight[:, self.width :] = (2 * sharpness / (3 * pixels)) * colour_V3.repeat(
            1, pixels
        )
        self.head.bias.copy_(-sharpness * colour_V3.square().mean(dim=1))
        self.entry.weight[:, :, 0, 0] += torch.randn(self.width, 3) @ (colour_V3 - 0.5).T

    @torch.no_grad()
    def take_words(self, word_VP: Tensor) -> None:
        """Starts each token as a patch of a picture: the nearest wins, alike ones look alike.

        Colours alone cannot tell a patch that a thing covers from one that it half covers.
        """
        apart_VV = torch.cdist(word_VP, word_VP).square() / word_VP.shape[1]
        nearest_V = apart_VV.fill_diagonal_(torch.inf).amin(dim=1)
        sharpness = CLEAR / float(nearest_V.quantile(RARE).clamp(min=1e-6))
        self.head.weight[:, self.width :] = (2 * sharpness / word_VP.shape[1]) * word_VP
        self.head.bias.copy_(-sharpness * word_VP.square().mean(dim=1))
        self.entry.weight[:, :, 0, 0] += projected(word_VP, self.width).T

    def _draw(self, mixed_RGGC: Tensor) -> Tensor:
        """Pictures in pieces; the last pixel shuffle is left to whoever needs the order."""
        value_RGGC = self.entry.finish(mixed_RGGC)
        for number, stage in enumerate(self.stages):
            if number > 0:
                value_RGGC = from_patches(value_RGGC, 2)
            value_RGGC = stage(value_RGGC)
        group_RGGUC = value_RGGC.reshape(*value_RGGC.shape[:3], -1, self.width)
        colour: Tensor = self.exit(group_RGGUC).flatten(-2)
        return colour


class Layer(nn.Module):
    """Convolution, normalisation over the whole picture, ReLU; on (R, G, G, C)."""

    def __init__(self, fan_in: int, fan_out: int, kernel: int = 1, norm: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(fan_out, fan_in, kernel, kernel))
        nn.init.kaiming_uniform_(self.weight, nonlinearity="relu")
        self.gain = nn.Parameter(torch.ones(fan_out)) if norm else None
        self.bias = nn.Parameter(torch.zeros(fan_out))

    def forward(self, value_RGGC: Tensor) -> Tensor:
        """The layer's output on the same grid."""
        if self.weight.shape[-1] == 1:
            return self.finish(functional.linear(value_RGGC, self.weight[:, :, 0, 0]))
        mixed_RCGG = functional.conv2d(value_RGGC.permute(0, 3, 1, 2), self.weight, padding=1)
        return self.finish(mixed_RCGG.permute(0, 2, 3, 1))

    def finish(self, mixed_RGGC: Tensor) -> Tensor:
        """Normalisation and ReLU, for a caller that has mixed the channels itself."""
        if self.gain is None:
            return (mixed_RGGC + self.bias).relu_()
        mixed_RCGG = mixed_RGGC.permute(0, 3, 1, 2)
        normed_RCGG = functional.group_norm(mixed_RCGG, 1, self.gain, self.bias)
        # In place before the view is taken: autograd copies when a view is changed.
        return normed_RCGG.relu_().permute(0, 2, 3, 1)


def spread_colours(count: int) -> Tensor:
    """Colours spread evenly over the cube, (count, 3): a golden-ratio sequence in three axes."""
    ratio = 1.2207440846057596  # the real root of x⁴ = x + 1
    step_3 = torch.tensor([ratio**-1, ratio**-2, ratio**-3], dtype=torch.float64)
    return (0.5 + torch.arange(count, dtype=torch.float64)[:, None] * step_3).frac().float()


def common_patches(frame_RHWC: Tensor, size: int, count: int) -> Tensor:
    """As many patches as there are words that stand for all patches of pictures, (V, P)."""
    patch_XP = to_unit(to_patches(frame_RHWC, size)).flatten(0, 2).cpu()
    patch_XP = patch_XP[:: max(1, len(patch_XP) // (PATCHES_A_WORD * count))]
    word_VP = far_apart(patch_XP, count)
    for _ in range(LLOYD_ROUNDS):
        mine_X = torch.cdist(patch_XP, word_VP).argmin(dim=1)
        sum_VP = torch.zeros_like(word_VP).index_add_(0, mine_X, patch_XP)
        count_V1 = mine_X.bincount(minlength=count)[:, None]
        word_VP = torch.where(count_V1 > 0, sum_VP / count_V1.clamp(min=1), word_VP)
    return word_VP.to(frame_RHWC.device)


def far_apart(patch_XP: Tensor, count: int) -> Tensor:
    """Patches (V, P) drawn by how far they are from those before, as K-means++ starts."""
    generator = torch.Generator().manual_seed(WORD_SEED)
    distance_X = torch.ones(len(patch_XP))
    words: list[Tensor] = []
    for _ in range(count):
        chosen = torch.multinomial(distance_X + 1e-9, 1, generator=generator)
        words.append(patch_XP[chosen])
        new_X = (patch_XP - words[-1]).square().sum(dim=1)
        distance_X = new_X if len(words) == 1 else torch.minimum(distance_X, new_X)
    return torch.cat(words)


def projected(word_VP: Tensor, width: int) -> Tensor:
    """Words as random directions (V, width) of unit spread in which alike ones are near."""
    spread_VP = word_VP - word_VP.mean(dim=0)
    generator = torch.Generator().manual_seed(WORD_SEED)
    axis_PC = torch.randn(word_VP.shape[1], width, generator=generator)
    value_VC = spread_VP @ axis_PC.to(word_VP.device)
    return value_VC / value_VC.std().clamp(min=1e-6)


def make_stage(width: int, norm: bool, doubling: bool) -> nn.Sequential:
    """Layers of one scale; they end in four times the channels if pixels are to be doubled."""
    layers = [Layer(width, width, kernel=3, norm=norm)]
    layers += [Layer(width, width, norm=norm) for _ in range(2)]
    if doubling:
        layers.append(Layer(width, 4 * width, norm=norm))
    return nn.Sequential(*layers)


def to_unit(value: Tensor) -> Tensor:
    """Bytes as numbers in [0, 1]."""
    return value.float().div_(255)


def to_patches(value_RHWC: Tensor, size: int) -> Tensor:
    """Pictures cut into square patches, (R, H / size, W / size, size · size · C)."""
    pictures, height, width, channels = value_RHWC.shape
    cut = value_RHWC.reshape(pictures, height // size, size, width // size, size, channels)
    return cut.transpose(2, 3).reshape(pictures, height // size, width // size, -1)


def from_patches(value_RGGP: Tensor, size: int) -> Tensor:
    """Patches put together again: undoes ``to_patches``."""
    pictures, rows, columns, _ = value_RGGP.shape
    cut = value_RGGP.reshape(pictures, rows, columns, size, size, -1)
    return cut.transpose(2, 3).reshape(pictures, rows * size, columns * size, -1)
