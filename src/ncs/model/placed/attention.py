"""Where the parts are: seeds on what stands out, then slot attention around each seed.

Legend: B batch, C channels, H height, W width, N grid cells, K slots, L slots and background,
D slot channels, F feature channels, Z type channels.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.placed.colour import alike_hues, hues
from ncs.model.placed.config import PlacedConfig
from ncs.model.randomness import Randomness, normal, uniform

ABSENT = -1e4  # a logit that loses to every other
FLOOR = 1e-3  # keeps the logarithm of a saliency finite
NOTHING = 0.1  # saliency under which there is nothing left to start from


@dataclass(frozen=True)
class View:
    """Images as the finder sees them."""

    feature: Tensor  # (B, N, F)
    key: Tensor  # (B, N, D)
    value: Tensor  # (B, N, D)
    saliency: Tensor  # (B, N) 1 where a cell surely differs from the background
    colour: Tensor  # (B, N, C) of the pixel that differs most, background subtracted
    spot: Tensor  # (B, N, 3) how much of a cell stands out, and that times x and y of its centre


@dataclass(frozen=True)
class Seeds:
    """Where slots start."""

    place: Tensor  # (B, K, 2)
    alive: Tensor  # (B, K) bool; nothing was left to start from for the others
    colour: Tensor  # (B, K, C) by which they differ from the background


@dataclass(frozen=True)
class Reading:
    """What slots found."""

    kind: Tensor  # (B, K, Z)
    place: Tensor  # (B, K, 2) in [-1, 1], x to the right, y down
    alive: Tensor  # (B, K)
    colour: Tensor  # (B, K, C) mean difference from the background, without a gradient


def cell_centres(side: int) -> Tensor:
    """Centres (side * side, 2) of a grid's cells, row by row, in [-1, 1]."""
    line = (torch.arange(side) + 0.5) / side * 2 - 1
    y, x = torch.meshgrid(line, line, indexing="ij")
    return torch.stack([x, y], dim=-1).reshape(-1, 2)


def standouts(difference_BCHW: Tensor, cell: int, scale: float) -> tuple[Tensor, Tensor]:
    """How much each cell stands out (B, N), and the colour (B, N, C) by which it does most."""
    size_B1HW = difference_BCHW.abs().amax(dim=1, keepdim=True)
    peak, index = functional.max_pool2d(size_B1HW, cell, return_indices=True)
    index_BCN = index.flatten(2).expand(-1, difference_BCHW.shape[1], -1)
    colour_BCN = difference_BCHW.flatten(2).gather(2, index_BCN)
    return (peak / scale).clamp(max=1).flatten(1), colour_BCN.transpose(1, 2)


def squared_gaps(place_BK2: Tensor, centre_N2: Tensor) -> Tensor:
    """Squared distances (B, K, N) of places to cells."""
    across_BKN = place_BK2 @ centre_N2.T
    own_BK1 = place_BK2.square().sum(dim=-1, keepdim=True)
    return own_BK1 - 2 * across_BKN + centre_N2.square().sum(dim=-1)


