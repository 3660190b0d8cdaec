"""MPC: the cross-entropy method over the world model's rollouts, after every step anew.

It shares its weights with NCS. The cost of a plan is the squared distance of the slots it ends in
from the goal's slots, matched by type. Since a prediction copies types to the bit, the matching is
the same after any plan: it is made once a decision, not once a candidate.

Legend: B lanes, P population, T moves of a plan, K goal slots, J present slots, M matched pairs,
D type channels, S state channels, U an action's acting numbers in [-1, 1], 6 in metres.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from ncs.baselines.cem import CemConfig, minimise
from ncs.baselines.pixels import PixelConfig, corners, to_metres
from ncs.model.contract import Slots, WorldModel
from ncs.storage import digest_json


class MpcConfig(CemConfig):
    """How far ahead is planned, and over what."""

    horizon: int = Field(4, ge=1, le=64)  # moves at most: those of a training clip
    # A goal whose slot is nearer than this share of the usual distance between two slots counts as
    # met; the plan is as long as there are goals left. The paper does not say how long its were.
    met: float = Field(0.25, gt=0)
    presence: bool = True  # leave out slots that stand for nothing; the paper knows no such slots


@dataclass(frozen=True)
class Pairs:
    """Present slots and the goal slots that are theirs."""

    now: Tensor  # (M,) slot of the present picture
    goal: Tensor  # (M, S) state it should have


def match(now: Slots, goal: Slots, presence: bool) -> Pairs:
    """The cheapest one-to-one matching by Euclidean distance of types, as in the paper's align."""
    everyone = torch.ones_like(now.presence), torch.ones_like(goal.presence)
    now_J, goal_K = (now.presence, goal.presence) if presence else everyone
    here_J, there_K = now_J.nonzero()[:, 0], goal_K.nonzero()[:, 0]
    cost_KJ = torch.cdist(goal.kind[there_K].double(), now.kind[here_J].double())
    row, column = linear_sum_assignment(cost_KJ.numpy())
    return Pairs(here_J[torch.from_numpy(column)], goal.state[there_K[torch.from_numpy(row)]])


def moves_left(now: Slots, pairs: Pairs, config: MpcConfig) -> int:
    """How many matched goals are unmet, at least one and at most the horizon."""
    if len(pairs.goal) < 2:
        return 1
    usual = torch.pdist(pairs.goal).median()
    gap_M = (now.state[pairs.now] - pairs.goal).norm(dim=-1)
    return max(1, min(config.horizon, int((gap_M > config.met * usual).sum())))


class MpcPolicy:
    """Model-predictive control as a policy."""

    def __init__(
        self,
        model: WorldModel,
        n_slots: int,
        low_3: NDArray[Any],
        high_3: NDArray[Any],
        config: MpcConfig,
    ) -> None:
        """Joins a world model and a search.

        Args:
            model: Trained, the one that NCS looks through.
            n_slots: Of every picture.
            low_3: Low corner of the arena, metres.
            high_3: High corner.
            config: How to search.
        """
        self._model, self._n_slots, self._config = model.eval(), n_slots, config
        low, high, height = corners(low_3, high_3)
        self._arena = PixelConfig(low=low, high=high, height=height)

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Forgets the past and starts one episode per lane."""
        self._generators = [
            torch.Generator().manual_seed(int(digest_json(["mpc", *map(int, seed)])[:15], 16))
            for seed in seed_B
        ]
        self._plans: dict[int, Tensor] = {}  # (T, U) what was planned last
        self._goals: dict[int, Slots] = {}

    @torch.no_grad()
    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """The first action (B, 6) of the best plan for each of the given lanes."""
        actions = []
        for image_HWC, goal_HWC, lane in zip(image_BHWC, goal_BHWC, lane_B, strict=True):
            if lane not in self._goals:
                self._goals[lane] = self._look(goal_HWC, lane)
            actions.append(self._decide(self._look(image_HWC, lane), lane))
        return np.stack(actions)

    def _look(self, image_HWC: NDArray[np.uint8], lane: int) -> Slots:
        # One picture at a time, so that a lane's luck does not depend on who else is playing.
        frame = torch.from_numpy(np.array(image_HWC))[None]
        slots = self._model.encode(frame, self._n_slots, self._generators[lane])
        return slots.map(lambda value: value[0])

    def _decide(self, now: Slots, lane: int) -> NDArray[np.float32]:
        """Plans from where the last plan left off, and keeps the rest of the new one."""
        config, acting = self._config, self._arena.acting
        pairs = match(now, self._goals[lane], config.presence)
        length = moves_left(now, pairs, config)
        last_TU = self._plans.get(lane, torch.zeros(0, acting))[:length]
        start_TU = torch.cat([last_TU, torch.zeros(length - len(last_TU), acting)])
        high_D = torch.ones(length * acting)
        plan_D = minimise(
            lambda plan_PD: self.cost(now, pairs, plan_PD.view(-1, length, acting)),
            start_TU.flatten(),
            -high_D,
            high_D,
            config,
            self._generators[lane],
        )
        plan_TU = plan_D.view(length, acting)
        self._plans[lane] = plan_TU[1:]
        return to_metres(plan_TU[0], self._arena).numpy().astype(np.float32)

    def cost(self, now: Slots, pairs: Pairs, plan_PTU: Tensor) -> Tensor:
        """The squared distance (P,) of goal states from those that each plan leads to."""
        slots = now.map(lambda value: value.expand(len(plan_PTU), *value.shape))
        for action_P6 in to_metres(plan_PTU, self._arena).unbind(dim=1):
            slots = self._model.predict(slots, action_P6)
        return (slots.state[:, pairs.now] - pairs.goal).square().sum(dim=(1, 2))
