"""Whole training runs by name."""

from typing import Literal, get_args

from ncs.records import ConfigError
from ncs.training.schedule import TrainConfig

Preset = Literal["paper", "cpu", "fast"]


def preset(name: str, world: str) -> TrainConfig:
    """The settings behind a name, for a world."""
    if name == "paper":
        return _paper()
    if name == "cpu":
        return _cpu()
    if name == "fast":
        return _fast(world)
    raise ConfigError(f"preset: there is no {name!r}, choose one of {', '.join(get_args(Preset))}")


def _paper() -> TrainConfig:
    from ncs.model.dslate.config import DslateConfig

    return TrainConfig(model="dslate", network=DslateConfig.paper())


def _cpu() -> TrainConfig:
    from ncs.model.dslate.config import DslateConfig

    return TrainConfig(
        model="dslate",
        network=DslateConfig.cpu(),
        steps=8000,
        batch=16,  # half the paper's, for twice the steps an hour
        decay_share=0.3,  # a short run gains from ending with small steps
        device="cpu",
    )


def _fast(world: str) -> TrainConfig:
    from ncs.model.placed.world import PlacedConfig

    return TrainConfig(
        model="placed",
        network=PlacedConfig.fast(world),
        steps=2000,  # the figures are flat from 1200 on
        batch=24,  # pairs of frames
        clip_frames=2,  # a move: what the dynamics learn from
        clip_order="l2",  # few, small parameters: the plain norm
        decay_share=0.4,  # the prototype's, which was not varied
        device="cpu",
    )
