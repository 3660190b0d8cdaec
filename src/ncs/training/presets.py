"""Whole training runs by name, and changes to them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from ncs.records import ConfigError
from ncs.training.schedule import TrainConfig

Preset = Literal["paper", "cpu", "fast"]


def preset(name: str) -> TrainConfig:
    """The settings behind a name; none of them knows a world."""
    if name == "paper":
        return _paper()
    if name == "cpu":
        return _cpu()
    if name == "fast":
        return _fast()
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


def _fast() -> TrainConfig:
    from ncs.model.touched.config import TouchedConfig

    return TrainConfig(
        model="touched",
        network=TouchedConfig(),
        steps=1500,
        batch=16,  # clips, of which two frames each are looked at
        shards=1,  # things are told from all others of the batch
        clip_order="l2",  # few, small parameters: the plain norm
        decay_share=0.5,
        collapse_share=0,  # moves say what things are: slots cannot agree on something else
        device="cpu",
    )


def altered(
    chosen: TrainConfig, asked: Mapping[str, Any], settings: Sequence[str] = ()
) -> TrainConfig:
    """A preset with values asked for, and settings as NAME=VALUE, in place of its own.

    A value that is None is not asked for.
    """
    values = chosen.model_dump(mode="json")
    values |= {name: value for name, value in asked.items() if value is not None}
    for text in settings:
        name, found, value = text.partition("=")
        if not found:
            raise ConfigError(f"settings: must be NAME=VALUE, got {text!r}")
        _change(values, name, value)
    return TrainConfig(**values)


def _change(values: dict[str, Any], name: str, text: str) -> None:
    """Changes one setting, by its dotted name, to a value in JSON or a bare word."""
    *way, last = name.split(".")
    for part in way:
        values = values.get(part)  # type: ignore[assignment]
        if not isinstance(values, dict):
            raise ConfigError(f"{name}: there is no such setting")
    try:
        values[last] = json.loads(text)
    except ValueError:
        values[last] = text
