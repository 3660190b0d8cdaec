"""Takes a trained model and clips, gives a report on its slots, used as graph and control do.

Legend: B clips, T frames, N transitions, K slots, P mask cells, S state channels.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from ncs.data.buffer import Buffer, has_truth
from ncs.graph.calibration import fit_world, locate
from ncs.graph.config import GraphConfig
from ncs.graph.distances import pairwise
from ncs.graph.isolate import Experience, Moves, isolate, most_changed
from ncs.graph.nearest import states
from ncs.health.explained import explained_rows
from ncs.health.labelled_clips import LabelledClips, play, replay
from ncs.health.report import Evidence, Report, Truth, examine
from ncs.model.contract import Slots, WorldModel
from ncs.records import Clips, ConfigError
from ncs.training.checkpoint import read_config, read_manifest
from ncs.training.pictures import clip_rows, draw_sheet
from ncs.training.schedule import training_clips

BATCH = 8
FIT_CLIPS = 100  # what the learned metric is fitted to: some 400 moves
SHOWN_CLIPS = 3
ACROSS = 3  # clips side by side: as wide as a page


# A name, how many there are and of what: gives something to call with how many are done.
ShowProgress = Callable[[str, int, str], contextlib.AbstractContextManager[Callable[[int], None]]]


@contextlib.contextmanager
def silence(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Progress that nobody is shown."""
    yield lambda done: None


@dataclass(frozen=True)
class Options:
    """How a model is examined."""

    clips: int
    slots: int | None  # None: as many to spare as in training
    seed: int


