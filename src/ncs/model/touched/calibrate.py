"""Where a world point is seen, and how large things are there, from changes and actions alone.

Where pictures change more than usual when actions pick or place in some region of the world, that
region is seen, whatever else moves in view: an arm, its shadow. A linear fit over regions tells
the two ends of each move apart; what changed around each draws the fit there, from an ever smaller
surrounding.

Legend: N moves, E ends (2N: before moves, then after), H height, W width, P pixels, R rings.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ncs.model.touched.geometry import fit, terms
from ncs.model.touched.network import pixels
from ncs.records import DataError

FEWEST = 8  # moves that a fit of six numbers a coordinate rests on
FULL = 0.5  # a change of more of the picture than this is no move
CHUNK = 256  # moves at a time
SMALLEST = 0.02  # quantile of sizes that still counts as a thing's
SIDE = 4  # regions of the world along each axis
HIGH = 0.6  # of the highest: what counts as the top of a map
NARROWING = (1 / 5, 1 / 6, 1 / 8, 1 / 8)  # surroundings, as shares of the longer side
FADED = 0.01  # of how often the middle changes: where a ring changes less, things have ended
ROOM = 1.2  # things that are larger than the buffer's, or further from their middles
FLAT = 1e-3  # scaled heights that differ by no more are one
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """Where and how large moved things are seen."""

    to_pixel: Doubles  # (10, 2) from terms of scaled places
    to_place: Doubles  # (6, 3) from terms of pixels as shares of the longer side
    miss: float  # pixels between the fit and what changed, median
    reach: float  # pixels to which the largest things reach
    radius: float  # pixels to which most things reach
    area: float  # pixels of the smallest things
    plain: float  # share of moves that changed the picture at both ends


@dataclass(frozen=True)
class Ends:
    """What changed at both ends of moves."""

    count: Doubles  # (E,) pixels
    middle: Doubles  # (E, 2)
    extent: Doubles  # (E,) pixels from the middle to the border, about


def calibrate(changed_NHW: Tensor, place_E3: Doubles) -> Seen:
    """Fits from world to picture and back, and the sizes of things."""
    longest = max(changed_NHW.shape[1:])
    to_pixel, good_N = _start(changed_NHW, place_E3)
    for turn, share in enumerate(NARROWING):
        ends, shown_E = _look(changed_NHW, place_E3, to_pixel, share * longest, good_N)
        to_pixel = fit(place_E3[shown_E], ends.middle[shown_E], linear=turn < 2)
    for _ in range(3):
        reach = _reach(changed_NHW, _project(place_E3, to_pixel))
        ends, shown_E = _look(changed_NHW, place_E3, to_pixel, reach, good_N)
        to_pixel = fit(place_E3[shown_E], ends.middle[shown_E])
    miss_E = np.linalg.norm(_project(place_E3, to_pixel) - ends.middle, axis=1)[shown_E]
    both_2N = ends.count.reshape(2, -1) > 1
    return Seen(
        to_pixel=to_pixel,
        to_place=fit(ends.middle[shown_E] / longest, place_E3[shown_E]),
        miss=float(np.median(miss_E)),
        reach=reach,
        radius=min(reach, float(np.quantile(ends.extent[shown_E], 0.9))),
        area=float(np.quantile(ends.count[shown_E], SMALLEST)),
        plain=float(both_2N.all(axis=0).mean()),
    )


def _project(place_E3: Doubles, to_pixel: Doubles) -> Doubles:
    return np.asarray(terms(torch.from_numpy(place_E3)).numpy() @ to_pixel)


def _start(changed_NHW: Tensor, place_E3: Doubles) -> tuple[Doubles, NDArray[np.bool_]]:
    """A linear fit from world to picture, and which moves changed anything (N,)."""
    height, width = changed_NHW.shape[1:]
    count_N = changed_NHW.sum(dim=(1, 2)).cpu().numpy()
    good_N = (count_N > 1) & (count_N < FULL * height * width)
    if good_N.sum() < FEWEST:
        raise DataError(
            f"buffer: only {int(good_N.sum())} moves changed its pictures, at least {FEWEST} must"
        )
    good_E = np.tile(good_N, 2)
    places, middles = [], []
    often_HW = changed_NHW[torch.from_numpy(good_N)].float().mean(dim=0)
    for inside_E in _regions(place_E3):
        end = np.flatnonzero(inside_E & good_E)
        if len(end) >= 4:
            here_HW = changed_NHW[torch.from_numpy(end % len(changed_NHW))].float().mean(dim=0)
            places.append(place_E3[end].mean(axis=0))
            middles.append(_top(here_HW - often_HW))
    if len(places) < 4:
        raise DataError("buffer: its actions speak of too few places to learn where they are seen")
    return fit(np.stack(places), np.stack(middles), linear=True), good_N


def _regions(place_E3: Doubles) -> list[NDArray[np.bool_]]:
    """Which ends (E,) lie in each of some regions, split by height too if moves change it."""
    number_E = np.zeros(len(place_E3), int)
    moved_2N3 = place_E3.reshape(2, -1, 3)
    tall = np.ptp(moved_2N3[1, :, 2] - moved_2N3[0, :, 2]) > FLAT
    for axis in range(3 if tall else 2):
        line = np.quantile(place_E3[:, axis], np.linspace(0, 1, SIDE + 1)[1:-1])
        number_E = SIDE * number_E + np.searchsorted(line, place_E3[:, axis] - 1e-6)
    return [number_E == number for number in np.unique(number_E)]


def _top(more_HW: Tensor) -> Doubles:
    """The pixel (2,) around which a map is highest."""
    reach = max(1, max(more_HW.shape) // 16)
    smooth = more_HW[None, None]
    for _ in range(2):
        smooth = functional.avg_pool2d(smooth, 2 * reach + 1, 1, reach)
    weight_P = (smooth / smooth.max() - HIGH).clamp(min=0).flatten()
    grid_2P = _grid(more_HW[None])
    far_P = (grid_2P - grid_2P[:, smooth.argmax()][:, None]).norm(dim=0)
    weight_P = weight_P * (far_P < max(more_HW.shape) / 4)
    middle: Doubles = ((grid_2P * weight_P).sum(dim=1) / weight_P.sum()).cpu().double().numpy()
    return middle


def _grid(changed_NHW: Tensor) -> Tensor:
    like = torch.zeros(1, device=changed_NHW.device)
    return pixels(changed_NHW.shape[1], changed_NHW.shape[2], like).flatten(1)


def _squared(grid_2P: Tensor, point_N2: Tensor) -> Tensor:
    """Squared distances (N, P) of pixels from points; summing over an axis of two is slow."""
    across_NP = (grid_2P[0] - point_N2[:, :1]).square_()
    return across_NP.add_((grid_2P[1] - point_N2[:, 1:]).square_())


def _look(
    changed_NHW: Tensor,
    place_E3: Doubles,
    to_pixel: Doubles,
    reach: float,
    good_N: NDArray[np.bool_],
) -> tuple[Ends, NDArray[np.bool_]]:
    """What changed around both ends, and which ends (E,) show clearly."""
    guess_E2 = _project(place_E3, to_pixel)
    ends = _ends(changed_NHW, guess_E2, reach)
    # Both must show, and far enough from one another to be told apart.
    gone_N = np.linalg.norm(np.diff(guess_E2.reshape(2, -1, 2), axis=0)[0], axis=1)
    apart_N = gone_N > min(reach, max(changed_NHW.shape[1:]) / 6)
    shown_N = good_N & apart_N & (ends.count.reshape(2, -1) > 1).all(axis=0)
    if shown_N.sum() < FEWEST:
        raise DataError(
            "buffer: its pictures do not change where its actions pick and place, so they teach "
            "nothing about things"
        )
    return ends, np.tile(shown_N, 2)


def _ends(changed_NHW: Tensor, guess_E2: Doubles, reach: float) -> Ends:
    """What changed near each end, and nearer than to the other end of its move."""
    n_moves, grid_2P = len(changed_NHW), _grid(changed_NHW)
    guess = torch.from_numpy(guess_E2).float().to(changed_NHW.device)
    facts: list[list[Tensor]] = [[], []]
    for first in range(0, n_moves, CHUNK):
        part = changed_NHW[first : first + CHUNK].flatten(1)
        both = [guess[side * n_moves :][first : first + len(part)] for side in (0, 1)]
        gap = [_squared(grid_2P, one) for one in both]
        for side in (0, 1):
            own = (part & (gap[side] < gap[1 - side]) & (gap[side] < reach**2)).float()
            count = own.sum(dim=1)
            middle = own @ grid_2P.T / count.clamp(min=1)[:, None]
            square = (own * _squared(grid_2P, middle)).sum(dim=1)
            # Twice the spread reaches the border of discs, squares and sticks alike.
            extent = 2 * (square / count.clamp(min=1)).sqrt() + 0.5
            facts[side].append(torch.cat([count[:, None], middle, extent[:, None]], dim=1))
    rows = torch.cat([torch.cat(side) for side in facts]).cpu().double().numpy()
    return Ends(rows[:, 0], rows[:, 1:3], rows[:, 3])


def _reach(changed_NHW: Tensor, guess_E2: Doubles) -> float:
    """Pixels from their middles to which things reach, by how often rings around ends change.

    They end where rings change no more often than around the ends of other moves: there is only
    what changes anyhow, such as noise, an arm or its shadow.
    """
    guess_2N2 = torch.from_numpy(guess_E2).float().to(changed_NHW.device).view(2, -1, 2)
    other_2N2 = guess_2N2.roll(len(changed_NHW) // 2, dims=1)
    more_R = (_rings(changed_NHW, guess_2N2) - _rings(changed_NHW, other_2N2))[:-1]
    ended = (more_R <= FADED * more_R.max()).nonzero()[:, 0]
    return ROOM * (float(ended[0]) + 1 if len(ended) else len(more_R) / 2)


def _rings(changed_NHW: Tensor, guess_2N2: Tensor) -> Tensor:
    """How often (R,) pixels change, by their distance from the nearer end of a move."""
    grid_2P = _grid(changed_NHW)
    n_rings = max(4, max(changed_NHW.shape[1:]) // 2)
    hit_R, all_R = torch.zeros(n_rings), torch.zeros(n_rings)
    for first in range(0, len(changed_NHW), CHUNK):
        part = changed_NHW[first : first + CHUNK].flatten(1)
        both = guess_2N2[:, first : first + CHUNK]
        gap = torch.minimum(*(_squared(grid_2P, one).sqrt_() for one in both))
        ring = gap.clamp(max=n_rings - 1).long().flatten().cpu()
        hit_R += torch.bincount(ring, part.flatten().float().cpu(), n_rings)
        all_R += torch.bincount(ring, minlength=n_rings)
    return hit_R / all_R.clamp(min=1)
