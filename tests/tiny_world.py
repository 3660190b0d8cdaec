"""A world model of a few hundred numbers, a buffer to go with it, and a script that trains it.

The model uses every source of randomness a real one may: its generator, and dropout, which knows
only torch's global state.
"""

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ncs.model.contract import Loss, ParameterGroup, Slots, WorldModel
from ncs.model.randomness import normal
from ncs.registry import register_model
from ncs.settings import Settings
from ncs.storage import write_arrays, write_json
from ncs.training.schedule import TrainConfig


class Clock:
    """Stands for the module ``time``: it goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class TinyConfig(Settings):
    n_slots: int = 3
    width: int = 6
    rate: float = 0.01
    nan_at: int = -1  # the step whose loss is no number
    collapsed: bool = False
    pause: float = 0.0  # seconds a step takes longer than it must


class Tiny(WorldModel):
    """Slots that share cells of 16x16 pixels by a noisy softmax."""

    config: TinyConfig

    def __init__(self, config: TinyConfig) -> None:
        super().__init__()
        self.config = config
        self.reader = nn.Linear(3, config.width)
        self.painter = nn.Linear(config.width, 3)
        self.mover = nn.Linear(6, config.width // 2)
        self.unused = nn.Linear(2, 2)
        self.register_buffer("brightness", torch.tensor(0.0))

    @property
    def trained_slots(self):
        return self.config.n_slots

    def prepare(self, frame_BTHWC, action_BTA):
        self.brightness.copy_(frame_BTHWC.float().mean() / 255)

    def _slots(self, frame_BHWC, n_slots, generator):
        image = functional.avg_pool2d(frame_BHWC.permute(0, 3, 1, 2).float() / 255, 16)
        cell_BPC = self.reader((image - self.brightness).flatten(2).transpose(1, 2))
        generator = generator or torch.default_generator
        query = normal((len(image), n_slots, self.config.width), generator)
        mask = torch.einsum("bpc,bkc->bkp", cell_BPC, query).softmax(1)
        if self.config.collapsed:
            mask = torch.zeros_like(mask).index_fill(1, torch.tensor([0]), 1.0)
        slot = torch.einsum("bkp,bpc->bkc", mask, cell_BPC) + 0.1 * query
        half = self.config.width // 2
        sure = mask.amax(-1)
        return Slots(slot[..., :half], slot[..., half:], mask, sure > 0, sure)

    def encode(self, frame_BHWC, n_slots, generator=None):
        return self._slots(frame_BHWC, n_slots, generator)

    def follow(self, frame_BTHWC, action_BTA, n_slots, generator=None):
        flat = self._slots(frame_BTHWC.flatten(0, 1), n_slots, generator)
        return flat.map(lambda value: value.unflatten(0, frame_BTHWC.shape[:2]))

    def predict(self, slots, action_BA):
        state = slots.state + self.mover(action_BA)[:, None]
        return Slots(slots.kind, state, slots.mask, slots.presence, slots.confidence)

    def decode(self, slots):
        slot = torch.cat([slots.kind, slots.state], -1)
        image = torch.einsum("bkp,bkc->bcp", slots.mask, self.painter(slot))
        side = math.isqrt(image.shape[2])
        return functional.interpolate(image.unflatten(2, (side, side)).sigmoid(), scale_factor=16)

    def loss(self, frame_BTHWC, action_BTA, step, generator=None):
        time.sleep(self.config.pause)
        frame = frame_BTHWC[:, :-1].flatten(0, 1)
        slots = self._slots(frame, self.config.n_slots, generator)
        picture = self.decode(self.predict(slots, action_BTA.flatten(0, 1)))
        picture = functional.dropout(picture, 0.1, self.training)
        target = frame_BTHWC[:, 1:].flatten(0, 1).permute(0, 3, 1, 2).float() / 255
        total = functional.mse_loss(picture, target)
        if step == self.config.nan_at:
            total = total * torch.nan
        return Loss(total, {"spread": slots.mask.std().detach()})

    def parameter_groups(self):
        fast = [*self.reader.parameters(), *self.mover.parameters()]
        slow = [*self.painter.parameters(), *self.unused.parameters()]
        rate = self.config.rate
        return [ParameterGroup("fast", fast, rate, 5), ParameterGroup("slow", slow, rate / 2, 0)]


register_model("tiny", TinyConfig, Tiny)


def tiny_config(network=None, **values) -> TrainConfig:
    usual = {
        "steps": 12,
        "batch": 4,
        "shards": 2,
        "checkpoint_every": 4,
        "holdout_every": 3,
        "holdout_clips": 3,
        "picture_every": 6,
        "picture_clips": 1,
        "log_every": 1,
        "holdout": 0.2,
        "threads": 1,
    }
    return TrainConfig(model="tiny", network=network or TinyConfig(), **{**usual, **values})


def write_buffer(folder: Path, n_clips: int = 20, seed: int = 0) -> Path:
    """A buffer of noise in the format of ``ncs collect``, without ground truth."""
    rng = np.random.default_rng(seed)
    shards = []
    for index in range(-(-n_clips // 100)):
        count = min(100, n_clips - 100 * index)
        blocks = rng.integers(256, size=(count, 5, 4, 4, 3), dtype=np.uint8)
        frame = blocks.repeat(16, axis=2).repeat(16, axis=3)
        action = rng.normal(size=(count, 4, 6)).astype(np.float32)
        name = f"clips-{index:05d}.safetensors"
        sha256 = write_arrays(folder / name, {"frame": frame, "action": action}, {"clips": count})
        shards.append({"name": name, "clips": count, "sha256": sha256})
    manifest = {"format": 1, "world": "block-rearrange", "episodes": n_clips, "objects": 4}
    write_json(folder / "manifest.json", {**manifest, "seed": seed, "frames": 5, "shards": shards})
    return folder


def main() -> None:
    from ncs.training.train import train

    parser = argparse.ArgumentParser()
    parser.add_argument("buffer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("values", type=json.loads)
    parser.add_argument("--network", type=json.loads, default={})
    options = parser.parse_args()
    # Imported by its name, so that spawned processes find the same classes.
    from tests import tiny_world

    config = tiny_world.tiny_config(tiny_world.TinyConfig(**options.network), **options.values)
    outcome = train(config, options.buffer, options.out, resume=True)
    print(json.dumps({"step": outcome.step, "ended": outcome.ended}))


if __name__ == "__main__":
    main()
