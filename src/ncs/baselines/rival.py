"""Rivals that learn a policy from a buffer, and that policy on disk and at play.

    DIR/
      policy.safetensors   the actor alone: all that 'ncs evaluate' needs
      model.json ...       what the training room writes, to go on from

Legend: B batch, T frames, H height, W width, C channels, A action numbers, 6 an action in metres.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncs.baselines.pixels import Actor, PixelConfig, shift, stack, to_metres
from ncs.bounded import check_finite
from ncs.data.seeds import stream
from ncs.model.contract import Trainable
from ncs.records import ConfigError, DataError
from ncs.storage import digest_content, digest_json, read_arrays, write_arrays
from ncs.training.checkpoint import at_most, fill, load_trained, read_manifest, to_arrays

FORMAT = "ncs-policy-1"
POLICY = "policy.safetensors"


class Rival(Trainable):
    """Something trained of which only the actor plays."""

    config: PixelConfig
    actor: Actor

    def pair(self, frame_BHWC: Tensor, goal_BHWC: Tensor, generator: torch.Generator) -> Tensor:
        """What a network sees: both pictures stacked, and shifted while it is trained."""
        pad = self.config.crop_pad if self.training else 0
        return shift(stack(frame_BHWC, goal_BHWC), pad, generator)


@dataclass(frozen=True)
class TrainedPolicy:
    """A policy as it was saved."""

    actor: Actor
    method: str
    world: str
    checkpoint: str  # hash of its settings and weights


def save_policy(folder: Path) -> TrainedPolicy:
    """Writes the policy of the rival trained in a folder beside its checkpoint."""
    rival, manifest = load_trained(folder), read_manifest(folder)
    if not isinstance(rival, Rival):
        raise DataError(f"{folder}: holds a world model, not a rival; see 'ncs train-rival'")
    settings = rival.config.model_dump(mode="json")
    about = {
        "format": FORMAT,
        "method": manifest["config"]["model"],
        "actor": {name: settings[name] for name in PixelConfig.model_fields},
        "world": manifest["buffer"]["world"],
        "buffer": manifest["buffer"]["hash"],
        "step": manifest["step"],
        "seed": manifest["config"]["seed"],
    }
    write_arrays(folder / POLICY, to_arrays(rival.actor.state_dict()), about)
    return load_policy(folder)


def load_policy(folder: Path) -> TrainedPolicy:
    """The policy in a folder. Nothing in the file is executed, and a changed one is refused."""
    path = folder / POLICY
    if not path.exists():
        raise DataError(f"{folder}: holds no trained policy; make one with 'ncs train-rival'")
    arrays, about = read_arrays(path)
    check_finite(path, arrays)
    if about.get("format") != FORMAT:
        raise DataError(f"{path}: format {about.get('format')!r}, this ncs reads {FORMAT}")
    method, world = str(about.get("method")), str(about.get("world"))
    try:
        config = PixelConfig(**about["actor"])
        with torch.random.fork_rng([]), at_most(arrays, path):
            actor = Actor(config)
    except (ConfigError, KeyError, TypeError, RuntimeError) as error:
        raise DataError(f"{path}: no policy can be built from its settings ({error})") from None
    fill(actor, arrays, path)
    identity: list[Any] = [method, world, about["actor"], digest_content(arrays)]
    return TrainedPolicy(actor.eval(), method, world, digest_json(identity)[:12])


class PixelPolicy:
    """A trained actor as a policy: it does what it holds most likely, or something near that.

    All rivals are trained as the means of Gaussians. Whoever always plays the mean repeats an
    action that did nothing for as long as the picture stays the same.
    """

    def __init__(self, actor: Actor, sigma: float = 0.0) -> None:
        """Joins an actor and the deviation of its actions, as a share of half their range."""
        self._actor, self._sigma = actor.eval(), sigma

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Gives each lane its stream."""
        self._rngs = [stream("policy", *seed) for seed in seed_B]

    @torch.no_grad()
    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action (B, 6) for each of the given lanes."""
        image, goal = (torch.from_numpy(np.array(p)) for p in (image_BHWC, goal_BHWC))
        unit_BU = self._actor(stack(image, goal))
        if self._sigma > 0:
            drawn = [self._rngs[lane].normal(0, self._sigma, unit_BU.shape[1]) for lane in lane_B]
            unit_BU = unit_BU + torch.from_numpy(np.stack(drawn)).to(unit_BU)
        return to_metres(unit_BU, self._actor.config).numpy().astype(np.float32)
