"""Slots of single images at the quality that graph and control rely on.

Several attempts from other seeds; in each, slots that explain nothing or the same as another are
moved onto what is still unexplained; the best by reconstruction is kept, image by image.

Legend: B batch, K slots, C channels, H height, W width, P mask cells, Z type channels.
"""

from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.placed_attention import Finder, Seeder, Seeds, View, standouts
from ncs.model.placed_config import PlacedConfig
from ncs.model.placed_decoder import Painter
from ncs.model.placed_matching import survivors
from ncs.model.world import Slots


@dataclass(frozen=True)
class Attempt:
    """One reading of a batch of images."""

    kind: Tensor  # (B, K, Z)
    place: Tensor  # (B, K, 2)
    alive: Tensor  # (B, K)
    mask: Tensor  # (B, K, H, W)
    image: Tensor  # (B, C, H, W) the slots' picture
    cost: Tensor  # (B) squared error of the picture, and a price for each slot

    def or_better(self, other: Self | None) -> Self:
        """Image by image, the cheaper of two."""
        if other is None:
            return self
        mine_B = self.cost < other.cost
        chosen = {}
        for field in fields(self):
            one, two = getattr(self, field.name), getattr(other, field.name)
            chosen[field.name] = torch.where(mine_B.view(-1, *[1] * (one.dim() - 1)), one, two)
        return type(self)(**chosen)


@dataclass(frozen=True)
class Search:
    """The parts of a trained model that reading an image takes."""

    config: PlacedConfig
    seeder: Seeder
    finder: Finder
    painter: Painter
    background: Tensor  # (C, H, W)

    def slots(self, image_BCHW: Tensor, n_slots: int, generator: torch.Generator) -> Slots:
        """The best reading of each image."""
        view = self.finder.look(image_BCHW - self.background)
        best: Attempt | None = None
        attempts = []
        for _ in range(self.config.attempts):
            attempt = self._attempt(image_BCHW, view, n_slots, generator)
            attempts.append(attempt)
            best = attempt.or_better(best)
        assert best is not None
        fit_BK = explained(image_BCHW, best, self.background)
        sure_BK = fit_BK * agreement(best, attempts, self.config.spacing / 2)
        mask_BKP = functional.avg_pool2d(best.mask, self.config.cell).flatten(2)
        return Slots(best.kind, best.place, mask_BKP, best.alive, sure_BK)

    def _attempt(
        self, image_BCHW: Tensor, view: View, n_slots: int, generator: torch.Generator
    ) -> Attempt:
        seeds = self.seeder(view.saliency, view.colour, n_slots, generator)
        best = latest = self._read(image_BCHW, view, seeds, generator)
        for _ in range(self.config.repairs):
            kept = Seeds(latest.place, latest.alive)
            missed_BN, _ = standouts(
                image_BCHW - latest.image, self.config.cell, self.config.saliency_scale
            )
            seeds = self.seeder(missed_BN, view.colour, n_slots, generator, kept)
            latest = self._read(image_BCHW, view, seeds, generator)
            best = latest.or_better(best)
        return best

    def _read(
        self, image_BCHW: Tensor, view: View, seeds: Seeds, generator: torch.Generator
    ) -> Attempt:
        config = self.config
        reading = self.finder.attend(view, seeds, config.encode_iterations, generator)
        kind_BKZ, place_BK2 = reading.kind, reading.place
        picture = self.painter(kind_BKZ, place_BK2, reading.alive, self.background)
        area_BK = self.painter.masks(picture, place_BK2).sum(dim=(2, 3))
        alive_BK = survivors(place_BK2, area_BK, config.least_pixels, config.spacing)
        alive_BK &= reading.alive
        picture = self.painter(kind_BKZ, place_BK2, alive_BK, self.background)
        error_B = (picture.image - image_BCHW).square().sum(dim=(1, 2, 3))
        return Attempt(
            kind_BKZ,
            place_BK2,
            alive_BK,
            self.painter.masks(picture, place_BK2),
            picture.image,
            error_B + config.slot_price * alive_BK.sum(dim=1),
        )


def explained(image_BCHW: Tensor, attempt: Attempt, background_CHW: Tensor) -> Tensor:
    """Share (B, K) of the difference from the background that each slot accounts for."""
    missed_BHW = (image_BCHW - attempt.image).square().sum(dim=1)
    all_BHW = (image_BCHW - background_CHW).square().sum(dim=1)
    missed_BK = torch.einsum("bkhw,bhw->bk", attempt.mask, missed_BHW)
    all_BK = torch.einsum("bkhw,bhw->bk", attempt.mask, all_BHW)
    return (1 - missed_BK / all_BK.clamp(min=1e-6)).clamp(0, 1) * attempt.alive


def agreement(best: Attempt, attempts: list[Attempt], radius: float) -> Tensor:
    """Share (B, K) of the attempts that have a slot in the same place."""
    votes_BK = torch.zeros_like(best.place[..., 0])
    for attempt in attempts:
        near_BKK = torch.cdist(best.place, attempt.place) < radius
        votes_BK += (near_BKK & attempt.alive[:, None]).any(dim=2)
    return votes_BK / len(attempts)
