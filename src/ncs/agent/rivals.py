"""The training of a rival in a world: its preset joined with where actions may reach there."""

from ncs.agent.trained import arena
from ncs.baselines.pixels import corners
from ncs.baselines.presets import RivalPreset, rival_config
from ncs.training.schedule import TrainConfig


def rival_training(method: str, world: str, preset: RivalPreset) -> TrainConfig:
    """The settings of a rival's training in a world."""
    reach = arena(world)
    return rival_config(method, *corners(reach.low, reach.high), preset)
