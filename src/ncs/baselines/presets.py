"""Whole training runs of rivals by name."""

from typing import Literal, get_args

from ncs.baselines.pixels import Corner
from ncs.records import ConfigError
from ncs.registry import find_model
from ncs.training.schedule import TrainConfig

RivalName = Literal["bc", "iql", "gcivl"]
RivalPreset = Literal["paper", "cpu"]
CPU_STEPS = {"bc": 2400, "iql": 1800, "gcivl": 1200}  # flat well before the end


def rival_config(
    method: str,
    low: Corner,
    high: Corner,
    height: float,
    preset: RivalPreset = "cpu",
) -> TrainConfig:
    """The settings of a rival's training in an arena with these corners, in metres."""
    if method not in CPU_STEPS:
        raise ConfigError(f"method: there is no {method!r}, choose from {get_args(RivalName)}")
    network = find_model(method).config(low=low, high=high, height=height)
    return TrainConfig(
        model=method,
        network=network,
        steps=500_000 if preset == "paper" else CPU_STEPS[method],  # jaxrl2's
        batch=256 if preset == "paper" else 64,  # one move a clip; jaxrl2's is 256
        shards=1,  # slow copies and batches as jaxrl2 has them
        clip_norm=1e9,  # jaxrl2 clips no gradient
        holdout_every=5000 if preset == "paper" else 100,
        holdout_clips=256,
        checkpoint_every=5000 if preset == "paper" else 200,
        picture_clips=0,  # there is nothing to draw
        collapse_share=0.0,
        device="auto" if preset == "paper" else "cpu",
    )
