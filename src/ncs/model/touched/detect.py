"""Things of pictures: pixels vote for middles, votes are smoothed, and peaks are things.

Legend: N pictures, K things, H height, W width, P pixels (H times W), G cells of a mask's side.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.touched.measures import Measures
from ncs.model.touched.network import Maps

SMOOTH = 8.0  # votes are smoothed over this part of the distance that things keep
BESIDE = 8  # things that are found beside those asked for, and keep their pixels
NEAR = 6.0  # pixels: middles nearer to one another are told apart in cells finer than pixels
CLEAR = 8.0  # cells of the board between the middles of things, at least
FINE_BLUR = 0.35  # pixels over which votes are smoothed at least where cells are finer than pixels
FILLED = 0.5  # a cell of which this share votes for a thing is all its own


@dataclass(frozen=True)
class Board:
    """Where votes fall."""

    chance: Tensor  # (N, H, W) of being part of a thing, 0 where that is unlikely
    votes: Tensor  # (N, H * fine, W * fine) smoothed
    peak: Tensor  # (N, H * fine, W * fine) bool
    fine: int  # cells of a pixel's side


@dataclass(frozen=True)
class Things:
    """What was found, the most voted for first."""

    pixel: Tensor  # (N, K, 2) the middle
    mask: Tensor  # (N, K, H, W) chances of the pixels that vote for it
    votes: Tensor  # (N, K) height of the peak
    present: Tensor  # (N, K) bool


def count_votes(maps: Maps, measures: Measures) -> Board:
    """Votes of every pixel that is likely of a thing, and their peaks."""
    count, height, width = maps.logit.shape
    chance = maps.logit.sigmoid()
    chance = chance * (chance > 0.5)
    apart = measures.number("apart")
    fine = math.ceil(CLEAR / apart) if apart < NEAR else 1
    cell_x = (maps.vote[:, 0] * fine).clamp(0, width * fine - 0.01).long()
    cell_y = (maps.vote[:, 1] * fine).clamp(0, height * fine - 0.01).long()
    index = (cell_y * width * fine + cell_x).flatten(1)
    board = chance.new_zeros(count, height * width * fine**2)
    board = board.scatter_add_(1, index, chance.flatten(1))
    least = 0.7 if fine == 1 else FINE_BLUR
    votes = blur(board.view(count, height * fine, -1), fine * max(least, apart / SMOOTH))
    radius = max(1, int(fine * apart / 2))
    row_top = functional.max_pool2d(votes[:, None], (1, 2 * radius + 1), 1, (0, radius))
    top = functional.max_pool2d(row_top, (2 * radius + 1, 1), 1, (radius, 0))[:, 0]
    return Board(chance, votes, (votes == top) & (votes > 0), fine)


def peaks(board: Board, kept: int) -> tuple[Tensor, Tensor]:
    """The highest peaks: pixels (N, K, 2) and how high (N, K)."""
    high = (board.votes * board.peak).flatten(1)
    votes_NK, index_NK = high.topk(min(kept, high.shape[1]), dim=1)
    width = board.votes.shape[2]
    cell_NK2 = torch.stack([index_NK % width, index_NK // width], dim=2)
    return (cell_NK2 + 0.5) / board.fine, votes_NK


def blur(value_NHW: Tensor, sigma: float) -> Tensor:
    """Each value spread as a bell of height 1."""
    reach = math.ceil(3 * sigma)
    line = torch.arange(-reach, reach + 1, device=value_NHW.device, dtype=value_NHW.dtype)
    bell = torch.exp(-(line**2) / (2 * sigma**2))
    rows = functional.conv2d(value_NHW[:, None], bell[None, None, None], padding=(0, reach))
    return functional.conv2d(rows, bell[None, None, :, None], padding=(reach, 0))[:, 0]


def find_things(maps: Maps, n_things: int, measures: Measures) -> Things:
    """At most so many things of each picture; the rest are absent."""
    board = count_votes(maps, measures)
    peak_NK2, votes_NK = peaks(board, n_things + BESIDE)
    present_NK = votes_NK >= measures.number("least")
    gap_NKP = (maps.vote[:, 0].flatten(1)[:, None] - peak_NK2[..., :1]).square()
    gap_NKP += (maps.vote[:, 1].flatten(1)[:, None] - peak_NK2[..., 1:]).square()
    gap_NKP = gap_NKP.masked_fill_(~present_NK[..., None], math.inf)
    near_N1P, owner_N1P = gap_NKP.min(dim=1, keepdim=True)
    own_N1P = board.chance.flatten(1)[:, None] * (near_N1P < measures.number("apart") ** 2)
    mask_NKP = torch.zeros_like(gap_NKP).scatter_(1, owner_N1P, own_N1P)
    total_NK1 = mask_NKP.sum(dim=2, keepdim=True)
    mean_NK2 = mask_NKP @ maps.vote.flatten(2).transpose(1, 2) / (total_NK1 + 1e-6)
    mask_NKHW = mask_NKP.view(*mask_NKP.shape[:2], *maps.logit.shape[1:])
    present_NK &= total_NK1[..., 0] > 0
    return Things(
        pixel=_exactly(mean_NK2, n_things),
        mask=_exactly(mask_NKHW, n_things),
        votes=_exactly(votes_NK, n_things),
        present=_exactly(present_NK, n_things),
    )


def _exactly(value_NK: Tensor, n_things: int) -> Tensor:
    """The first so many things, with empty ones where there are fewer."""
    kept = value_NK[:, :n_things]
    return torch.cat(
        [kept, kept.new_zeros(len(kept), n_things - kept.shape[1], *kept.shape[2:])], 1
    )


def cell_masks(mask_NKHW: Tensor, grid: int) -> Tensor:
    """Masks (N, K, G * G) on a grid over the picture, adding up to at most 1 in a cell."""
    share = functional.adaptive_avg_pool2d(mask_NKHW, (grid, grid)).flatten(2)
    total = share.sum(dim=1, keepdim=True)
    return share / total.clamp(min=FILLED)
