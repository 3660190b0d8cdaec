"""The world model that learned what a thing is: what an action moves.

``Slots.kind`` is the type, ``Slots.state`` the place in the world, in metres (two numbers, or
three where moves change the height), ``Slots.mask`` the pixels that vote for a thing, on a grid.
The background is no slot: it has what the masks leave. ``Slots.confidence`` grows with the votes
beyond those that just make a thing.

Legend: B batch, T frames, H height, W width, C channels, K slots, A action numbers.
"""

import math
from dataclasses import fields

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.contract import Explanation, Loss, ParameterGroup, Slots, WorldModel
from ncs.model.randomness import Randomness
from ncs.model.touched.change import as_image
from ncs.model.touched.config import TouchedConfig
from ncs.model.touched.detect import cell_masks, count_votes, find_things, peaks
from ncs.model.touched.dynamics import Mover
from ncs.model.touched.fuller import Scenes, paste, relight, repaint
from ncs.model.touched.labels import label, read_moves
from ncs.model.touched.losses import judge, locate
from ncs.model.touched.measure import measure, measure_at
from ncs.model.touched.measures import Measures
from ncs.model.touched.moved import Moved
from ncs.model.touched.network import Describer, Eyes
from ncs.model.touched.redraw import shift_thing
from ncs.model.touched.refit import refit
from ncs.model.touched.track import track
from ncs.records import DataError
from ncs.registry import ModelClasses

__all__ = ["MODEL", "Touched", "TouchedConfig"]

DESCRIPTION = 24  # channels that describe a pixel
ZOOMS = (1.0, 0.85, 0.7, 0.58)  # sizes at which pictures of a new world are tried


