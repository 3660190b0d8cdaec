"""IQL: implicit Q-learning from pixels. The losses are TorchRL's, the networks jaxrl2's.

Actor, value and critic each have an encoder of their own; the critic's two heads share one, and
a slow copy of it goes with the slow copies of the heads that TorchRL keeps. Each encoder looks
once at a batch, and TorchRL is handed what it saw.

Legend: B clips, T frames, H height, W width, C channels, L latent numbers, A action numbers,
U an action in [-1, 1].
"""

import copy
import multiprocessing
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from ncs.baselines.cloning import actor_group, error_parts
from ncs.baselines.hindsight import Moves, draw_moves
from ncs.baselines.pixels import Actor, Encoder, PixelConfig, perceptron, to_unit
from ncs.baselines.rival import Rival
from ncs.model.contract import Loss, ParameterGroup
from ncs.records import ConfigError
from ncs.registry import ModelClasses

_START_METHOD = multiprocessing.get_start_method(allow_none=True)
try:
    from tensordict import TensorDict
    from tensordict.nn import ProbabilisticTensorDictModule as Draw
    from tensordict.nn import ProbabilisticTensorDictSequential as Chain
    from tensordict.nn import TensorDictModule as Keyed
    from torchrl.modules import IndependentNormal
    from torchrl.objectives import IQLLoss, SoftUpdate
except ImportError:
    raise ConfigError("iql: needs TorchRL, run pip install 'ncs[rivals]'") from None
finally:  # TorchRL sets how all processes start; that is for the program to say
    multiprocessing.set_start_method(_START_METHOD, force=True)


class IqlConfig(PixelConfig):
    """Settings of IQL; the defaults are jaxrl2's for offline pixels."""

    expectile: float = Field(0.7, gt=0, lt=1)
    temperature: float = Field(3.0, ge=0)  # by which advantages are multiplied, the paper's beta
    discount: float = Field(0.99, ge=0, lt=1)
    follow: float = Field(0.005, gt=0, le=1)  # share by which slow copies approach each step
    # What a step earns. "moves": how many moves the clip is long by then, which is how many of the
    # constraints of its last frame hold, as every object moves once; the authors' own. "match":
    # minus the pixels that differ from the goal, in objects, for clips that may wander.
    reward: Literal["moves", "match"] = "moves"
    object_pixels: float = Field(169.0, gt=0)  # of one object: 13 x 13 of 64 x 64


class _Unit(nn.Module):
    """Hands a mean on, with unit spread."""

    def forward(self, mean_BU: Tensor, critic_BL: Tensor) -> tuple[Tensor, Tensor]:
        return mean_BU, torch.ones_like(mean_BU)


class _Critic(nn.Module):
    """The value of an action."""

    def __init__(self, config: PixelConfig) -> None:
        super().__init__()
        self.head = perceptron(config.latent + config.acting, config.hidden, 1)

    def forward(self, critic_BL: Tensor, action_BU: Tensor) -> Tensor:
        value_B1: Tensor = self.head(torch.cat([critic_BL, action_BU], dim=-1))
        return value_B1


def make_losses(config: IqlConfig) -> IQLLoss:
    """TorchRL's losses, and in them the heads of value and critic."""
    # TorchRL gives the critic only what the actor asks for as well, so the actor asks.
    mean = Keyed(_Unit(), ["mean", "critic"], ["loc", "scale"])
    draw = Draw(["loc", "scale"], ["action"], distribution_class=IndependentNormal)
    critics = [
        Keyed(_Critic(config), ["critic", "action"], ["state_action_value"]) for _ in range(2)
    ]
    value = Keyed(perceptron(config.latent, config.hidden, 1), ["value"], ["state_value"])
    losses = IQLLoss(
        Chain(mean, draw),
        critics,
        value,
        num_qvalue_nets=2,
        loss_function="l2",
        temperature=config.temperature,
        expectile=config.expectile,
    )
    losses.make_value_estimator(gamma=config.discount)
    return losses


