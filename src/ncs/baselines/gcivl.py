"""GCIVL, a rival the paper does not have: goal-conditioned implicit value learning.

It is of OGBench's family of offline goal-reaching methods: V(s, g), minus the discounted number of
moves from a picture to a goal, is learned by expectile regression on hindsight goals, and a policy
imitates moves by how much nearer they bring the goal. Networks are those of BC and IQL, so that
only the method differs; its numbers are OGBench's.

Legend: B clips, T frames, H height, W width, C channels, E heads, A action numbers, U an action
in [-1, 1].
"""

import copy
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor, nn

from ncs.baselines.cloning import actor_group, error_parts
from ncs.baselines.hindsight import Moves, draw_moves, future_frames
from ncs.baselines.pixels import Actor, Encoder, PixelConfig, perceptron, to_unit
from ncs.baselines.rival import Rival
from ncs.model.contract import Loss, ParameterGroup
from ncs.registry import ModelClasses

MOST = 100.0  # a move counts at most so many times


class GcivlConfig(PixelConfig):
    """Settings of GCIVL; the defaults are OGBench's."""

    expectile: float = Field(0.9, gt=0, lt=1)
    temperature: float = Field(10.0, ge=0)  # by which advantages are multiplied, OGBench's alpha
    discount: float = Field(0.99, ge=0, lt=1)
    follow: float = Field(0.005, gt=0, le=1)  # share by which slow copies approach each step
    # Goals the value is trained on: the present picture, a later one of the clip, or else one of
    # another clip. The policy's goals are always later ones.
    present_goals: float = Field(0.2, ge=0, le=1)
    later_goals: float = Field(0.5, ge=0, le=1)


class Distance(nn.Module):
    """Two opinions on V(s, g) from one look."""

    def __init__(self, config: PixelConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.heads = nn.ModuleList(perceptron(config.latent, config.hidden, 1) for _ in range(2))

    def forward(self, pair_BHWC: Tensor) -> Tensor:
        """Values (E, B)."""
        latent_BL = self.encoder(pair_BHWC)
        return torch.stack([head(latent_BL)[:, 0] for head in self.heads])


@dataclass(frozen=True)
class _Goals:
    """Goals for the value."""

    picture: Tensor  # (B, H, W, C) uint8
    reached: Tensor  # (B,) bool: the goal is the present picture


class Gcivl(Rival):
    """Goal-conditioned implicit value learning from pixels."""

    config: GcivlConfig

    def __init__(self, config: GcivlConfig) -> None:
        super().__init__()
        self.config = config
        self.actor = Actor(config)
        self.value = Distance(config)
        self.slow_value = copy.deepcopy(self.value).requires_grad_(False)

    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """The losses of value and actor; no parameter has a part in both."""
        generator = generator or torch.Generator().manual_seed(step)
        moves = draw_moves(frame_BTHWC, action_BTA, generator)
        value_loss = self._value_loss(moves, self._goals(frame_BTHWC, moves, generator), generator)
        later_B = future_frames(moves.first, frame_BTHWC.shape[1], generator)
        goal_BHWC = frame_BTHWC[torch.arange(len(later_B)), later_B]
        pair = self.pair(moves.frame, goal_BHWC, generator)
        with torch.no_grad():
            next_pair = self.pair(moves.after, goal_BHWC, generator)
            gain_B = self.value(next_pair).mean(dim=0) - self.value(pair).mean(dim=0)
            weight_B = (self.config.temperature * gain_B).exp().clamp(max=MOST)
        error_BU = self.actor(pair) - to_unit(moves.action, self.config)
        actor_loss = (weight_B * 0.5 * error_BU.square().sum(dim=-1)).mean()
        parts = {
            "actor": actor_loss.detach(),
            "value": value_loss.detach(),
            "gain": gain_B.mean(),
            **error_parts(error_BU),
        }
        return Loss(actor_loss + value_loss, parts)

    def _goals(self, frame_BTHWC: Tensor, moves: Moves, generator: torch.Generator) -> _Goals:
        n_clips, n_frames = frame_BTHWC.shape[:2]
        device = frame_BTHWC.device
        kind_B = torch.rand(n_clips, generator=generator, device=device)
        present_B = kind_B < self.config.present_goals
        other_B = kind_B >= self.config.present_goals + self.config.later_goals
        later_B = future_frames(moves.first, n_frames, generator)
        index_B = torch.where(present_B, moves.first, later_B)
        own_B = torch.arange(n_clips, device=device)
        clip_B = torch.where(other_B, own_B.roll(1), own_B)
        return _Goals(frame_BTHWC[clip_B, index_B], present_B)

    def _value_loss(self, moves: Moves, goals: _Goals, generator: torch.Generator) -> Tensor:
        config = self.config
        pair = self.pair(moves.frame, goals.picture, generator)
        with torch.no_grad():
            next_EB = self.slow_value(self.pair(moves.after, goals.picture, generator))
            cost_B = (~goals.reached).float()  # each move costs one, until the goal is reached
            target_EB = -cost_B + config.discount * cost_B * next_EB
            now_B = self.slow_value(pair).mean(dim=0)
            weight_B = torch.where(
                target_EB.amin(dim=0) > now_B, config.expectile, 1 - config.expectile
            )
        error_EB: Tensor = target_EB - self.value(pair)
        return (weight_B * error_EB.square()).mean(dim=1).sum()

    def settle(self) -> None:
        """Brings the slow copy of the value nearer to the present one."""
        for slow, present in zip(
            self.slow_value.parameters(), self.value.parameters(), strict=True
        ):
            slow.data.lerp_(present.detach(), self.config.follow)

    def parameter_groups(self) -> list[ParameterGroup]:
        """Actor and value; only the actor's rate falls, as in IQL."""
        value = ParameterGroup(
            "value", list(self.value.parameters()), self.config.rate, 0, decay_share=0.0
        )
        return [actor_group(self.actor, self.config), value]


MODEL = ModelClasses(GcivlConfig, Gcivl)
