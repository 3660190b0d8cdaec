"""Fuller scenes than a buffer's: things of one picture pasted into another, labels and all.

A thing is pasted where it stood, so that size, shade and place stay true, and only where no other
known thing is. What stood on another stays there where only that tells how high it is.

Legend: N pictures, M things, C channels, H height, W width.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.touched.labels import Labels


@dataclass(frozen=True)
class Scenes:
    """Pictures and what is known of them."""

    image: Tensor  # (N, C, H, W) in [0, 1]
    labels: Labels


def paste(
    scenes: Scenes, chance: float, generator: torch.Generator, highest: float = math.inf
) -> Scenes:
    """The same pictures, some with things of the next but a few, none from higher; M doubles."""
    count, device = len(scenes.image), scenes.image.device
    labels = scenes.labels
    draw = torch.rand(labels.known.shape, generator=generator, device=generator.device).to(device)
    turn = torch.rand(count, generator=generator, device=generator.device).to(device) < chance
    shift = int(torch.randint(1, max(2, count), (), generator=generator, device=generator.device))
    guest = Labels(*(torch.roll(value, shift, 0) for value in vars(labels).values()))
    taken_NHW = labels.thing.any(dim=1)
    meets_NM = (guest.thing & taken_NHW[:, None]).any(dim=(2, 3))
    same_NM = (guest.who[:, :, None] == labels.who[:, None]).any(dim=2)
    comes_NM = guest.known & ~meets_NM & ~same_NM & turn[:, None] & (draw < 0.7)
    comes_NM &= guest.place[..., 2] < highest
    guests_NMHW = guest.thing & comes_NM[..., None, None]
    cover_NHW = guests_NMHW.any(dim=1)
    other_NCHW = torch.roll(scenes.image, shift, 0)
    image = torch.where(cover_NHW[:, None], other_NCHW, scenes.image)
    joined = Labels(
        thing=torch.cat([labels.thing, guests_NMHW], dim=1),
        known=torch.cat([labels.known, comes_NM], dim=1),
        place=torch.cat([labels.place, guest.place], dim=1),
        who=torch.cat([labels.who, guest.who], dim=1),
        nothing=labels.nothing & ~cover_NHW,
    )
    return Scenes(image, joined)


def relight(image_NCHW: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Pictures under light of other strength and tint, by up to a share."""
    shape = (2, len(image_NCHW), 3, 1, 1)
    draw = torch.rand(shape, generator=generator, device=generator.device).to(image_NCHW) * 2 - 1
    gain = 1 + share * (0.75 * draw[0, :, :1] + 0.25 * draw[1])
    return (image_NCHW * gain).clamp(0, 1)


def repaint(scenes: Scenes, share: float, generator: torch.Generator) -> Scenes:
    """The same things, half of them on grounds with blots, paler and darker by up to a share."""
    count, (height, width) = len(scenes.image), scenes.image.shape[-2:]
    blot_N1HW = draw_blots(count, (height, width), generator)
    tint_NC11 = 0.75 + 0.5 * _draw(generator, count, 3, 1, 1)
    strength_N111 = share * (2 * _draw(generator, count, 1, 1, 1) - 1).clamp(min=0)
    gain_NCHW = (1 + strength_N111 * blot_N1HW * tint_NC11).to(scenes.image)
    ground_N1HW = ~scenes.labels.thing.any(dim=1, keepdim=True)
    image = torch.where(ground_N1HW, (scenes.image * gain_NCHW).clamp(0, 1), scenes.image)
    return Scenes(image, scenes.labels)


def draw_blots(count: int, shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    """Blots (N, 1, H, W) between -1 and 1: large or small, stretched or not, soft or sharp."""
    blots = []
    for fine_2 in (1 + 4 * _draw(generator, count, 2)).tolist():
        coarse = [max(2, round(side / 2**fine)) for side, fine in zip(shape, fine_2, strict=True)]
        rough_11hw = _draw(generator, 1, 1, *coarse) * 2 - 1
        blots.append(functional.interpolate(rough_11hw, shape, mode="bicubic"))
    sharpness_N111 = 1 + 9 * _draw(generator, count, 1, 1, 1)
    return torch.tanh(torch.cat(blots) * sharpness_N111)


def _draw(generator: torch.Generator, *shape: int) -> Tensor:
    """Numbers between 0 and 1, where the generator is."""
    return torch.rand(shape, generator=generator, device=generator.device)