class Iql(Rival):
    """Implicit Q-learning from pixels."""

    config: IqlConfig

    def __init__(self, config: IqlConfig) -> None:
        super().__init__()
        self.config = config
        self.actor = Actor(config)
        self.value_encoder = Encoder(config)
        self.critic_encoder = Encoder(config)
        self.slow_critic_encoder = copy.deepcopy(self.critic_encoder).requires_grad_(False)
        self.losses = make_losses(config)
        self._slow_heads = SoftUpdate(self.losses, tau=config.follow)

    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """The losses of actor, value and critic, the goal being the clip's last frame.

        No parameter has a part in two of them, so that their sum trains each on its own.
        """
        generator = generator or torch.Generator().manual_seed(step)
        goal_BHWC = frame_BTHWC[:, -1]
        moves = draw_moves(frame_BTHWC, action_BTA, generator)
        pair = self.pair(moves.frame, goal_BHWC, generator)
        next_pair = self.pair(moves.after, goal_BHWC, generator)
        action_BU, mean_BU = to_unit(moves.action, self.config), self.actor(pair)
        with torch.no_grad():
            slow_BL, next_BL = self.slow_critic_encoder(pair), self.value_encoder(next_pair)
        seen = {"mean": mean_BU, "value": self.value_encoder(pair), "action": action_BU}
        judged = _table({**seen, "critic": slow_BL})
        actor_loss, _ = self.losses.actor_loss(judged)
        value_loss, _ = self.losses.value_loss(judged)
        came = _outcome(next_BL, reward_of(moves, goal_BHWC, self.config))
        step_taken = _table({**seen, "critic": self.critic_encoder(pair), "next": came})
        critic_loss, _ = self.losses.qvalue_loss(step_taken)
        parts = {
            "actor": actor_loss.detach(),
            "value": value_loss.detach(),
            "critic": critic_loss.detach(),
            **error_parts(mean_BU - action_BU),
        }
        return Loss(actor_loss + value_loss + critic_loss, parts)

    def settle(self) -> None:
        """Brings the slow copies of critic encoder and heads nearer to the present ones."""
        self._slow_heads.step()
        pairs = zip(
            self.slow_critic_encoder.parameters(), self.critic_encoder.parameters(), strict=True
        )
        for slow, present in pairs:
            slow.data.lerp_(present.detach(), self.config.follow)

    def parameter_groups(self) -> list[ParameterGroup]:
        """Actor and critics; only the actor's rate falls."""
        judges = [self.value_encoder, self.critic_encoder, self.losses]
        rest = [parameter for judge in judges for parameter in judge.parameters()]
        critics = ParameterGroup("critics", rest, self.config.rate, 0, decay_share=0.0)
        return [actor_group(self.actor, self.config), critics]


def reward_of(moves: Moves, goal_BHWC: Tensor, config: IqlConfig) -> Tensor:
    """What each move earns (B,)."""
    if config.reward == "moves":
        return (moves.first + 1).float()
    differs_BHW = (moves.after.int() - goal_BHWC.int()).abs().amax(dim=-1) > 0
    # An object out of place is missing in one place and too much in another.
    return -differs_BHW.sum(dim=(1, 2)) / (2 * config.object_pixels)


def _table(columns: dict[str, Any]) -> TensorDict:
    return TensorDict(columns, [len(columns["mean"])])


def _outcome(next_BL: Tensor, reward_B: Tensor) -> TensorDict:
    """What came of each move; clips end, but nothing is ever over."""
    never_B1 = torch.zeros_like(reward_B, dtype=torch.bool)[:, None]
    columns = {"reward": reward_B[:, None], "done": never_B1, "terminated": never_B1}
    return TensorDict({"value": next_BL, **columns}, [len(reward_B)])


MODEL = ModelClasses(IqlConfig, Iql)
