"""What a model looks at before it learns, and by whose measures it goes while it does."""

import contextlib
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from ncs.model.contract import Trainable
from ncs.records import Clips
from ncs.training.sources import Sources, Turning

PREPARE_CLIPS = 1000  # enough for a per-pixel median


@runtime_checkable
class Preparable(Protocol):
    """A model that looks at the data before it is trained."""

    def prepare(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> None:
        """Looks at frames (uint8) and actions of training clips."""
        ...


@runtime_checkable
class Measuring(Protocol):
    """A model that can say what it measured in the data."""

    def measured(self) -> dict[str, float]:
        """Numbers by what they are."""
        ...


def prepare(model: Trainable, clips: Clips) -> list[str]:
    """Shows training clips to a model that wants to see some before its first step.

    What it keeps of them are buffers, so that they are part of its checkpoint; lines that say
    what it measured come back.
    """
    if isinstance(model, Preparable):
        device = next(model.parameters()).device
        action = torch.from_numpy(clips.action).to(device)
        model.prepare(torch.from_numpy(clips.frame).to(device), action)
    if isinstance(model, Measuring):
        return [f"measured {value:.4g} {name}" for name, value in model.measured().items()]
    return []


def prepare_all(model: Trainable, sources: Sources) -> list[str]:
    """Shows a model clips of every buffer; what the first decides is in force afterwards."""
    lines = []
    for source in range(len(sources)):
        lines += prepare(model, sources.some_training_clips(source, PREPARE_CLIPS))
        if len(sources) > 1 and isinstance(model, Turning):
            model.keep(source)
    if len(sources) > 1 and isinstance(model, Turning):
        model.turn_to(0)
    return lines


@contextlib.contextmanager
def turned(model: Trainable, sources: Sources, source: int) -> Iterator[None]:
    """A model that goes by what one buffer decides, and by the first one's after."""
    if len(sources) == 1 or not isinstance(model, Turning):
        yield
        return
    model.turn_to(source)
    try:
        yield
    finally:
        model.turn_to(0)
