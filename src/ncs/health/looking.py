"""A trained model that looks at clips, by the rules by which graph and control use its slots.

Legend: B clips, T frames, N transitions, K slots, P mask cells, S state channels.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.cli.console import progress
from ncs.control.align import align, type_costs
from ncs.data.buffer import Buffer
from ncs.graph.build import GraphConfig
from ncs.graph.isolate import Experience, Moves, gather, isolate
from ncs.graph.places import fit_world, locate
from ncs.graph.whiten import fit_whitening
from ncs.health.report import Evidence, Report, examine
from ncs.health.scenes import Scenes, play, replay
from ncs.model.contract import Slots, WorldModel, trained_slots
from ncs.records import Clips, ConfigError
from ncs.training.checkpoint import read_config, read_manifest
from ncs.training.pictures import clip_rows, draw_sheet
from ncs.training.schedule import training_clips

BATCH = 8
FIT_CLIPS = 100  # what the learned metric is fitted to: some 400 moves
SHOWN_CLIPS = 3


@dataclass(frozen=True)
class Ask:
    """What is asked of the viewer."""

    clips: int
    slots: int | None  # None: as many to spare as in training
    matching: Literal["plain", "learned"] | None  # None: as the model is meant to be used
    seed: int


class Viewer:
    """A model that looks at clips, and the rules by which its slots are used."""

    def __init__(
        self, model: WorldModel, folder: Path, buffer: Buffer, where: Path, ask: Ask
    ) -> None:
        self.model, self.buffer, self.where, self.ask = model, buffer, where, ask
        self.config = read_config(folder)
        trained_on = read_manifest(folder)["buffer"]
        if trained_on["world"] != buffer.world:
            raise ConfigError(f"{folder}: sees {trained_on['world']}, the buffer is {buffer.world}")
        self.is_own_buffer = trained_on["hash"] == buffer.hash
        self.buffer_objects = int(buffer.manifest["objects"])
        self.spare = trained_slots(self.config.network) - int(trained_on["objects"])
        paper = self.config.model == "dslate"
        self.rules = (GraphConfig.paper if paper else GraphConfig.best)(buffer.world)
        self.matching = ask.matching or ("plain" if paper else "learned")
        moves = self._moves()
        learned = self.matching == "learned"
        self.whiten = fit_whitening(moves.kind_before, moves.kind_after) if learned else None
        self.world = fit_world(moves).coefficient

    def n_slots(self, n_objects: int) -> int:
        """Slots for scenes of that many objects."""
        return self.ask.slots or max(1, n_objects + self.spare)

    def scenes(self, n_objects: int) -> Scenes:
        """Clips the model has not been trained on."""
        n_clips = self.ask.clips
        if n_objects != self.buffer_objects:
            with progress(f"playing {n_objects} objects", n_clips, "clips") as advance:
                return play(self.buffer.world, n_objects, n_clips, self.ask.seed, advance)
        first = training_clips(self.config, len(self.buffer)) if self.is_own_buffer else 0
        # The last ones, away from those that the metric is learned from.
        index_B = np.arange(max(first, len(self.buffer) - n_clips), len(self.buffer))
        if not len(index_B):
            raise ConfigError(
                f"{self.where}: the model has been trained on all of it; give a buffer of another "
                "seed"
            )
        with progress("playing again", len(index_B), "clips") as advance:
            return replay(self.where, self.buffer, index_B, advance)

    def _follow(self, clips: Clips, n_slots: int) -> Experience:
        """Clips as the graph sees them."""
        generator = torch.Generator().manual_seed(self.ask.seed)
        parts = []
        with progress("following", len(clips.frame), "clips") as advance, torch.no_grad():
            for first in range(0, len(clips.frame), BATCH):
                frame = torch.from_numpy(clips.frame[first : first + BATCH])
                action = torch.from_numpy(clips.action[first : first + BATCH])
                parts.append(self.model.follow(frame, action, n_slots, generator))
                advance(first + len(frame))
        names = ("kind", "state", "mask", "presence")
        return Experience(
            **{n: np.concatenate([getattr(p, n).numpy() for p in parts]) for n in names},
            action=clips.action,
        )

    def _encode(self, frame_BHWC: NDArray[np.uint8], n_slots: int, seed: int) -> Slots:
        """Single images as control sees them."""
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            parts = [
                self.model.encode(part, n_slots, generator)
                for part in torch.split(torch.from_numpy(frame_BHWC), BATCH)
            ]
        names = ("kind", "state", "mask", "presence", "confidence")
        return type(parts[0])(**{n: torch.cat([getattr(p, n) for p in parts]) for n in names})

    def _moves(self) -> Moves:
        """Moves the model was trained on: they teach what to ignore, and where a state is."""
        clips = self.buffer.clips(np.arange(min(FIT_CLIPS, len(self.buffer))))
        experience = self._follow(clips, self.n_slots(self.buffer_objects))
        return gather(experience, self.rules.representation, self.rules.isolate_metric)

    def _locate(self, seen: Experience) -> NDArray[np.float32]:
        """Where in the world (B, T, K, 2) each slot is, by what the buffer's actions say."""
        state = seen.mask if self.rules.representation == "alpha" else seen.state
        if not len(self.world):
            return np.full((*state.shape[:3], 2), np.nan, np.float32)
        flat_X3 = locate(state.reshape(-1, state.shape[-1]), self.world)
        return flat_X3[:, :2].reshape(*state.shape[:3], 2).astype(np.float32)

    def examine(self, scenes: Scenes, n_objects: int) -> Report:
        """The report on clips of that many objects."""
        n_slots = self.n_slots(n_objects)
        seen = self._follow(scenes.clips, n_slots)
        ends = [scenes.clips.frame[:, 0], scenes.clips.frame[:, -1]]
        pair = [self._encode(end, n_slots, self.ask.seed + i) for i, end in enumerate(ends)]
        evidence = Evidence(
            mask=seen.mask.astype(np.float32),
            presence=seen.presence,
            kind=seen.kind.astype(np.float32),
            state=seen.state.astype(np.float32),
            picked=self._picked(seen),
            pair_mask=np.stack([one.mask.numpy() for one in pair], axis=1),
            pair_presence=np.stack([one.presence.numpy() for one in pair], axis=1),
            match=self._match(*pair),
            segment=scenes.segment,
            moved=scenes.moved,
            colour=scenes.colour,
            guess=self._locate(seen),
            position=scenes.position[..., :2],
        )
        return examine(evidence)

    def _picked(self, seen: Experience) -> NDArray[np.int64]:
        state = seen.mask if self.rules.representation == "alpha" else seen.state
        n_clips, n_frames, n_slots = seen.presence.shape
        present_NK = (seen.presence[:, :-1] & seen.presence[:, 1:]).reshape(-1, n_slots)
        before_NKS = state[:, :-1].reshape(len(present_NK), n_slots, -1)
        after_NKS = state[:, 1:].reshape(len(present_NK), n_slots, -1)
        moved = isolate(before_NKS, after_NKS, present_NK, self.rules.isolate_metric)
        return moved.slot.reshape(n_clips, n_frames - 1)

    def _match(self, first: Slots, last: Slots) -> NDArray[np.int64]:
        rows = []
        for b in range(len(first.kind)):
            cost = type_costs(first.kind[b].numpy(), last.kind[b].numpy(), self.whiten)
            rows.append(align(cost, first.presence[b].numpy(), last.presence[b].numpy()).slot)
        return np.stack(rows)

    def sheet(self, scenes: Scenes, n_objects: int) -> bytes:
        """A picture of the first clips."""
        clips = Clips(scenes.clips.frame[:SHOWN_CLIPS], scenes.clips.action[:SHOWN_CLIPS])
        generator = torch.Generator().manual_seed(self.ask.seed)
        with torch.no_grad():
            return draw_sheet(clip_rows(self.model, clips, self.n_slots(n_objects), generator))
