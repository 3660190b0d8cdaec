"""What moves say of pixels: of this thing, of that thing, of none; nothing is said of the others.

Changed pixels near w are the moved thing before, near w + delta w after: a thing with and without
it. What has not changed since, or will not until, is what it was: so each move speaks of every
frame of its clip. Pixels that change away from the action are no thing, and so are those that
never change; beside such a change only what looks the same at both ends is the thing's. A move that
changed nothing at one of its ends says nothing.

Legend: B clips, T frames, M moves (T - 1), H height, W width.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.touched.alike import carries, looks_the_same
from ncs.model.touched.change import find_change
from ncs.model.touched.measures import Measures
from ncs.model.touched.moved import Moved
from ncs.model.touched.network import pixels
from ncs.model.touched.piled import only_its_own

FAR = 1.5  # reaches from both ends: no part of what was moved is so far away
KEPT = 0.5  # of a thing's pixels that must still be its own in another frame
SHOWN = 0.33  # the same where things can stand on things: of what carries another the front shows
SLIT = 0.1  # the same where they can be at few places: these tell what it is of that shows


@dataclass(frozen=True)
class Labels:
    """What is known of some frames, pictures in one row: N pictures, M things each."""

    thing: Tensor  # (N, M, H, W) bool
    known: Tensor  # (N, M) bool
    place: Tensor  # (N, M, 3) scaled
    who: Tensor  # (N, M) the same number for the same thing
    nothing: Tensor  # (N, H, W) bool


def read_moves(image_BTCHW: Tensor, action_BMA: Tensor, measures: Measures) -> Moved:
    """What each move changed, end by end."""
    changed = find_change(image_BTCHW, measures.number("noise"))
    start = measures.scaled(action_BMA[..., :3])
    end = measures.scaled(action_BMA[..., :3] + action_BMA[..., 3:])
    grid = pixels(*measures.shape, image_BTCHW)
    gap = [
        (grid - measures.project(place)[..., None, None]).square().sum(dim=2)
        for place in (start, end)
    ]
    reach, radius = measures.number("reach") ** 2, measures.number("radius") ** 2
    before = changed & (gap[0] < gap[1]) & (gap[0] < reach)
    after = changed & (gap[1] <= gap[0]) & (gap[1] < reach)
    least = measures.number("least")
    worked = (before.sum(dim=(2, 3)) >= least) & (after.sum(dim=(2, 3)) >= least)
    height = torch.stack([start[..., 2], end[..., 2]], dim=2)
    highest = measures.number("low") + measures.half_step if measures.number("tall") else math.inf
    moved = Moved(
        changed=changed,
        before=before,
        after=after,
        apart=torch.stack([gap[1] > radius, gap[0] > radius], dim=2),
        away=changed & (torch.minimum(*gap) > FAR**2 * reach),
        worked=worked,
        sure=worked[..., None].expand(*worked.shape, 2),
        on_floor=height < highest,
        start=start,
        end=end,
        who=_identify(start, end, worked, measures.half_step),
    )
    tell = _tell_piled if measures.is_deep else _tell_passing
    moved = tell(image_BTCHW, moved, measures)
    return only_its_own(image_BTCHW, moved, least) if measures.number("tall") else moved


def _tell_piled(image_BTCHW: Tensor, moved: Moved, measures: Measures) -> Moved:
    """Moves by what looks the same at both ends; of those that carried another nothing is sure."""
    shift_BM2 = measures.project(moved.end) - measures.project(moved.start)
    near = max(1, round(measures.number("apart") / 2))
    moved = looks_the_same(image_BTCHW, moved, shift_BM2, near)
    least = measures.number("least")
    shown_BM = (moved.before.sum(dim=(2, 3)) >= least) & (moved.after.sum(dim=(2, 3)) >= least)
    gap = measures.number("gap") / float(measures.scale)
    alone_BM = ~carries(moved.start, moved.end, moved.worked, gap)
    sure_BM2 = moved.sure & (shown_BM & alone_BM)[..., None]
    return replace(moved, worked=moved.worked & shown_BM, sure=sure_BM2)


def _tell_passing(image_BTCHW: Tensor, moved: Moved, measures: Measures) -> Moved:
    """Moves while which something else passed: theirs is only what looks the same at both ends."""
    least = measures.number("least")
    busy_BM = moved.away.sum(dim=(2, 3)) >= least
    if not busy_BM.any():
        return moved
    shift_BM2 = measures.project(moved.end) - measures.project(moved.start)
    near = max(1, round(measures.number("miss")))
    alike = looks_the_same(image_BTCHW, moved, shift_BM2, near)
    before, after = (
        torch.where(busy_BM[..., None, None], *pair)
        for pair in ((alike.before, moved.before), (alike.after, moved.after))
    )
    shown_BM = (before.sum(dim=(2, 3)) >= least) & (after.sum(dim=(2, 3)) >= least)
    return replace(alike, before=before, after=after, worked=moved.worked & shown_BM)


def _identify(start_BM3: Tensor, end_BM3: Tensor, worked_BM: Tensor, near: float) -> Tensor:
    """For each move the first one of the same thing: it is picked where it was put before."""
    who = torch.arange(start_BM3.shape[1], device=start_BM3.device).repeat(len(start_BM3), 1)
    for later in range(1, start_BM3.shape[1]):
        for earlier in range(later):
            same = (start_BM3[:, later] - end_BM3[:, earlier]).norm(dim=-1) < near
            same &= worked_BM[:, earlier]
            who[:, later] = torch.where(same, who[:, earlier], who[:, later])
    return who


def label(moved: Moved, frames: Sequence[int], measures: Measures) -> Labels:
    """What is known of the given frames of every clip; frame by frame, clips within."""
    never_HW = _never(measures)
    least, kept = measures.number("least"), _kept(measures)
    parts = [_label_frame(moved, frame, never_HW, least, kept) for frame in frames]
    names = ("thing", "known", "place", "who", "nothing")
    return Labels(**{name: torch.cat([getattr(part, name) for part in parts]) for name in names})


def _kept(measures: Measures) -> float:
    """The share of a thing that must show for it to be told."""
    if len(measures.known_spots):
        return SLIT
    return SHOWN if measures.number("tall") else KEPT


def _never(measures: Measures) -> Tensor:
    touched = functional.interpolate(measures.touched[None, None], size=measures.shape)
    return touched[0, 0] == 0


def _label_frame(moved: Moved, frame: int, never_HW: Tensor, least: float, kept: float) -> Labels:
    n_clips, n_moves = moved.worked.shape
    things, places, gone = [], [], never_HW.expand(n_clips, -1, -1)
    for move in range(n_moves):
        side = 0 if frame <= move else 1  # the end at which the thing is in this frame
        still = moved.still(move, frame) & moved.worked[:, move, None, None]
        things.append(moved.claim(move, frame))
        places.append((moved.start, moved.end)[side][:, move])
        there = (moved.after, moved.before)[side][:, move]
        empty = there & still & moved.apart[:, move, 1 - side]
        gone = gone | (empty & moved.on_floor[:, move, 1 - side, None, None])
        if frame in (move, move + 1):
            gone = gone | (moved.away[:, move] & moved.worked[:, move, None, None])
    thing, full = torch.stack(things, dim=1), _full(moved, frame)
    count = thing.sum(dim=(2, 3))
    known = (count >= least) & (count >= kept * full)
    thing, known = _join(thing, known, moved.who)
    number = moved.who + n_moves * torch.arange(n_clips, device=known.device)[:, None]
    nothing = gone & ~thing.any(dim=1)
    return Labels(
        thing & known[..., None, None], known, torch.stack(places, dim=1), number, nothing
    )


def _full(moved: Moved, frame: int) -> Tensor:
    """Pixels (B, M) of the thing of each move at the end where it is in a frame."""
    moves = torch.arange(moved.worked.shape[1], device=moved.worked.device)
    return torch.where(frame <= moves, moved.before.sum(dim=(2, 3)), moved.after.sum(dim=(2, 3)))


def _join(thing_BMHW: Tensor, known_BM: Tensor, who_BM: Tensor) -> tuple[Tensor, Tensor]:
    """Things that several moves speak of in one frame, made one."""
    thing, known = thing_BMHW.clone(), known_BM.clone()
    for later in range(1, thing.shape[1]):
        for earlier in range(later):
            same = known[:, later] & known[:, earlier] & (who_BM[:, later] == who_BM[:, earlier])
            thing[:, earlier] |= thing[:, later] & same[:, None, None]
            known[:, later] &= ~same
    return thing, known
