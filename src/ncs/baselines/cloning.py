"""BC: a policy that imitates the buffer's actions, told what the clip ended in.

Legend: B clips, T frames, H height, W width, C channels, A action numbers, U an action in [-1, 1].
"""

import torch
from torch import Tensor

from ncs.baselines.hindsight import draw_moves
from ncs.baselines.pixels import Actor, PixelConfig, to_unit
from ncs.baselines.rival import Rival
from ncs.model.contract import Loss, ParameterGroup
from ncs.registry import ModelClasses


class CloningConfig(PixelConfig):
    """Settings of BC; the defaults are jaxrl2's."""

    squash: bool = True


class Cloning(Rival):
    """Behaviour cloning from pixels."""

    config: CloningConfig

    def __init__(self, config: CloningConfig) -> None:
        super().__init__()
        self.config = config
        self.actor = Actor(config)

    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """Negative log-likelihood of a move of each clip, the goal being the clip's last frame."""
        generator = generator or torch.Generator().manual_seed(step)
        moves = draw_moves(frame_BTHWC, action_BTA, generator)
        mean_BU = self.actor(self.pair(moves.frame, frame_BTHWC[:, -1], generator))
        error_BU = mean_BU - to_unit(moves.action, self.config)
        # A Gaussian of unit spread: up to a constant, half the squared error.
        return Loss(0.5 * error_BU.square().sum(dim=-1).mean(), error_parts(error_BU))

    def parameter_groups(self) -> list[ParameterGroup]:
        """The actor, with a rate that falls to zero over the run."""
        return [actor_group(self.actor, self.config)]


def actor_group(actor: Actor, config: PixelConfig) -> ParameterGroup:
    """An actor's parameters; jaxrl2 lets their rate fall by a cosine, and no others'."""
    return ParameterGroup("actor", list(actor.parameters()), config.rate, 0, decay_share=1.0)


def error_parts(error_BU: Tensor) -> dict[str, Tensor]:
    """Mean absolute errors of pick and displacement, as shares of half their range."""
    pick_D, move_D = error_BU.detach().abs().mean(dim=0).chunk(2)
    return {"pick_error": pick_D.mean(), "move_error": move_D.mean()}


MODEL = ModelClasses(CloningConfig, Cloning)
