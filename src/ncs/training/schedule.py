"""What a training run is: its settings, and the clips, random streams and rates of each step.

Everything here depends on the settings and the step alone, so a run that goes on from a
checkpoint needs no sampler state and no random state.

Legend: B clips in a batch.
"""

import contextlib
import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, SerializeAsAny, ValidationInfo, field_validator, model_validator

from ncs.records import ConfigError
from ncs.registry import find_model
from ncs.settings import Settings
from ncs.storage import digest_json

# Settings that may change between the parts of a run: they say how it is run, not what it is.
RUNNING = frozenset(
    {"checkpoint_every", "picture_every", "picture_clips", "devices", "threads", "device"}
)
Purpose = Literal["weights", "order", "window", "noise", "holdout", "picture"]


class TrainConfig(Settings):
    """How a world model is trained; the defaults are the paper's."""

    model: str  # a name of the registry
    network: SerializeAsAny[Settings]  # that model's own settings
    steps: int = Field(31_250, ge=0, le=100_000_000)  # 200 epochs of 5000 clips in batches of 32
    batch: int = Field(32, ge=1, le=65_536)  # clips a step, over all processes
    # Parts of a batch, each with its own random stream and its own backward pass. Processes share
    # the parts out, so one process and two train alike; more parts need less memory.
    shards: int = Field(2, ge=1, le=1024)
    clip_frames: int | None = Field(None, ge=2, le=1000)  # whole clips, or windows at random
    seed: int = Field(0, ge=0, lt=2**63)
    start: str = ""  # hash of the model whose weights it begins with; none: random ones
    holdout: float = Field(0.05, ge=0, le=0.5)  # the last clips of the buffer, never trained on
    clip_norm: float = Field(1.0, gt=0)  # SLATE's
    clip_order: Literal["l2", "linf"] = "linf"  # SLATE's
    decay_share: float = Field(0.0, ge=0, le=1)  # last share of the steps: rates fall to zero
    average: float = Field(0.0, ge=0, lt=1)  # decay of the running mean of weights, 0 is off
    precision: Literal["32-true", "bf16-mixed"] = "32-true"  # bf16 gains little on small CPUs
    log_every: int = Field(10, ge=1)
    holdout_every: int = Field(1000, ge=1)
    holdout_clips: int = Field(32, ge=1, le=4096)  # a steady figure at a batch's cost
    collapse_share: float = Field(0.25, ge=0, le=1)  # of the steps in collapse: stop; 0 is never
    checkpoint_every: int = Field(500, ge=1)
    picture_every: int = Field(2000, ge=1)
    picture_clips: int = Field(2, ge=0, le=16)  # 0 draws none
    device: Literal["auto", "cpu", "cuda"] = "auto"
    devices: int = Field(1, ge=1, le=1024)  # processes
    threads: int | None = Field(None, ge=1, le=1024)  # of each process; torch's choice if unset

    @field_validator("network", mode="before")
    @classmethod
    def _read_network(cls, value: Any, info: ValidationInfo) -> Any:
        config = find_model(info.data["model"]).config if "model" in info.data else Settings
        if isinstance(value, dict):
            try:
                return config(**value)
            except ConfigError as error:
                raise ConfigError(f"network.{error}") from None
        if not isinstance(value, config):
            raise ConfigError(f"network: must be {config.__name__}, got {type(value).__name__}")
        return value

    @model_validator(mode="after")
    def _divide(self) -> Self:
        if self.batch % self.shards:
            raise ConfigError(f"shards: must divide batch {self.batch}, got {self.shards}")
        if self.shards % self.devices:
            raise ConfigError(
                f"devices: must divide shards {self.shards}, got {self.devices}; set shards to "
                f"{self.devices} or a multiple"
            )
        return self

    def difference(self, other: "TrainConfig") -> str | None:
        """The first setting in which two runs are not the same run, in words."""
        mine, theirs = self.model_dump(mode="json"), other.model_dump(mode="json")
        for name in mine:
            if name not in RUNNING and mine[name] != theirs[name]:
                return _first_difference(name, mine[name], theirs[name])
        return None


def _first_difference(name: str, mine: Any, theirs: Any) -> str:
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in sorted({*mine, *theirs}):
            if mine.get(key) != theirs.get(key):
                return _first_difference(f"{name}.{key}", mine.get(key), theirs.get(key))
    return f"{name} is {mine!r} here and {theirs!r} there"


def stream(config: TrainConfig, purpose: Purpose, *key: int) -> np.random.Generator:
    """The random stream of one purpose and key of a run; no two of them are related."""
    return _stream(config.seed, purpose, *key)


def _stream(seed: int, purpose: Purpose, *key: int) -> np.random.Generator:
    return np.random.default_rng(int(digest_json(["training", purpose, seed, *key]), 16))


def torch_seed(config: TrainConfig, purpose: Purpose, *key: int) -> int:
    """A seed for torch drawn from the stream of that purpose and key."""
    return int(stream(config, purpose, *key).integers(2**63))


@contextlib.contextmanager
def torch_seeded(seed: int, device: torch.device) -> Iterator[torch.Generator]:
    """A seeded generator, with torch's global one seeded alike inside and untouched outside.

    Layers such as dropout know no other source of randomness than the global one.
    """
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield torch.Generator(device).manual_seed(seed)


def training_clips(config: TrainConfig, n_clips: int) -> int:
    """How many clips, from the first on, are trained on; the rest are held out."""
    n_held_out = math.ceil(config.holdout * n_clips)
    if n_held_out >= n_clips:
        raise ConfigError(
            f"holdout: {config.holdout} leaves none of the {n_clips} clips to train on; lower it"
        )
    return n_clips - n_held_out


@dataclass(frozen=True)
class Draw:
    """Which clips a step sees, and where in each its window begins."""

    index: NDArray[np.int64]  # (B,)
    first: NDArray[np.int64]  # (B,)


@functools.lru_cache(maxsize=2)
def _epoch_order(seed: int, epoch: int, n_train: int) -> NDArray[np.int64]:
    return _stream(seed, "order", epoch).permutation(n_train)


def draw_clips(config: TrainConfig, n_train: int, n_frames: int, step: int) -> Draw:
    """The clips of one step: every clip comes once an epoch, in an order of that epoch."""
    place_B = np.arange(config.batch, dtype=np.int64) + step * config.batch
    index_B = np.empty(config.batch, np.int64)
    for epoch in np.unique(place_B // n_train):
        order = _epoch_order(config.seed, int(epoch), n_train)
        inside_B = place_B // n_train == epoch
        index_B[inside_B] = order[place_B[inside_B] % n_train]
    n_windows = n_frames - (config.clip_frames or n_frames) + 1
    first_B = stream(config, "window", step).integers(n_windows, size=config.batch)
    return Draw(index_B, first_B)


def rate(config: TrainConfig, peak: float, warmup_steps: int, step: int) -> float:
    """The learning rate of a step (the first is 0): linear warm-up, constant, cosine to zero."""
    warm = min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0
    decay_steps = config.decay_share * config.steps
    if not decay_steps:
        return peak * warm
    progress = max(0.0, (step - (config.steps - decay_steps)) / decay_steps)
    return peak * warm * 0.5 * (1 + math.cos(math.pi * progress))
