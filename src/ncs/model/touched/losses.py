"""What the labels of moves teach: where things are, which pixels vote for which, who is who.

Legend: N pictures, M things, L known things of all pictures, H height, W width,
Z type channels.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.touched.fuller import Scenes
from ncs.model.touched.labels import Labels
from ncs.model.touched.measures import Measures
from ncs.model.touched.network import Describer, Maps, Summary
from ncs.model.touched.spots import at_spots
from ncs.model.touched.stand import are_piles, stand

UNKNOWN = 0.1  # weight of pixels nobody moved, beside those that were seen to be nothing
FAINT = -1e9
STRICT = 6.0  # pixels: votes for middles nearer to one another must be exact to part of a pixel
BEND = 0.01  # scaled places: errors beyond count linearly


@dataclass(frozen=True)
class Parts:
    """The terms of the loss."""

    find: Tensor
    vote: Tensor
    type: Tensor
    place: Tensor
    seen: Tensor  # (N, M, 3) scaled places as the model has them


def judge(
    maps: Maps, scenes: Scenes, describer: Describer, measures: Measures, temperature: float
) -> Parts:
    """Every term for pictures with their labels."""
    labels = scenes.labels
    mask_NMHW = labels.thing.float()
    area_NM = mask_NMHW.sum(dim=(2, 3))
    # Every thing counts alike, be it large or small.
    share_NM = 1 / (area_NM.clamp(min=1) * labels.known.sum().clamp(min=1))
    each_NHW = (mask_NMHW * share_NM[..., None, None]).sum(dim=1)
    find = (functional.softplus(-maps.logit) * each_NHW).sum()
    wrong_NHW = functional.softplus(maps.logit)
    find = find + masked_mean(wrong_NHW, labels.nothing)
    # What no move speaks of is likely nothing: a thing was moved in some clip, fixtures in none.
    find = find + UNKNOWN * masked_mean(wrong_NHW, ~labels.nothing & ~labels.thing.any(dim=1))
    middle_N2M = measures.project(labels.place).transpose(1, 2)
    aim_N2HW = (middle_N2M @ mask_NMHW.flatten(2)).view_as(maps.vote)
    aim_N2HW = aim_N2HW / mask_NMHW.sum(dim=1, keepdim=True).clamp(min=1)
    exact = min(1.0, measures.number("apart") / STRICT)
    miss_N2HW = functional.smooth_l1_loss(maps.vote, aim_N2HW, reduction="none", beta=exact)
    vote = (miss_N2HW * each_NHW[:, None]).sum()
    if measures.is_deep:  # what a thing's surroundings are told by must be what is seen later
        mask_NMHW = as_seen(maps, labels, middle_N2M, measures.number("apart"))
        area_NM = mask_NMHW.sum(dim=(2, 3))
    summary = describer.pool(maps, scenes.image, mask_NMHW)
    kind = describer.types(summary)[labels.known]
    mean_NM2 = mask_NMHW.flatten(2) @ maps.vote.flatten(2).transpose(1, 2)
    seen = locate(mean_NM2 / area_NM.clamp(min=1)[..., None], summary, describer, measures)
    # Height is an attribute of things where no move changes it, and no place.
    width = measures.state_width
    error_NMS = functional.smooth_l1_loss(
        seen[..., :width], labels.place[..., :width], reduction="none", beta=BEND
    )
    place = (error_NMS.sum(dim=2) * labels.known).sum() / labels.known.sum().clamp(min=1)
    if measures.is_deep:  # the ways that a pixel leaves open are short beside how far things go
        place = place / (4 * measures.half_step)
    return Parts(find, vote, tell_apart(kind, labels, temperature), place, seen.detach())


@torch.no_grad()
def as_seen(maps: Maps, labels: Labels, middle_N2M: Tensor, apart: float) -> Tensor:
    """Chances (N, M, H, W) of pixels that vote for labelled things, and all that are known."""
    chance_NHW = maps.logit.sigmoid()
    chance_NHW = chance_NHW * (chance_NHW > 0.5) * ~labels.thing.any(dim=1)
    down_NMHW, across_NMHW = (
        maps.vote[:, axis, None] - middle_N2M[:, axis, :, None, None] for axis in (0, 1)
    )
    away_NMHW = (down_NMHW.square() + across_NMHW.square()).sqrt()
    away_NMHW = away_NMHW.masked_fill(~labels.known[..., None, None], torch.inf)
    nearest_N1HW, owner_N1HW = away_NMHW.min(dim=1, keepdim=True)
    own_N1HW = chance_NHW[:, None] * (nearest_N1HW < apart)
    return labels.thing.float().scatter_add_(1, owner_N1HW, own_N1HW)


def masked_mean(value: Tensor, mask: Tensor) -> Tensor:
    """The mean of values where a mask holds, 0 where it holds nowhere."""
    return (value * mask).sum() / mask.sum().clamp(min=1)


def locate(
    pixel_NM2: Tensor,
    summary: Summary,
    describer: Describer,
    measures: Measures,
    present_NM: Tensor | None = None,
) -> Tensor:
    """Scaled places (N, M, 3) of things seen at pixels: the fit, and what the eyes add to it.

    Where a pixel may show places of any height, the eyes tell the height, and that the rest. If it
    is said which things there are, heights are those at which things stand, and places those at
    which things can be where these are few.
    """
    term = measures.pixel_terms(pixel_NM2)
    fitted, shift = term @ measures.to_place, describer.shifts(summary, term)
    if not measures.is_deep:
        return fitted + shift
    height = fitted[..., 2:] + shift[..., 2:]

    def at(height: Tensor) -> Tensor:
        raised = torch.cat([fitted[..., :2], height], dim=-1)
        flat = measures.flat_at(pixel_NM2, raised) + shift[..., :2]
        return torch.cat([flat, height], dim=-1)

    if present_NM is None:
        return at(height)
    if len(measures.known_spots):
        return at_spots(pixel_NM2, at(height), measures)
    if not are_piles(measures):
        return at(measures.on_level(height))
    place_LNM3 = torch.stack([at(torch.full_like(height, h)) for h in measures.known_levels])
    return stand(place_LNM3, height[..., 0], present_NM, measures)


def tell_apart(kind_LZ: Tensor, labels: Labels, temperature: float) -> Tensor:
    """InfoNCE: a thing is itself in another picture, and nobody else of any picture."""
    if len(kind_LZ) < 2:
        return kind_LZ.sum() * 0
    picture_NM = torch.arange(len(labels.known), device=kind_LZ.device)[:, None]
    picture_L = picture_NM.expand_as(labels.known)[labels.known]
    who_L = labels.who[labels.known]
    same_LL = who_L[:, None] == who_L
    itself_LL = same_LL & (picture_L[:, None] != picture_L)
    likeness_LL = kind_LZ @ kind_LZ.T / temperature
    others_L = likeness_LL.masked_fill(same_LL, FAINT).logsumexp(dim=1, keepdim=True)
    loss_LL = functional.softplus(others_L - likeness_LL)
    return (loss_LL * itself_LL).sum() / itself_LL.sum().clamp(min=1)
