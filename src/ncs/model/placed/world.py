"""The fast world model: slots that are nothing but a type and a place.

Slot attention finds the parts; each is read out as a type that knows no position and a place of
two numbers, and only these are decoded. So an action can change where a thing is and never what
it is: the split of type and state holds by construction.

``Slots.kind`` is the type, ``Slots.state`` the place (x to the right and y down, the picture being
[-1, 1] wide and high), ``Slots.mask`` the decoder's masks averaged over the cells of a grid. The
background is no slot: it has what the masks leave, so they add up to at most 1 in a cell.
``Slots.confidence`` is the share of its pixels' difference from the background that a slot
explains, times the share of the attempts that found it.

Legend: B batch, T frames, H height, W width, C channels, K slots, A action numbers, Z type
channels.
"""

from dataclasses import fields

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.contract import Loss, ParameterGroup, Slots, WorldModel
from ncs.model.placed.attention import Finder, Reading, Seeder
from ncs.model.placed.colour import alike
from ncs.model.placed.config import PlacedConfig
from ncs.model.placed.decoder import Painter, Picture
from ncs.model.placed.dynamics import Mover
from ncs.model.placed.inference import Search
from ncs.model.placed.matching import match_frames, survivors, track
from ncs.model.randomness import Randomness, of_rows
from ncs.registry import ModelClasses

__all__ = ["MODEL", "Placed", "PlacedConfig"]

MARGIN = 1  # pixels around the stage: an object may stand a little further out than any did