class Examiner:
    """A model, a buffer of its world, and the rules by which its slots are used."""

    def __init__(
        self,
        model: WorldModel,
        folder: Path,
        buffer: Buffer,
        options: Options,
        progress: ShowProgress = silence,
    ) -> None:
        self.model, self.buffer, self.options = model, buffer, options
        self._progress = progress
        self.config = read_config(folder)
        trained_on = read_manifest(folder)["buffer"]
        if trained_on["world"] != buffer.world:
            raise ConfigError(f"{folder}: sees {trained_on['world']}, the buffer is {buffer.world}")
        self.is_own_buffer = trained_on["hash"] == buffer.hash
        self.has_truth = has_truth(buffer.folder)
        self.buffer_objects: int | None = buffer.manifest["objects"]  # None: nobody counted
        self.trained_objects: int | None = trained_on["objects"]
        paper = self.config.model == "dslate"
        self.rules = (GraphConfig.paper if paper else GraphConfig.best)(buffer.world)
        self.world = fit_world(self._moves()).coefficient

    def n_slots(self, n_objects: int | None) -> int:
        """Slots for scenes of that many objects; where nobody counted, as many as in training."""
        return self.options.slots or self.model.slots_for(n_objects, self.trained_objects)

    def clips(self, n_objects: int | None) -> LabelledClips | Clips:
        """Clips the model has not been trained on; without labels where the buffer has none."""
        n_clips = self.options.clips
        if n_objects != self.buffer_objects and n_objects is not None:
            with self._progress(f"playing {n_objects} objects", n_clips, "clips") as advance:
                seed, style = self.options.seed, str(self.buffer.manifest.get("style") or "")
                return play(self.buffer.world, n_objects, n_clips, seed, advance, style)
        first = training_clips(self.config, len(self.buffer)) if self.is_own_buffer else 0
        # The last ones, away from those that the metric is learned from.
        index_B = np.arange(max(first, len(self.buffer) - n_clips), len(self.buffer))
        if not len(index_B):
            raise ConfigError(
                f"{self.buffer.folder}: the model has been trained on all of it; give a buffer of "
                "another seed"
            )
        if not self.has_truth:
            return self.buffer.clips(index_B)
        with self._progress("playing again", len(index_B), "clips") as advance:
            return replay(self.buffer.folder, self.buffer, index_B, advance)

    def _follow(self, clips: Clips, n_slots: int) -> Experience:
        """Clips as the graph sees them."""
        generator = torch.Generator().manual_seed(self.options.seed)
        parts = []
        with self._progress("following", len(clips.frame), "clips") as advance, torch.no_grad():
            for first in range(0, len(clips.frame), BATCH):
                frame = torch.from_numpy(clips.frame[first : first + BATCH])
                action = torch.from_numpy(clips.action[first : first + BATCH])
                seen = self.model.follow(frame, action, n_slots, generator)
                parts.append(seen.map(Tensor.detach))
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
                self.model.encode(part, n_slots, generator).map(Tensor.detach)
                for part in torch.split(torch.from_numpy(frame_BHWC), BATCH)
            ]
        names = ("kind", "state", "mask", "presence", "confidence")
        return type(parts[0])(**{n: torch.cat([getattr(p, n) for p in parts]) for n in names})

    def _moves(self) -> Moves:
        """Moves the model was trained on: they teach what to ignore, and where a state is."""
        clips = self.buffer.clips(np.arange(min(FIT_CLIPS, len(self.buffer))))
        experience = self._follow(clips, self.n_slots(self.buffer_objects))
        return isolate(experience, self.rules.representation, self.rules.isolate_metric)

    def _locate(self, seen: Experience) -> NDArray[np.float32]:
        """Where in the world (B, T, K, 2) each slot is, by what the buffer's actions say."""
        state = states(seen, self.rules.representation)
        if self.world is None:
            return np.full((*state.shape[:3], 2), np.nan, np.float32)
        flat_X3 = locate(state.reshape(-1, state.shape[-1]), self.world)
        return flat_X3[:, :2].reshape(*state.shape[:3], 2).astype(np.float32)

    def examine(self, shown: LabelledClips | Clips, n_objects: int | None) -> Report:
        """The report on clips of that many objects."""
        n_slots = self.n_slots(n_objects)
        clips = frames_of(shown)
        seen = self._follow(clips, n_slots)
        ends = [clips.frame[:, 0], clips.frame[:, -1]]
        pair = [self._encode(end, n_slots, self.options.seed + i) for i, end in enumerate(ends)]
        evidence = Evidence(
            mask=seen.mask.astype(np.float32),
            presence=seen.presence,
            kind=seen.kind.astype(np.float32),
            state=seen.state.astype(np.float32),
            picked=self._picked(seen),
            pair_mask=np.stack([one.mask.numpy() for one in pair], axis=1),
            pair_presence=np.stack([one.presence.numpy() for one in pair], axis=1),
            match=self._match(*pair),
            guess=self._locate(seen),
        )
        if isinstance(shown, Clips):
            return examine(evidence, None)
        position = shown.position[..., :2]
        return examine(evidence, Truth(shown.segment, shown.did_move(), shown.colour, position))

    def _picked(self, seen: Experience) -> NDArray[np.int64]:
        state = states(seen, self.rules.representation)
        n_clips, n_frames, n_slots = seen.presence.shape
        present_NK = (seen.presence[:, :-1] & seen.presence[:, 1:]).reshape(-1, n_slots)
        before_NKS = state[:, :-1].reshape(len(present_NK), n_slots, -1)
        after_NKS = state[:, 1:].reshape(len(present_NK), n_slots, -1)
        moved = most_changed(before_NKS, after_NKS, present_NK, self.rules.isolate_metric)
        return moved.slot.reshape(n_clips, n_frames - 1)

    def _match(self, first: Slots, last: Slots) -> NDArray[np.int64]:
        """The slot of the last picture for each of the first (B, K), -1 where there is none."""
        match_BK = np.full(first.presence.shape, -1)
        for b in range(len(match_BK)):
            row, column = (np.flatnonzero(one.presence[b].numpy()) for one in (first, last))
            kinds = first.kind[b].numpy()[row], last.kind[b].numpy()[column]
            i, j = linear_sum_assignment(pairwise(*kinds, "euclidean"))
            match_BK[b, row[i]] = column[j]
        return match_BK

    def sheet(self, shown: LabelledClips | Clips, n_objects: int | None) -> bytes:
        """A picture of the first clips, as PNG."""
        clips = frames_of(shown)
        clips = Clips(clips.frame[:SHOWN_CLIPS], clips.action[:SHOWN_CLIPS])
        generator = torch.Generator().manual_seed(self.options.seed)
        with torch.no_grad():
            rows = clip_rows(self.model, clips, self.n_slots(n_objects), generator)
        per_clip = len(rows) // len(clips.frame)
        explained = explained_rows(self.model, clips.frame)
        every = []
        for clip, why in enumerate(explained or [()] * len(clips.frame)):
            every += [*rows[clip * per_clip : (clip + 1) * per_clip], *why]
        return draw_sheet(every, len(clips.frame), ACROSS)


def frames_of(shown: LabelledClips | Clips) -> Clips:
    """The clips themselves, without their labels."""
    return shown if isinstance(shown, Clips) else shown.clips
