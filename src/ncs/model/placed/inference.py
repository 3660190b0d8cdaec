"""Slots of single images at the quality that graph and control rely on.

An attempt seeds slots, lets them compete, drops those that explain nothing or the same as another,
and moves these onto what is still unexplained. Attempts from other seeds follow until two agree and
nothing is left to explain; the best by reconstruction is kept, image by image.

Legend: B batch, R some rows of it, K slots, C channels, H height, W width, Z type channels.
"""

from dataclasses import dataclass, fields
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.contract import Slots
from ncs.model.placed.attention import Finder, Seeder, Seeds, View, standouts
from ncs.model.placed.colour import alike
from ncs.model.placed.config import PlacedConfig
from ncs.model.placed.decoder import Painter
from ncs.model.placed.matching import survivors
from ncs.model.randomness import Randomness, of_rows

ENOUGH = 2  # attempts that agree


@dataclass(frozen=True)
class Attempt:
    """One reading of a batch of images."""

    kind: Tensor  # (B, K, Z)
    place: Tensor  # (B, K, 2)
    colour: Tensor  # (B, K, C)
    tried: Tensor  # (B, K) bool: slots that competed
    alive: Tensor  # (B, K) bool: those of them that stand for something
    image: Tensor  # (B, C, H, W) the slots' picture
    cost: Tensor  # (B,) squared error of the picture, and a price for each slot


Record = TypeVar("Record", View, Seeds, Attempt)


def take(record: Record, row_R: Tensor) -> Record:
    """Some rows of a record of tensors."""
    return type(record)(**{f.name: getattr(record, f.name)[row_R] for f in fields(record)})


def improve(old: Attempt, row_R: Tensor, new: Attempt) -> Attempt:
    """The old attempt, with the rows replaced in which the new one costs less."""
    better_R = new.cost < old.cost[row_R]
    values = {}
    for field in fields(old):
        values[field.name] = getattr(old, field.name).clone()
        values[field.name][row_R[better_R]] = getattr(new, field.name)[better_R]
    return Attempt(**values)


@dataclass(frozen=True)
class Search:
    """The parts of a trained model that reading an image takes."""

    config: PlacedConfig
    seeder: Seeder
    finder: Finder
    painter: Painter
    background: Tensor  # (C, H, W)

    def slots(self, image_BCHW: Tensor, n_slots: int, generator: Randomness) -> Slots:
        """The best reading of each image."""
        config = self.config
        view = self.finder.look(image_BCHW - self.background)
        row_B = torch.arange(len(image_BCHW), device=image_BCHW.device)
        best = self._attempt(image_BCHW, view, n_slots, generator)
        made = [(row_B, best)]
        for _ in range(config.attempts - 1):
            _, agreed_B, _ = poll(best, made, config.spacing / 2)
            off_B = (image_BCHW - best.image).abs().amax(dim=(1, 2, 3))
            row_R = row_B[(agreed_B < ENOUGH) | (off_B > config.tolerance)]
            if not len(row_R):
                break
            some = of_rows(generator, row_R)
            other = self._attempt(image_BCHW[row_R], take(view, row_R), n_slots, some)
            best = improve(best, row_R, other)
            made.append((row_R, other))
        votes_BK, _, made_B = poll(best, made, config.spacing / 2)
        picture = self.painter(best.kind, best.place, best.alive, self.background)
        mask_BKHW = self.painter.masks(picture, best.place)
        share_BK = explained(image_BCHW, best.image, self.background, mask_BKHW)
        sure_BK = share_BK * best.alive * votes_BK / made_B[:, None]
        mask_BKP = functional.avg_pool2d(mask_BKHW, config.cell).flatten(2)
        return Slots(best.kind, best.place, mask_BKP, best.alive, sure_BK)

    def _attempt(
        self, image_BCHW: Tensor, view: View, n_slots: int, generator: Randomness
    ) -> Attempt:
        config = self.config
        seeds = self.seeder(view.saliency, view.colour, n_slots, generator)
        best = self._read(image_BCHW, view, seeds, generator)
        for _ in range(config.repairs):
            missed_BN, _ = standouts(image_BCHW - best.image, config.cell, config.saliency_scale)
            kept = Seeds(best.place, best.alive, best.colour)
            seeds = self.seeder(missed_BN, view.colour, n_slots, generator, kept)
            changed_BK = (best.tried != best.alive) | (seeds.alive != best.alive)
            row_R = changed_BK.any(dim=1).nonzero()[:, 0]
            if not len(row_R):
                break
            some = of_rows(generator, row_R)
            again = self._read(image_BCHW[row_R], take(view, row_R), take(seeds, row_R), some)
            best = improve(best, row_R, again)
        return best

    def _read(self, image_BCHW: Tensor, view: View, seeds: Seeds, generator: Randomness) -> Attempt:
        config = self.config
        reading = self.finder.attend(view, seeds, config.encode_iterations, generator)
        kind_BKZ, place_BK2, tried_BK = reading.kind, reading.place, reading.alive
        picture = self.painter(kind_BKZ, place_BK2, tried_BK, self.background)
        area_BK = picture.opacity.sum(dim=(2, 3))
        alike_BKK = alike(reading.colour, reading.colour, config.alike)
        alive_BK = tried_BK & survivors(
            place_BK2, area_BK, config.least_pixels, config.spacing, alike_BKK
        )
        if not torch.equal(alive_BK, tried_BK):
            picture = self.painter(kind_BKZ, place_BK2, alive_BK, self.background)
        error_B = (picture.image - image_BCHW).square().sum(dim=(1, 2, 3))
        cost_B = error_B + config.slot_price * alive_BK.sum(dim=1)
        return Attempt(
            kind_BKZ, place_BK2, reading.colour, tried_BK, alive_BK, picture.image, cost_B
        )


def poll(
    best: Attempt, made: list[tuple[Tensor, Attempt]], radius: float
) -> tuple[Tensor, Tensor, Tensor]:
    """For each slot the attempts (B, K) that have one there; agreeing and all attempts (B,)."""
    votes_BK = torch.zeros_like(best.place[..., 0])
    agreed_B, made_B = torch.zeros_like(best.cost), torch.zeros_like(best.cost)
    for row_R, attempt in made:
        near_RKK = torch.cdist(best.place[row_R], attempt.place) < radius
        there_RK = (near_RKK & attempt.alive[:, None]).any(dim=2)
        alive_RK = best.alive[row_R]
        as_many_R = alive_RK.sum(dim=1) == attempt.alive.sum(dim=1)
        votes_BK[row_R] += there_RK.float()
        agreed_B[row_R] += (as_many_R & (there_RK | ~alive_RK).all(dim=1)).float()
        made_B[row_R] += 1
    return votes_BK, agreed_B, made_B


def explained(
    image_BCHW: Tensor, picture_BCHW: Tensor, background_CHW: Tensor, mask_BKHW: Tensor
) -> Tensor:
    """Share (B, K) of its pixels' difference from the background that each slot accounts for."""
    missed_BHW = (image_BCHW - picture_BCHW).square().sum(dim=1)
    all_BHW = (image_BCHW - background_CHW).square().sum(dim=1)
    missed_BK = torch.einsum("bkhw,bhw->bk", mask_BKHW, missed_BHW)
    all_BK = torch.einsum("bkhw,bhw->bk", mask_BKHW, all_BHW)
    return (1 - missed_BK / all_BK.clamp(min=1e-6)).clamp(0, 1)