class Placed(WorldModel):
    """A world model whose slots are types and places."""

    config: PlacedConfig
    background: Tensor  # (C, H, W)
    stage: Tensor  # (H, W) 1 where the buffer ever shows anything

    def __init__(self, config: PlacedConfig) -> None:
        super().__init__()
        self.config = config
        self.seeder = Seeder(config)
        self.finder = Finder(config)
        self.painter = Painter(config)
        self.mover = Mover(config)
        grey_CHW = torch.full((3, config.size, config.size), 0.5)
        if config.background == "median":
            self.register_buffer("background", grey_CHW)
        else:
            self.background = nn.Parameter(grey_CHW)
        if config.stage:
            self.register_buffer("stage", torch.ones(config.size, config.size))

    def prepare(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> None:
        """Looks at clips before training: the background is what their first frames share."""
        self.fit_background(frame_BTHWC[:, 0])
        if self.config.stage:
            self.fit_stage(frame_BTHWC.flatten(0, 1))

    @torch.no_grad()
    def fit_background(self, frame_BHWC: Tensor) -> None:
        """Sets the background to the median of each pixel; a learned one starts from there."""
        median_HWC = frame_BHWC.median(dim=0).values
        self.background.copy_(median_HWC.permute(2, 0, 1).float() / 255)

    @torch.no_grad()
    def fit_stage(self, frame_BHWC: Tensor) -> None:
        """Sets the stage to the pixels that ever differ from the background, and a margin."""
        seen_HW = torch.zeros_like(self.stage)
        for chunk in torch.split(frame_BHWC, self.config.chunk):
            gap_BHW = (as_image(chunk) - self.background).abs().amax(dim=1)
            seen_HW = torch.maximum(seen_HW, (gap_BHW > self.config.saliency_scale).float().amax(0))
        self.stage.copy_(functional.max_pool2d(seen_HW[None], 2 * MARGIN + 1, 1, MARGIN)[0])

    def see(self, frame_BHWC: Tensor) -> Tensor:
        """Images (B, C, H, W) in [0, 1] of frames; off the stage there is only background."""
        image_BCHW = as_image(frame_BHWC)
        if not self.config.stage:
            return image_BCHW
        return torch.where(self.stage > 0, image_BCHW, self.background)

    @property
    def trained_slots(self) -> int:
        """The most slots it is trained with."""
        return self.config.slots_high

    @property
    def picture_size(self) -> tuple[int, int]:
        """Height and width of the pictures it can look at."""
        return (self.config.size, self.config.size)

    @torch.no_grad()
    def encode(
        self, frame_BHWC: Tensor, n_slots: int, generator: Randomness | None = None
    ) -> Slots:
        """The entities of single images (uint8); surplus slots are absent."""
        generator = generator or torch.Generator().manual_seed(0)
        search = Search(self.config, self.seeder, self.finder, self.painter, self.background)
        row_B = torch.arange(len(frame_BHWC))
        parts = [
            search.slots(self.see(frame_BHWC[row_R]), n_slots, of_rows(generator, row_R))
            for row_R in torch.split(row_B, self.config.chunk)
        ]
        names = [field.name for field in fields(Slots)]
        return Slots(**{n: torch.cat([getattr(part, n) for part in parts]) for n in names})

    @torch.no_grad()
    def follow(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        n_slots: int,
        generator: torch.Generator | None = None,
    ) -> Slots:
        """The entities of clips, matched from frame to frame by place; actions are not needed."""
        flat = self.encode(frame_BTHWC.flatten(0, 1), n_slots, generator)
        slots = flat.map(lambda value: value.view(*frame_BTHWC.shape[:2], *value.shape[1:]))
        place, alive = slots.state.cpu().numpy(), slots.presence.cpu().numpy()
        order = np.stack([track(place[b], alive[b]) for b in range(len(place))])
        order_BTK = torch.from_numpy(order).to(slots.state.device)
        return slots.map(lambda value: _reorder(value, order_BTK))

    def predict(self, slots: Slots, action_BA: Tensor) -> Slots:
        """The entities one action later: the slot that the action picks moves, types are kept."""
        state = self.mover(slots.state, slots.presence, action_BA)
        return Slots(slots.kind, state, slots.mask, slots.presence, slots.confidence)

    def decode(self, slots: Slots) -> Tensor:
        """The picture (B, 3, H, W) of the slots that are present, over the background."""
        picture = self.painter(slots.kind, slots.state, slots.presence, self.background)
        image_BCHW: Tensor = picture.image
        return image_BCHW.clamp(0, 1)

    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """Squared error of two successive pictures of each clip, and of the places between them."""
        generator = generator or torch.Generator().manual_seed(step)
        batch, frames = frame_BTHWC.shape[:2]
        row_B, device = torch.arange(batch), generator.device
        first_B = torch.randint(frames - 1, (batch,), generator=generator, device=device).cpu()
        image = self.see(torch.cat([frame_BTHWC[row_B, first_B], frame_BTHWC[row_B, first_B + 1]]))
        low, high = self.config.slots_low, self.config.slots_high
        n_slots = int(torch.randint(low, high + 1, (), generator=generator, device=device))
        view = self.finder.look(image - self.background)
        seeds = self.seeder(view.saliency, view.colour, n_slots, generator)
        reading = self.finder.attend(view, seeds, self.config.iterations, generator)
        picture = self.painter(reading.kind, reading.place, reading.alive, self.background)
        error = (picture.image - image).square().sum(dim=(1, 2, 3)).mean()
        return self._joint_loss(error, reading, picture, action_BTA[row_B, first_B])

    def _joint_loss(
        self, error: Tensor, reading: Reading, picture: Picture, action_BA: Tensor
    ) -> Loss:
        """Adds what the two frames of each clip say about one another, and crisp masks."""
        config = self.config
        opacity_MKGG = picture.opacity
        veil = (opacity_MKGG * (1 - opacity_MKGG)).sum(dim=(1, 2, 3)).mean()
        area_MK = opacity_MKGG.detach().sum(dim=(2, 3))
        place_MK2 = reading.place.detach()
        alike_MKK = alike(reading.colour, reading.colour, config.alike)
        live_MK = survivors(place_MK2, area_MK, config.least_pixels, config.spacing, alike_MKK)
        live_MK &= reading.alive
        (before, after), (old, new) = place_MK2.chunk(2), live_MK.chunk(2)
        index_BK, same_BK = match_frames(before, old, after, new)
        move = self.mover.loss(before, _pick(after, index_BK), same_BK, action_BA)
        kind, next_kind = reading.kind.chunk(2)
        change_BK = (kind - _pick(next_kind, index_BK)).square().mean(dim=-1)
        change = (change_BK * same_BK).sum() / same_BK.sum().clamp(min=1)
        parts = {
            "picture": error.detach(),
            "move": move.detach(),
            "veil": veil.detach(),
            "type_change": change.detach(),
            "live_slots": live_MK.sum(dim=1).float().mean(),
        }
        total = error + move + config.crispness * veil
        if config.consistency:
            total = total + config.consistency * change
        return Loss(total, parts)

    def parameter_groups(self) -> list[ParameterGroup]:
        """Perception and dynamics, each with its own rate."""
        config = self.config
        mover = list(self.mover.parameters())
        held = {id(parameter) for parameter in mover}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in held]
        return [
            ParameterGroup("perception", rest, config.peak_rate, config.warmup_steps),
            ParameterGroup("dynamics", mover, config.mover_rate, config.warmup_steps),
        ]


def as_image(frame_BHWC: Tensor) -> Tensor:
    """Images (B, C, H, W) in [0, 1] from frames of bytes."""
    return frame_BHWC.permute(0, 3, 1, 2).float() / 255


def _pick(value_BKX: Tensor, index_BK: Tensor) -> Tensor:
    return value_BKX.gather(1, index_BK[..., None].expand(-1, -1, value_BKX.shape[-1]))


def _reorder(value: Tensor, order_BTK: Tensor) -> Tensor:
    """A tensor (B, T, K, ...) with the slots of each frame in the given order."""
    rest = value.shape[3:]
    return value.gather(
        2, order_BTK.view(*order_BTK.shape, *[1] * len(rest)).expand(-1, -1, -1, *rest)
    )


MODEL = ModelClasses(PlacedConfig, Placed)