class Seeder(nn.Module):
    """Draws where slots start; it has nothing to learn."""

    centre: Tensor  # (N, 2)

    def __init__(self, config: PlacedConfig) -> None:
        super().__init__()
        self.config = config
        self.register_buffer("centre", cell_centres(config.side), persistent=False)

    @torch.no_grad()
    def forward(
        self,
        saliency_BN: Tensor,
        colour_BNC: Tensor,
        n_slots: int,
        generator: Randomness,
        kept: Seeds | None = None,
    ) -> Seeds:
        """Places on cells that stand out, one after another, each claiming its surroundings.

        Slots alive in ``kept`` stay where they are; only the others are placed anew. Where
        colours count, what is near but of another colour is not claimed.
        """
        batch, device = len(saliency_BN), saliency_BN.device
        chance_BK2 = uniform((batch, n_slots, 2), generator).to(device)
        if kept is None:
            nobody_BK = torch.zeros(batch, n_slots, dtype=torch.bool, device=device)
            nowhere_BK2 = torch.zeros(batch, n_slots, 2, device=device)
            kept = Seeds(nowhere_BK2, nobody_BK, colour_BNC.new_zeros(batch, n_slots, 3))
        if self.config.seeding == "random":
            place_BK2 = torch.where(kept.alive[..., None], kept.place, 2 * chance_BK2 - 1)
            return Seeds(place_BK2, torch.ones_like(kept.alive), kept.colour)
        near_BKN = squared_gaps(kept.place, self.centre) < self.config.spacing**2
        hue_BNC = hues(colour_BNC)
        near_BKN &= alike_hues(hues(kept.colour), hue_BNC, self.config.alike)
        left_BN = saliency_BN.masked_fill((near_BKN & kept.alive[..., None]).any(dim=1), 0)
        places, alives, colours = [], [], []
        for k in range(n_slots):
            free_B1 = ~kept.alive[:, k, None]
            index_B1 = self._draw(left_BN, chance_BK2[:, k, :1])
            colour_B1C = colour_BNC.gather(1, index_B1[..., None].expand(-1, -1, 3))
            fresh_B2 = self._settle(index_B1, saliency_BN, colour_BNC, colour_B1C)
            found_B1 = left_BN.amax(dim=1, keepdim=True) > NOTHING
            places.append(torch.where(free_B1, fresh_B2, kept.place[:, k]))
            alives.append(found_B1 | ~free_B1)
            colours.append(torch.where(free_B1, colour_B1C[:, 0], kept.colour[:, k]))
            near_BN = torch.cdist(fresh_B2, self.centre) < self.config.spacing
            hue_B1C = hue_BNC.gather(1, index_B1[..., None].expand(-1, -1, 3))
            near_BN &= alike_hues(hue_B1C, hue_BNC, self.config.alike)[:, 0]
            left_BN = left_BN.masked_fill(near_BN & free_B1, 0)
        return Seeds(torch.stack(places, dim=1), torch.cat(alives, dim=1), torch.stack(colours, 1))

    def _draw(self, left_BN: Tensor, chance_B1: Tensor) -> Tensor:
        """A cell (B, 1) drawn by saliency."""
        total_BN = left_BN.cumsum(dim=1)
        index_B1 = torch.searchsorted(total_BN, chance_B1 * total_BN[:, -1:])
        return index_B1.clamp(max=left_BN.shape[1] - 1)

    def _settle(
        self, index_B1: Tensor, saliency_BN: Tensor, colour_BNC: Tensor, colour_B1C: Tensor
    ) -> Tensor:
        """The middle (B, 2) of what is near a cell and of its colour."""
        place_B2 = self.centre[index_B1[:, 0]]
        unlike_BN = (colour_BNC - colour_B1C).square().sum(dim=-1) / self.config.seed_colour**2
        radius = self.config.spacing / 2
        for _ in range(3):
            far_BN = squared_gaps(place_B2[:, None], self.centre)[:, 0] / radius**2
            weight_BN = saliency_BN * (-0.5 * (unlike_BN + far_BN)).exp()
            mass_B1 = weight_BN.sum(dim=1, keepdim=True)
            moved_B2 = weight_BN @ self.centre / mass_B1.clamp(min=1e-9)
            place_B2 = torch.where(mass_B1 > 1e-9, moved_B2, place_B2)
        return place_B2


