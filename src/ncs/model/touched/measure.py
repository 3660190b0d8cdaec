"""Reads a world's numbers off its buffer: how noisy, how large, how near, and where it is seen.

Legend: B clips, T frames, M moves of a clip, N moves, E ends (2N: before moves, then after),
C channels, H height, W width.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ncs.model.touched.calibrate import CHUNK, FEWEST, SMALLEST, calibrate
from ncs.model.touched.change import as_image, find_change, measure_noise
from ncs.model.touched.geometry import fit, terms
from ncs.model.touched.labels import read_moves
from ncs.model.touched.measures import LEVELS, MAP, NO_LEVEL, Measures
from ncs.model.touched.network import pixels
from ncs.model.touched.spots import find_spots
from ncs.records import DataError

NEAR = 6.0  # pixels: where middles of things on things are nearer, pictures are enlarged
FINE = 10.0  # pixels across that the smallest things keep when pictures are reduced
ENOUGH = 1200  # moves that a fit needs
SHARE = 0.25  # of the smallest thing's pixels that must be there for it to be seen
COVERED = 0.25  # of these: what shows of a thing that others cover, where it can be at few places
ALMOST = 0.95  # of the picks that must be at some level for there to be levels
RARE = 0.02  # pixels touched so seldom, beside the usual ones, were touched by nothing
Doubles = NDArray[np.float64]


def measure(frame_BTHWC: Tensor, action_BMA: Tensor, longest: int) -> dict[str, Any]:
    """Every measurement of a buffer's clips, by name."""
    size = tuple(frame_BTHWC.shape[2:4])
    values = _measure(frame_BTHWC, action_BMA, _reduced(size, max(1, -(-max(size) // longest))))
    # Large things in large pictures are looked at from further away: costs follow what is seen.
    across = 2 * values["smallest"] * max(size) / max(values["height"], values["width"])
    factor = max(1, int(across / FINE))
    shape = _reduced(size, factor)
    if factor > 1 and max(shape) < max(values["height"], values["width"]):
        values = _measure(frame_BTHWC, action_BMA, shape)
    elif (times := _enlargement(size, values, longest)) > 1:
        some = slice(None, None, max(1, action_BMA[..., 0].numel() // ENOUGH))
        shape = (times * size[0], times * size[1])
        values = _measure(frame_BTHWC[some], action_BMA[some], shape)
    values.pop("smallest")
    return values


def _enlargement(size: tuple[int, ...], values: Mapping[str, Any], longest: int) -> int:
    """How many times larger to look at pictures in which things stand on things too near to see."""
    measures = _taken(values)
    if not measures.is_deep:
        return 1
    return min(math.ceil(NEAR / measures.number("apart")), max(1, longest // max(size)))


def _taken(values: Mapping[str, Any]) -> Measures:
    measures = Measures()
    measures.take({name: value for name, value in values.items() if name != "smallest"})
    return measures


def measure_at(frame_BTHWC: Tensor, action_BMA: Tensor, shape: tuple[int, int]) -> dict[str, Any]:
    """Every measurement of clips looked at in a given size, by name."""
    values = _measure(frame_BTHWC, action_BMA, shape)
    values.pop("smallest")
    return values


def _reduced(size: tuple[int, ...], factor: int) -> tuple[int, int]:
    return max(32, round(size[0] / factor)), max(32, round(size[1] / factor))


def _measure(frame_BTHWC: Tensor, action_BMA: Tensor, shape: tuple[int, int]) -> dict[str, Any]:
    parts = [as_image(part, shape) for part in torch.split(frame_BTHWC, CHUNK)]
    noise = measure_noise(torch.cat([part[:: max(1, len(parts))] for part in parts]))
    changed_BMHW = torch.cat([find_change(part, noise) for part in parts])
    action = action_BMA.double().cpu().numpy()
    start_BM3, end_BM3 = action[..., :3], action[..., :3] + action[..., 3:]
    world = _scale(start_BM3, end_BM3)
    changed_NHW = changed_BMHW.flatten(0, 1)
    place_E3 = np.concatenate([world.scaled(start_BM3), world.scaled(end_BM3)])
    some = np.arange(0, len(changed_NHW), -(-len(changed_NHW) // ENOUGH))
    both_2S = np.stack([some, some + len(changed_NHW)])
    seen = calibrate(changed_NHW[some], place_E3[both_2S.ravel()])
    values: dict[str, Any] = {
        "height": shape[0],
        "width": shape[1],
        "noise": noise,
        "miss": seen.miss,
        "reach": seen.reach,
        "radius": seen.radius,
        "least": max(2.0, SHARE * seen.area),
        "tall": float(np.ptp(action[..., 5]) > 1e-3 * world.scale),
        "low": float(np.quantile(place_E3[:, 2], SMALLEST)),
        "moves": len(changed_NHW),
        "plain": seen.plain,
        "centre": world.centre,
        "scale": world.scale,
        "to_pixel": seen.to_pixel,
        "to_place": seen.to_place,
        "touched": _touched(changed_NHW, seen.radius),
        "smallest": float(np.sqrt(seen.area / np.pi)),
    }
    values |= _gaps(start_BM3, end_BM3, world, values)
    if values["tall"]:  # then some moves took things along
        values["levels"] = _levels(place_E3[: len(changed_NHW), 2], values["gap"] / world.scale)
        values |= _spots(place_E3[: len(changed_NHW)], values)
        values |= _fit_whole(parts, action_BMA, values)
        values |= _gaps(start_BM3, end_BM3, world, values)
    return values


def _fit_whole(
    parts: Sequence[Tensor], action_BMA: Tensor, values: Mapping[str, Any]
) -> dict[str, Doubles]:
    """Where the world is seen, fitted again to moves that took no other thing along."""
    measures = _taken(values)
    grid_2P = pixels(*measures.shape, parts[0]).flatten(1)
    places, middles = [], []
    for image, action in zip(parts, torch.split(action_BMA, CHUNK), strict=True):
        moved = read_moves(image, action, measures)
        whole_BM = moved.sure.all(dim=2)
        for mask, place in ((moved.before, moved.start), (moved.after, moved.end)):
            own_LP = mask[whole_BM].flatten(1).float()
            middles.append(own_LP @ grid_2P.T / own_LP.sum(dim=1, keepdim=True))
            places.append(place[whole_BM])
    place_L3 = torch.cat(places).double().cpu().numpy()
    middle_L2 = torch.cat(middles).double().cpu().numpy()
    if len(place_L3) < 2 * FEWEST:
        return {}
    share_L2 = middle_L2 / max(measures.shape)
    return {"to_pixel": fit(place_L3, middle_L2), "to_place": fit(share_L2, place_L3)}


@dataclass(frozen=True)
class Scale:
    """How places in metres become numbers around zero."""

    centre: Doubles  # (3,)
    scale: float

    def scaled(self, place: Doubles) -> Doubles:
        """Scaled places (N, 3)."""
        return np.asarray((place.reshape(-1, 3) - self.centre) / self.scale)


def _scale(start_BM3: Doubles, end_BM3: Doubles) -> Scale:
    place = np.concatenate([start_BM3.reshape(-1, 3), end_BM3.reshape(-1, 3)])
    spread = float(place[:, :2].std(axis=0).mean())
    if not np.isfinite(place).all() or spread <= 0:
        raise DataError("buffer: its actions all speak of one place, so they teach nothing")
    return Scale(place.mean(axis=0), spread)


def _gaps(
    start_BM3: Doubles, end_BM3: Doubles, world: Scale, values: Mapping[str, Any]
) -> dict[str, float]:
    """How near two things of one scene come, in pixels and in metres.

    Things that were not yet moved stand where they will be picked.
    """
    metres, seen = [], []
    shape = start_BM3.shape
    project = terms(torch.from_numpy(world.scaled(start_BM3))).numpy() @ values["to_pixel"]
    pixel_BM2 = project.reshape(*shape[:2], 2)
    for later in range(1, shape[1]):
        moved_B = np.zeros(shape[0], bool)
        for earlier in range(later):
            back = np.linalg.norm(start_BM3[:, later] - end_BM3[:, earlier], axis=-1)
            moved_B |= back < 0.05 * world.scale
        for earlier in range(later):
            gap = np.linalg.norm(start_BM3[:, later] - start_BM3[:, earlier], axis=-1)
            keep = ~moved_B & (gap > 0.05 * world.scale)
            metres.append(gap[keep])
            seen.append(np.linalg.norm(pixel_BM2[:, later] - pixel_BM2[:, earlier], axis=-1)[keep])
    every, shown = np.concatenate([*metres, []]), np.concatenate([*seen, []])
    if not len(every):  # one thing a scene: nothing is ever near
        return {"apart": 4 * values["radius"], "gap": world.scale}
    near = float(np.quantile(shown, 0.01))
    return {"apart": min(near, 4 * values["radius"]), "gap": float(np.quantile(every, 0.01))}


def _levels(height_N: Doubles, gap: float) -> Doubles:
    """Heights (LEVELS,) at which things were picked where these are few, else NO_LEVEL."""
    levels = np.full(LEVELS, NO_LEVEL)
    order_N = np.sort(height_N)
    groups = np.split(order_N, np.flatnonzero(np.diff(order_N) > gap / 8) + 1)
    groups = [group for group in groups if len(group) >= SMALLEST / 4 * len(order_N)]
    narrow = all(np.ptp(group) < gap / 2 for group in groups)
    if narrow and len(groups) <= LEVELS and sum(map(len, groups)) >= ALMOST * len(order_N):
        levels[: len(groups)] = [np.median(group) for group in groups]
    return levels


def _spots(picked_N3: Doubles, values: Mapping[str, Any]) -> dict[str, Any]:
    """Where things can be, and how little of one is enough, where a pixel may show many heights."""
    measures = _taken(values)
    spot_S3 = find_spots(picked_N3, measures.number("gap") / float(measures.scale))
    if not measures.is_deep or not (spot_S3 < NO_LEVEL).any():
        return {}
    return {"spots": spot_S3, "least": max(2.0, COVERED * values["least"])}


def _touched(changed_NHW: Tensor, radius: float) -> Tensor:
    """Cells (MAP, MAP) in or near which anything ever changed."""
    share_HW = torch.stack(
        [part.float().mean(dim=0) * len(part) for part in torch.split(changed_NHW, CHUNK)]
    ).sum(dim=0) / len(changed_NHW)
    usual = share_HW.square().sum() / share_HW.sum().clamp(min=1e-9)
    seen = (share_HW > RARE * usual).float()[None, None]
    margin = 1 + int(radius / 2)
    wide = functional.max_pool2d(seen, 2 * margin + 1, 1, margin)
    return functional.adaptive_max_pool2d(wide, (MAP, MAP))[0, 0]
