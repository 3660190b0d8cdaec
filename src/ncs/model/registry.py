"""World models by name, imported only when asked for."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from ncs.model.contract import Trainable
from ncs.records import ConfigError
from ncs.settings import Settings


@dataclass(frozen=True)
class ModelClasses:
    """Something that can be trained, and its settings."""

    config: type[Settings]
    model: type[Trainable]


def _late(module: str, config: str, model: str) -> Callable[[], ModelClasses]:
    def load() -> ModelClasses:
        loaded = importlib.import_module(module)
        return ModelClasses(getattr(loaded, config), getattr(loaded, model))

    return load


_LOADERS: dict[str, Callable[[], ModelClasses]] = {
    "dslate": _late("ncs.model.dslate.world", "DslateConfig", "Dslate"),
    "placed": _late("ncs.model.placed.world", "PlacedConfig", "Placed"),
}


def register_model(name: str, config: type[Settings], model: type[Trainable]) -> None:
    """Makes a world model of one's own known to training, checkpoints and reports.

    Do so where the classes are defined, so that every process that imports them knows the name.
    """
    _LOADERS[name] = lambda: ModelClasses(config, model)


def find_model(name: str) -> ModelClasses:
    """The classes behind a name; an unknown one is refused."""
    if name not in _LOADERS:
        raise ConfigError(f"model: there is no {name!r}, choose one of {', '.join(_LOADERS)}")
    return _LOADERS[name]()


def build_model(name: str, network: Settings) -> Trainable:
    """A fresh model; its first weights come from torch's current random state."""
    classes = find_model(name)
    if not isinstance(network, classes.config):
        raise ConfigError(
            f"network: {name} takes {classes.config.__name__}, got {type(network).__name__}"
        )
    return classes.model(network)
