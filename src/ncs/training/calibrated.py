"""A trained model and a few clips of a new world become a model of that world; no weight learns."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from ncs.data.buffer import Buffer
from ncs.records import ConfigError
from ncs.training.checkpoint import (
    Snapshot,
    checkpoint_hash,
    load_model,
    read_config,
    read_manifest,
    to_arrays,
    write_checkpoint,
)
from ncs.training.sources import about_buffer
from ncs.training.train import check_out

MOST = 1000  # clips that a fit may need


@runtime_checkable
class Adapting(Protocol):
    """A model whose eyes can be used in a world they were not trained in."""

    def adapt(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> float:
        """Fits all that a world decides to clips; the share of its things that are seen."""
        ...


@runtime_checkable
class Remembering(Protocol):
    """A model that was trained on several buffers and keeps what each of them decides."""

    def recall(self, index: int) -> None:
        """Becomes the model of one of them, and forgets the others."""
        ...


@dataclass(frozen=True)
class Calibrated:
    """What calibrating came to."""

    clips: int
    moves: int
    seen: float | None  # share of the moved things that the eyes see; None: it was trained here
    checkpoint: str


def calibrate(folder: Path, buffer: Buffer, out: Path, moves: int | None = None) -> Calibrated:
    """Writes a model of a buffer's world into ``out``.

    Args:
        folder: A trained model; of one that was trained on this very buffer among others, what
            was measured then is taken.
        buffer: Clips of the world it is to be used in.
        out: Folder that holds no model yet.
        moves: The first so many are used; by default all, up to a thousand clips.
    """
    check_out(out, resume=False)
    manifest, config, model = read_manifest(folder), read_config(folder), load_model(folder)
    every = int(buffer.manifest["frames"]) - 1
    clips = min(len(buffer), MOST if moves is None else math.ceil(moves / every))
    hashes = [source["hash"] for source in manifest["buffer"].get("buffers") or ()]
    seen = None
    if buffer.hash in hashes and isinstance(model, Remembering):
        model.recall(hashes.index(buffer.hash))
    elif isinstance(model, Adapting):
        some = buffer.clips(np.arange(clips))
        seen = model.adapt(torch.from_numpy(some.frame), torch.from_numpy(some.action))
    else:
        raise ConfigError(f"{folder}: holds {config.model}, which cannot be calibrated; train it")
    notes = {"calibrated": {"from": checkpoint_hash(folder), "clips": clips}}
    snapshot = Snapshot(
        step=manifest["step"],
        config=config.model_copy(update={"network": model.config}),
        buffer=about_buffer(buffer),
        weights=to_arrays(model.state_dict()),
        state={},
        notes=notes,
    )
    write_checkpoint(out, snapshot)
    return Calibrated(clips, clips * every, seen, checkpoint_hash(out))
