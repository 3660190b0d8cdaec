"""Settings that only the buffer knows: filled in before a run begins.

Legend: X actions of all clips, A action numbers.
"""

from collections.abc import Sequence
from typing import Any, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ncs.data.buffer import Buffer
from ncs.records import ConfigError
from ncs.settings import Settings
from ncs.training.schedule import TrainConfig, training_clips

LOOKED_AT = 500  # clips: some two thousand actions reach as far as all of them


@runtime_checkable
class Fitting(Protocol):
    """Settings of a network that depend on the actions it will see."""

    def fit(self, action_XA: NDArray[np.floating[Any]]) -> Self:
        """These settings, with what was left open taken from actions."""
        ...


@runtime_checkable
class Several(Protocol):
    """Settings of a network that can learn from several buffers."""

    def of_several(self, count: int) -> Self:
        """These settings, with room for what each of them decides."""
        ...


@runtime_checkable
class Choosy(Protocol):
    """Settings of a network that may not go with weights of another."""

    def check_start(self) -> None:
        """Refuses to begin with given weights where they would not outlast the beginning."""
        ...


def check_start(config: TrainConfig) -> None:
    """Refuses settings that would overwrite the weights a run is to begin with."""
    if isinstance(config.network, Choosy):
        config.network.check_start()


def fit_to_all(config: TrainConfig, buffers: Sequence[Buffer]) -> TrainConfig:
    """The settings of a run on one buffer or several, with nothing left open."""
    if len(buffers) > 1:
        if not isinstance(config.network, Several):
            raise ConfigError(f"buffer: {config.model} learns from one, got {len(buffers)}")
        network = cast(Settings, config.network.of_several(len(buffers)))
        config = config.model_copy(update={"network": network})
    return fit_settings(config, buffers[0])


def fit_settings(config: TrainConfig, buffer: Buffer) -> TrainConfig:
    """The settings of a run on a buffer, with nothing left open."""
    if not isinstance(config.network, Fitting):
        return config
    index_B = np.arange(min(LOOKED_AT, training_clips(config, len(buffer))))
    action_BTA = buffer.clips(index_B).action
    network = config.network.fit(action_BTA.reshape(-1, action_BTA.shape[-1]))
    return config.model_copy(update={"network": cast(Settings, network)})
