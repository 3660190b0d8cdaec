"""The contract every world model keeps: encode, follow, predict, decode, loss.

Legend: B batch, T frames, H height, W width, K slots, D type channels, S state channels,
P mask cells, A action numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from typing import Protocol, Self, runtime_checkable

import torch
from torch import Tensor, nn

from ncs.model.randomness import Randomness
from ncs.records import NcsError
from ncs.settings import Settings

PAPER_SPARE = 1  # slots beyond the number of objects, the paper's convention


@dataclass(frozen=True)
class Slots:
    """A batch of scenes slot by slot; any number of batch axes may stand in front of K."""

    kind: Tensor  # (..., K, D) the type, z; a prediction copies it to the bit
    state: Tensor  # (..., K, S) the state, s
    mask: Tensor  # (..., K, P) attention over the cells of the image, sums to 1 over slots
    presence: Tensor  # (..., K) bool: False for a slot that stands for nothing
    confidence: Tensor  # (..., K) in [0, 1]

    def map(self, function: Callable[[Tensor], Tensor]) -> Self:
        """The same record with a function applied to each tensor."""
        return type(self)(**{f.name: function(getattr(self, f.name)) for f in fields(self)})


@dataclass(frozen=True)
class Explanation:
    """Why something of pictures was or was not taken for a thing; B pictures, J peaks at most."""

    chance: Tensor  # (B, H, W) of a pixel being part of a thing
    votes: Tensor  # (B, H, W) how many pixels say that a thing's middle is here
    peak: Tensor  # (B, J, 2) pixels (x, y) of local maxima, the highest first
    height: Tensor  # (B, J) votes at each peak; 0 where there is none
    least: float  # votes from which on a peak is a thing


@runtime_checkable
class Explaining(Protocol):
    """A world model that can say why."""

    def explain(self, frame_BHWC: Tensor) -> Explanation:
        """What speaks for a thing in pictures (uint8), and how much of it is enough."""
        ...


@dataclass(frozen=True)
class Loss:
    """What training minimises, and its parts for the log."""

    total: Tensor  # scalar, differentiable
    parts: dict[str, Tensor]  # scalars, detached


@dataclass(frozen=True)
class ParameterGroup:
    """Parameters that share a peak learning rate and a warm-up."""

    name: str
    parameters: list[nn.Parameter]
    peak_rate: float
    warmup_steps: int
    decay_share: float | None = None  # last share of the steps, in place of the run's own


class Trainable(nn.Module, ABC):
    """What the training room trains: anything that has a loss on clips."""

    config: Settings

    @abstractmethod
    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """The training loss of a batch of clips (frames uint8) at a given step."""

    @abstractmethod
    def parameter_groups(self) -> list[ParameterGroup]:
        """Every trainable parameter, once, with its learning rate."""

    def parts(self) -> Iterator[tuple[str, nn.Module]]:
        """The top-level parts by name, for counting parameters."""
        yield from self.named_children()

    def settle(self) -> None:
        """Called after every step taken: for what follows the weights, such as a target network."""


class WorldModel(Trainable):
    """Level 1 of the paper: pixels in, entities out, and what an action does to them."""

    additions: tuple[str, ...] = ()  # names of what its inference adds to the paper's

    def seeing(self, additions: Collection[str]) -> Self:
        """The same weights, with only those additions to the paper's way of inferring slots."""
        return self

    @property
    @abstractmethod
    def trained_slots(self) -> int:
        """How many slots it is trained with: the most, where their number varies."""

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """Height and width of the pictures it can look at; None where any will do."""
        return None

    def slots_for(
        self, n_objects: int | None, trained_objects: int | None, like_paper: bool = False
    ) -> int:
        """Slots for a scene: as many to spare as in training, or as the paper has.

        Where nobody counted the objects, there are as many as in training.
        """
        if n_objects is None or (trained_objects is None and not like_paper):
            return self.trained_slots
        spare = PAPER_SPARE if like_paper else self.trained_slots - (trained_objects or 0)
        return max(1, n_objects + spare)

    @abstractmethod
    def encode(
        self, frame_BHWC: Tensor, n_slots: int, generator: Randomness | None = None
    ) -> Slots:
        """The entities of single images (uint8), at the quality used for graph and control.

        With a generator for each image, none depends on which others it is shown with.
        """

    @abstractmethod
    def follow(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        n_slots: int,
        generator: torch.Generator | None = None,
    ) -> Slots:
        """The entities of clips (B, T, K, ...), slot k the same entity in every frame."""

    @abstractmethod
    def predict(self, slots: Slots, action_BA: Tensor) -> Slots:
        """The entities one action later; only states change."""

    paints = True  # whether ``decode`` is there

    def decode(self, slots: Slots) -> Tensor:
        """The picture (B, 3, H, W) in [0, 1] that the slots stand for, of a model that paints."""
        raise NcsError(f"{type(self).__name__.lower()}: sees and foresees, but paints no slots")

    def picture_after(self, frame_BHWC: Tensor, before: Slots, after: Slots) -> Tensor:
        """Frames (uint8) once their slots have become others, as the model imagines them."""
        image_BCHW = self.decode(after)
        return (image_BCHW.clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
