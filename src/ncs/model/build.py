"""A fresh model from its name and its settings."""

from ncs.model.contract import Trainable
from ncs.records import ConfigError
from ncs.registry import find_model
from ncs.settings import Settings


def build_model(name: str, network: Settings) -> Trainable:
    """A fresh model; its first weights come from torch's current random state."""
    classes = find_model(name)
    if not isinstance(network, classes.config):
        raise ConfigError(
            f"network: {name} takes {classes.config.__name__}, got {type(network).__name__}"
        )
    model: Trainable = classes.model(network)
    return model
