"""What a run learns from: one buffer or several, whose batches take turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ncs.data.buffer import Buffer
from ncs.records import Clips, ConfigError
from ncs.storage import digest_json
from ncs.training.schedule import Draw, TrainConfig, draw_clips, training_clips

# What a checkpoint keeps of a buffer's manifest, for those who use it later.
ABOUT_BUFFER = ("objects", "unit", "arena")


@runtime_checkable
class Turning(Protocol):
    """A model that can learn from several buffers, and keeps what each of them decides."""

    def keep(self, index: int) -> None:
        """Keeps what was measured last as what that buffer decides."""
        ...

    def turn_to(self, index: int) -> None:
        """Goes by what that buffer decides."""
        ...


def about_buffer(buffer: Buffer) -> dict[str, Any]:
    """What a checkpoint says of a buffer."""
    about = {"hash": buffer.hash, "world": buffer.world, "clips": len(buffer)}
    return {**about, **{name: buffer.manifest.get(name) for name in ABOUT_BUFFER}}


@dataclass(frozen=True)
class Turn:
    """Whose batch a step has, and which clips of that buffer."""

    source: int
    buffer: Buffer
    draw: Draw


class Sources:
    """The buffers of a run."""

    def __init__(self, config: TrainConfig, buffers: Sequence[Buffer]) -> None:
        self.config, self.buffers = config, tuple(buffers)
        self.n_train = [training_clips(config, len(buffer)) for buffer in self.buffers]
        self.n_frames = [int(buffer.manifest["frames"]) for buffer in self.buffers]
        if (config.clip_frames or 0) > min(self.n_frames):
            raise ConfigError(
                f"clip_frames: the buffer's clips have {min(self.n_frames)}, "
                f"got {config.clip_frames}"
            )

    def __len__(self) -> int:
        return len(self.buffers)

    @property
    def hash(self) -> str:
        """Twelve hex digits that change with any byte of any of them."""
        hashes = [buffer.hash for buffer in self.buffers]
        return hashes[0] if len(hashes) == 1 else digest_json(hashes)[:12]

    def about(self) -> Mapping[str, Any]:
        """What a checkpoint says of them; it is used as a model of the first one."""
        first = about_buffer(self.buffers[0])
        if len(self) == 1:
            return first
        each = [about_buffer(buffer) for buffer in self.buffers]
        return {**first, "hash": self.hash, "buffers": each}

    def turn(self, step: int) -> Turn:
        """What a step learns from: buffers take turns, and each is gone through in its own order.

        A batch is of one buffer, as pictures may be of different sizes and things are told apart
        from those they may meet.
        """
        source, round_ = step % len(self), step // len(self)
        draw = draw_clips(self.config, self.n_train[source], self.n_frames[source], round_)
        return Turn(source, self.buffers[source], draw)

    def some_training_clips(self, source: int, most: int) -> Clips:
        """Clips from all over what is trained on."""
        return some_clips(self.buffers[source], 0, self.n_train[source], most)

    @property
    def holds_out(self) -> bool:
        """Whether there are clips that are never trained on."""
        return self.n_train[0] < len(self.buffers[0])

    def view(self, most: int) -> Clips:
        """Held-out clips of the first buffer, or its last ones where none are held out."""
        first = self.n_train[0] if self.holds_out else max(0, self.n_train[0] - most)
        return some_clips(self.buffers[0], first, len(self.buffers[0]), most)


def some_clips(buffer: Buffer, first: int, end: int, most: int) -> Clips:
    """At most so many clips, evenly from a stretch of a buffer."""
    index = np.unique(np.linspace(first, end - 1, min(most, end - first)).astype(np.int64))
    return buffer.clips(index)
