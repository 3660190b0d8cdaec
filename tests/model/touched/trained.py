"""Models of painted clips: made, trained for a while, and asked what they find."""

from typing import Any

import numpy as np
import torch
from tests.model.touched.painted import Clips, to_world

from ncs.model.touched.world import Touched, TouchedConfig

STEPS = 120


def make_model(clips: Clips, seed: int = 0, **changes: Any) -> Touched:
    torch.manual_seed(seed)
    model = Touched(TouchedConfig(**changes))
    model.prepare(clips.frame, clips.action)
    return model


def train(model: Touched, clips: Clips, steps: int = STEPS) -> Touched:
    groups = [{"params": g.parameters, "lr": g.peak_rate} for g in model.parameter_groups()]
    optimiser = torch.optim.Adam(groups)
    generator = torch.Generator().manual_seed(0)
    for step in range(steps):
        row = torch.randint(len(clips.frame), (10,), generator=generator)
        optimiser.zero_grad()
        model.loss(clips.frame[row], clips.action[row], step, generator).total.backward()
        optimiser.step()
    return model.eval()


def found(model: Touched, clips: Clips) -> float:
    """Share of discs that exactly one thing is at."""
    objects = clips.pixel.shape[2]
    slots = model.encode(clips.frame.flatten(0, 1), 2 * objects)
    truth = to_world(clips.pixel).reshape(-1, objects, 3)[..., :2]
    hits = 0
    for place, present, true in zip(
        slots.state.numpy(), slots.presence.numpy(), truth, strict=True
    ):
        gap = np.linalg.norm(true[:, None] - place[present], axis=-1)
        hits += int(((gap < 0.05).sum(axis=1) == 1).sum())
    return hits / truth.shape[0] / objects