class Finder(nn.Module):
    """Slot attention over grid cells; each slot looks around its own place."""

    centre: Tensor  # (N, 2)
    pixel: Tensor  # (H * W, 2)

    def __init__(self, config: PlacedConfig) -> None:
        super().__init__()
        self.config = config
        feature, slot, reach = config.features, config.slot_width, config.type_reach
        self.register_buffer("centre", cell_centres(config.side), persistent=False)
        self.register_buffer("pixel", cell_centres(config.size), persistent=False)
        self.patch = nn.Linear(3 * config.cell**2, feature)
        self.mix = nn.Conv2d(feature, feature, reach, padding=reach // 2)
        self.position = nn.Linear(2, feature) if config.absolute else None
        self.norm = nn.LayerNorm(feature)
        self.key = nn.Linear(feature, slot, bias=False)
        self.value = nn.Linear(feature, slot, bias=False)
        self.start = nn.Linear(feature, slot)
        self.spread = nn.Parameter(torch.full((slot,), 0.1))
        self.background = nn.Parameter(torch.randn(slot) * 0.5)
        self.query = nn.Sequential(nn.LayerNorm(slot), nn.Linear(slot, slot, bias=False))
        self.update = nn.GRUCell(slot, slot)
        self.refine = nn.Sequential(
            nn.LayerNorm(slot), nn.Linear(slot, 2 * slot), nn.GELU(), nn.Linear(2 * slot, slot)
        )
        self.tightness = nn.Parameter(torch.tensor(max(config.locality, FLOOR)).log() * -2)
        self.kind = nn.Sequential(
            nn.LayerNorm(feature),
            nn.Linear(feature, feature),
            nn.ReLU(),
            nn.Linear(feature, config.type_width),
        )

    def look(self, difference_BCHW: Tensor) -> View:
        """Features of every cell; images come with the background subtracted."""
        side, cell = self.config.side, self.config.cell
        cut = difference_BCHW.reshape(-1, 3, side, cell, side, cell)
        patch_BNX = cut.permute(0, 2, 4, 3, 5, 1).reshape(-1, side * side, 3 * cell**2)
        feature_BNF = self.patch(patch_BNX).relu()
        feature_BFHW = feature_BNF.transpose(1, 2).view(-1, self.config.features, side, side)
        feature_BNF = self.mix(feature_BFHW).relu().flatten(2).transpose(1, 2)
        known_BNF = feature_BNF
        if self.position is not None:
            known_BNF = known_BNF + self.position(self.centre)
        known_BNF = self.norm(known_BNF)
        saliency_BN, colour_BNC = standouts(
            difference_BCHW.detach(), cell, self.config.saliency_scale
        )
        return View(
            feature_BNF,
            self.key(known_BNF),
            self.value(known_BNF),
            saliency_BN,
            colour_BNC,
            self._spots(difference_BCHW.detach()),
        )

    def _spots(self, difference_BCHW: Tensor) -> Tensor:
        if self.config.place == "cells":
            ones_N1 = torch.ones_like(self.centre[:, :1])
            whole_N3 = torch.cat([ones_N1, self.centre], dim=1)
            return whole_N3.expand(len(difference_BCHW), -1, -1)
        size_B1HW = difference_BCHW.abs().amax(dim=1, keepdim=True)
        size_B1HW = (size_B1HW / self.config.saliency_scale).clamp(max=1)
        pixel_2HW = self.pixel.T.view(2, self.config.size, self.config.size)
        moment_B3HW = torch.cat([size_B1HW, size_B1HW * pixel_2HW], dim=1)
        return functional.avg_pool2d(moment_B3HW, self.config.cell).flatten(2).transpose(1, 2)

    def attend(self, view: View, seeds: Seeds, iterations: int, generator: Randomness) -> Reading:
        """Types and places after some rounds of competition for the cells."""
        place_BK2 = seeds.place
        slot_BLD = self._begin(view, place_BK2, generator)
        prior_BLN = self._prior(view, seeds.alive)
        weight_BLN = prior_BLN
        for last in [False] * (iterations - 1) + [True]:
            if last and self.config.gradient == "implicit":
                slot_BLD, place_BK2 = slot_BLD.detach(), place_BK2.detach()
            query_BLD = self.query(slot_BLD) * slot_BLD.shape[-1] ** -0.5
            logit_BLN = query_BLD @ view.key.transpose(1, 2) + self._pull(place_BK2)
            share_BLN = (logit_BLN + prior_BLN).softmax(dim=1)
            mass_BL1 = share_BLN.sum(dim=2, keepdim=True)
            weight_BLN = share_BLN / (mass_BL1 + 1e-6)
            place_BK2 = self._centre(weight_BLN[:, :-1], view, place_BK2)
            if not last:
                slot_BLD = self._step(slot_BLD, weight_BLN, mass_BL1, view.value)
        mass_BKN = weight_BLN[:, :-1] * view.spot[:, None, :, 0]
        kind_BKZ = self.kind(_average(mass_BKN, view.feature))
        colour_BKC = _average(mass_BKN, view.colour).detach()
        return Reading(kind_BKZ, place_BK2, seeds.alive, colour_BKC)

    def _begin(self, view: View, place_BK2: Tensor, generator: Randomness) -> Tensor:
        index_BK = squared_gaps(place_BK2, self.centre).argmin(dim=2)
        index_BKF = index_BK[..., None].expand(-1, -1, view.feature.shape[-1])
        slot_BKD = self.start(view.feature.gather(1, index_BKF))
        noise_BKD = normal(slot_BKD.shape, generator)
        background_B1D = self.background.expand(len(slot_BKD), 1, -1)
        return torch.cat([slot_BKD + self.spread * noise_BKD.to(slot_BKD), background_B1D], dim=1)

    def _prior(self, view: View, alive_BK: Tensor) -> Tensor:
        saliency_B1N = view.saliency[:, None]
        if not self.config.saliency:
            saliency_B1N = torch.full_like(saliency_B1N, 0.5)
        object_BKN = (saliency_B1N + FLOOR).log() + (~alive_BK)[..., None] * ABSENT
        return torch.cat([object_BKN, (1 - saliency_B1N + FLOOR).log()], dim=1)

    def _pull(self, place_BK2: Tensor) -> Tensor:
        """Logits (B, L, N) that fall with the distance from a slot's place; none for background."""
        if not self.config.locality:
            return place_BK2.new_zeros(())
        gap_BKN = squared_gaps(place_BK2, self.centre)
        return functional.pad(gap_BKN * (-0.5 * self.tightness.exp()), (0, 0, 0, 1))

    def _centre(self, weight_BKN: Tensor, view: View, old_BK2: Tensor) -> Tensor:
        moment_BK3 = weight_BKN @ view.spot
        mass_BK1 = moment_BK3[..., :1]
        # A slot that holds nothing stays where it is instead of falling to the middle.
        return torch.where(mass_BK1 > 1e-4, moment_BK3[..., 1:] / mass_BK1.clamp(min=1e-4), old_BK2)

    def _step(
        self, slot_BLD: Tensor, weight_BLN: Tensor, mass_BL1: Tensor, value_BND: Tensor
    ) -> Tensor:
        update_BLD = weight_BLN @ value_BND
        if self.config.normalise == "sum":
            # In units of a sixteenth of the picture, so that either way starts out alike.
            update_BLD = update_BLD * mass_BL1 * (16 / value_BND.shape[1])
        slot_MD = self.update(update_BLD.flatten(0, 1), slot_BLD.flatten(0, 1))
        updated_BLD: Tensor = slot_MD.view_as(slot_BLD)
        refined_BLD: Tensor = updated_BLD + self.refine(updated_BLD)
        return refined_BLD


def _average(weight_BKN: Tensor, value_BNF: Tensor) -> Tensor:
    """The weighted mean (B, K, F) of cells."""
    return weight_BKN @ value_BNF / (weight_BKN.sum(dim=2, keepdim=True) + 1e-6)