class Touched(WorldModel):
    """A world model whose things are what actions moved."""

    config: TouchedConfig
    paints = False
    may_lack = frozenset({"levels", "spots"})  # of files from before they were measured

    def __init__(self, config: TouchedConfig) -> None:
        super().__init__()
        self.config = config
        self.measures = Measures()
        several = config.worlds if config.worlds > 1 else 0
        self.kept = nn.ModuleList(Measures() for _ in range(several))
        self.eyes = Eyes(config.width, DESCRIPTION)
        self.describer = Describer(DESCRIPTION, config.type_width)
        self.mover = Mover(config.solid)

    @torch.no_grad()
    def prepare(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> None:
        """Measures everything a world decides, from clips of its buffer."""
        self.measures.take(measure(frame_BTHWC, action_BTA, self.config.longest))

    @torch.no_grad()
    def adapt(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> float:
        """Fits all that a world decides to a few clips of another one; the eyes stay.

        The share of things that moves speak of and the eyes see comes back.
        """
        self.prepare(frame_BTHWC, action_BTA)
        full, tries = self.measures.shape, []
        for zoom in ZOOMS:  # from where do things look as large as those the eyes know?
            shape = (max(32, round(zoom * full[0])), max(32, round(zoom * full[1])))
            try:
                values = measure_at(frame_BTHWC, action_BTA, shape)
                self.measures.take(values)
                image = as_image(frame_BTHWC, shape)
                found = refit(self.eyes, self.describer, self.measures, image, action_BTA)
                tries.append((found, values))
            except DataError as error:
                reason = error
        if not tries:
            raise reason
        found, values = max(tries, key=lambda one: round(one[0].merit, 2))
        self.measures.take({**values, "to_place": found.to_place, "least": found.least})
        if not found.keep_shift:
            self.describer.set_aside(torch.from_numpy(found.aside).to(self.measures.scale))
        self._settle_in_one_world()
        return found.seen

    def keep(self, index: int) -> None:
        """Keeps what was measured last as what one of several buffers decides."""
        self.kept[index].load_state_dict(self.measures.state_dict())

    def turn_to(self, index: int) -> None:
        """Goes by what one of several buffers decides."""
        self.measures.load_state_dict(self.kept[index].state_dict())

    def recall(self, index: int) -> None:
        """Becomes the model of one of its buffers, and forgets the others."""
        self.turn_to(index)
        self._settle_in_one_world()

    def _settle_in_one_world(self) -> None:
        self.kept = nn.ModuleList()
        self.config = self.config.model_copy(update={"worlds": 1})

    def measured(self) -> dict[str, float]:
        """What was measured, by what it is."""
        return self.measures.describe()

    @property
    def trained_slots(self) -> int:
        """How many things are looked for where nobody says how many there are."""
        return self.config.n_slots

    @torch.no_grad()
    def encode(
        self, frame_BHWC: Tensor, n_slots: int, generator: Randomness | None = None
    ) -> Slots:
        """The entities of single images (uint8) in one pass; surplus slots are absent."""
        chunks = torch.split(frame_BHWC, self.config.chunk)
        with torch.autocast(frame_BHWC.device.type, enabled=False):  # places are fine
            parts = [self._see(part, n_slots) for part in chunks]
        names = [field.name for field in fields(Slots)]
        return Slots(**{n: torch.cat([getattr(part, n) for part in parts]) for n in names})

    def _see(self, frame_BHWC: Tensor, n_slots: int) -> Slots:
        measures = self.measures
        image = as_image(frame_BHWC, measures.shape)
        maps = self.eyes(image)
        things = find_things(maps, n_slots, measures)
        summary = self.describer.pool(maps, image, things.mask)
        scaled = locate(things.pixel, summary, self.describer, measures, things.present)
        place = measures.metres(scaled)
        there = things.present[..., None]
        surplus = things.votes - measures.number("least")
        sure = 1 - torch.exp(-surplus.clamp(min=0) / measures.number("least"))
        return Slots(
            kind=self.describer.types(summary) * there,
            state=place[..., : measures.state_width] * there,
            mask=cell_masks(things.mask * there[..., None], self.config.grid),
            presence=things.present,
            confidence=sure * things.present,
        )

    @torch.no_grad()
    def explain(self, frame_BHWC: Tensor) -> Explanation:
        """Chances, votes and peaks of pictures (uint8), in the size at which they are looked at."""
        maps = self.eyes(as_image(frame_BHWC, self.measures.shape))
        board = count_votes(maps, self.measures)
        peak, height = peaks(board, 4 * self.config.n_slots)
        votes = functional.max_pool2d(board.votes, board.fine)
        least = self.measures.number("least")
        return Explanation(maps.logit.sigmoid(), votes, peak, height, least)

    @torch.no_grad()
    def follow(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        n_slots: int,
        generator: torch.Generator | None = None,
    ) -> Slots:
        """The entities of clips, matched from frame to frame by place, action and type."""
        flat = self.encode(frame_BTHWC.flatten(0, 1), n_slots, generator)
        slots = flat.map(lambda value: value.view(*frame_BTHWC.shape[:2], *value.shape[1:]))
        before = slots.map(lambda value: value[:, :-1])
        expected = torch.cat([self.predict(before, action_BTA).state, slots.state[:, -1:]], dim=1)
        arrays = (slots.state, expected, slots.kind, slots.presence)
        place, target, kind, present = (value.cpu().numpy() for value in arrays)
        gap = self.measures.number("gap")
        order = np.stack(
            [track(place[b], target[b], kind[b], present[b], gap) for b in range(len(place))]
        )
        order_BTK = torch.from_numpy(order).to(slots.state.device)
        return slots.map(lambda value: _reorder(value, order_BTK))

    def predict(self, slots: Slots, action_BA: Tensor) -> Slots:
        """The entities one action later: what the action picks moves, types are kept."""
        state = self.mover(slots.state, slots.presence, action_BA, self.measures)
        return Slots(slots.kind, state, slots.mask, slots.presence, slots.confidence)

    @torch.no_grad()
    def picture_after(self, frame_BHWC: Tensor, before: Slots, after: Slots) -> Tensor:
        """Frames in which the pixels of things that moved have gone along."""
        frames = frame_BHWC.clone()
        for b, frame in enumerate(frame_BHWC):
            move_KS = after.state[b] - before.state[b]
            for k in (move_KS.norm(dim=-1) > self.measures.number("gap") / 100).nonzero()[:, 0]:
                frame = self._shift(frame, before.state[b, k], after.state[b, k])
            frames[b] = frame
        return frames

    def _shift(self, frame_HWC: Tensor, start_S: Tensor, end_S: Tensor) -> Tensor:
        """A frame in which the thing at one place is at another."""
        measures, shape = self.measures, tuple(frame_HWC.shape[:2])
        maps = self.eyes(as_image(frame_HWC[None], measures.shape))
        things = find_things(maps, 2 * self.config.n_slots, measures)
        width = measures.state_width
        scaled_23 = torch.zeros(2, 3, device=frame_HWC.device)
        ends_2S = torch.stack([start_S, end_S])
        scaled_23[:, :width] = (ends_2S - measures.centre[:width]) / measures.scale
        pixel_22 = measures.project(scaled_23)
        gap_K = (things.pixel[0] - pixel_22[0]).norm(dim=-1)
        k = int(gap_K.masked_fill(~things.present[0], torch.inf).argmin())
        if not things.present[0, k]:
            return frame_HWC
        large_KHW = functional.interpolate(things.mask, size=shape)[0] > 0
        other_HW = large_KHW.any(dim=0) & ~large_KHW[k]
        zoom = max(shape) / max(measures.shape)
        right, down = ((pixel_22[1] - pixel_22[0]) * zoom).round().int().tolist()
        image_CHW = frame_HWC.movedim(2, 0).float()
        moved_CHW = shift_thing(image_CHW, large_KHW[k], other_HW, right, down)
        return moved_CHW.round().to(torch.uint8).movedim(0, 2)

    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """What the moves of clips say of two of their frames."""
        generator = generator or torch.Generator().manual_seed(step)
        config, measures = self.config, self.measures
        image_BTCHW = as_image(frame_BTHWC, measures.shape)
        moved = read_moves(image_BTCHW, action_BTA, measures)
        order = torch.randperm(
            image_BTCHW.shape[1], generator=generator, device=generator.device
        ).tolist()
        first, second = sorted(order[:2])
        labels = label(moved, (first, second), measures)
        image = torch.cat([image_BTCHW[:, first], image_BTCHW[:, second]])
        scenes = Scenes(image, labels)
        if config.paste:
            low = measures.number("low") + measures.half_step
            # Where nothing but what it stands on tells how high a thing is, it stays there.
            told_by_place = not measures.is_deep or len(measures.known_spots) > 0
            highest = math.inf if told_by_place else low
            scenes = paste(scenes, config.paste, generator, highest)
        if config.ground:
            scenes = repaint(scenes, config.ground, generator)
        if config.light:
            image = relight(scenes.image, config.light, generator)
            scenes = Scenes(image, scenes.labels)
        maps = self.eyes(scenes.image)
        # Places are finer than half precision: only the eyes may use it.
        with torch.autocast(image.device.type, enabled=False):
            parts = judge(maps, scenes, self.describer, measures, config.temperature)
            move = self._move_loss(parts.seen, scenes, moved, first)
        total = (
            parts.find
            + config.vote_weight * parts.vote
            + config.type_weight * parts.type
            + config.place_weight * parts.place
            + move
        )
        names = ("find", "vote", "type", "place")
        values = {name: getattr(parts, name).detach() for name in names}
        values["move"] = move.detach()
        values["things"] = scenes.labels.known.sum(dim=1).float().mean()
        return Loss(total, values)

    def _move_loss(self, seen_NM3: Tensor, scenes: Scenes, moved: Moved, frame: int) -> Tensor:
        """How well it is told which things of a frame its action moves."""
        n_clips, width = len(moved.who), self.measures.state_width
        known, who = scenes.labels.known[:n_clips], scenes.labels.who[:n_clips]
        picked = moved.who[:, frame] + moved.who.shape[1] * torch.arange(n_clips, device=who.device)
        is_moved = (who == picked[:, None]) & moved.worked[:, frame, None]
        start = moved.start[:, frame, None, :width]
        apart = self.measures.number("gap") / float(self.measures.scale)
        gap = (seen_NM3[:n_clips, :, :width] - start).norm(dim=-1) / apart
        return self.mover.loss(gap[known], is_moved[known])

    def parameter_groups(self) -> list[ParameterGroup]:
        """Perception and dynamics, each with its own rate."""
        config = self.config
        rest = [*self.eyes.parameters(), *self.describer.parameters()]
        mover = list(self.mover.parameters())
        return [
            ParameterGroup("perception", rest, config.peak_rate, config.warmup_steps),
            ParameterGroup("dynamics", mover, config.mover_rate, config.warmup_steps),
        ]


def _reorder(value: Tensor, order_BTK: Tensor) -> Tensor:
    """A tensor (B, T, K, ...) with the slots of each frame in the given order."""
    rest = value.shape[3:]
    index = order_BTK.view(*order_BTK.shape, *[1] * len(rest)).expand(-1, -1, -1, *rest)
    return value.gather(2, index)


MODEL = ModelClasses(TouchedConfig, Touched)
