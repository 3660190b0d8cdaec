"""Model-predictive control over a world model that is known to be right."""

import itertools

import numpy as np
import pytest
import torch

from ncs.baselines.mpc import MpcConfig, MpcPolicy, match, moves_left
from ncs.model.contract import Slots, WorldModel
from ncs.records import Policy

LOW, HIGH = np.array([-0.4, -0.4, 0.08]), np.array([0.4, 0.4, 0.08])


class Exact(WorldModel):
    """Sees the points that a picture's first row spells out, and moves the one that is picked."""

    trained_slots = 3

    def encode(self, frame_BHWC, n_slots, generator=None):
        data = frame_BHWC[:, 0, :n_slots].float()
        order = torch.stack([torch.randperm(n_slots, generator=generator) for _ in data])
        data = data.gather(1, order[..., None].expand(-1, -1, 3))
        state = (data[..., :2] - 100) / 100
        present = data[..., 2] > 0
        return Slots(data[..., 2:], state, state, present, present.float())

    def predict(self, slots, action_BA):
        gap_BK = (slots.state - action_BA[:, None, :2]).norm(dim=-1)
        picked_BK = (gap_BK < 0.1) & slots.presence
        state = slots.state + picked_BK[..., None] * action_BA[:, None, 3:5]
        return Slots(slots.kind, state, slots.mask, slots.presence, slots.confidence)

    def follow(self, *_):
        raise NotImplementedError

    decode = loss = parameter_groups = follow


def picture(*points):
    """A picture of points (x, y) in centimetres, whose colour is their order."""
    image = np.zeros((8, 8, 3), np.uint8)
    image[0, :, :2] = 100
    for slot, (x, y) in enumerate(points):
        image[0, slot] = (100 + x, 100 + y, 10 + 40 * slot)
    return image


def policy(**changes):
    return MpcPolicy(Exact(), 3, LOW, HIGH, MpcConfig(**changes))


def slots_of(*points, n_slots=3, seed=0):
    frame = torch.from_numpy(picture(*points))[None]
    seen = Exact().encode(frame, n_slots, torch.Generator().manual_seed(seed))
    return seen.map(lambda value: value[0])


@pytest.mark.parametrize("seed", range(4))
def test_slots_are_matched_by_type_in_whatever_order_they_come(seed):
    now, goal = slots_of((0, 0), (20, 0), (0, 20)), slots_of((1, 0), (21, 0), (1, 20), seed=seed)
    pairs = match(now, goal, presence=True)
    torch.testing.assert_close(
        pairs.goal - now.state[pairs.now], torch.tensor([[0.01, 0.0]]).expand(3, 2)
    )


def test_no_other_matching_is_cheaper():
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        now, goal = (
            Slots(kind, torch.arange(4.0)[:, None], kind, torch.ones(4) > 0, torch.ones(4))
            for kind in torch.randn(2, 4, 3, generator=generator)
        )
        cost_KJ = torch.cdist(goal.kind.double(), now.kind.double())
        pairs = match(now, goal, presence=True)
        found = cost_KJ[pairs.goal[:, 0].long(), pairs.now].sum()
        orders = itertools.permutations(range(4))
        assert found == min(cost_KJ[range(4), list(order)].sum() for order in orders)


def test_absent_slots_are_matched_only_if_asked():
    now, goal = slots_of((0, 0), (20, 0), (0, 20)), slots_of((10, 0))
    assert len(match(now, goal, presence=True).now) == 1
    assert len(match(now, goal, presence=False).now) == 3


def test_a_plan_is_as_long_as_goals_are_left():
    now, goal = slots_of((0, 0), (20, 0), (0, 20)), slots_of((0, 1), (20, 20), (-20, 0))
    pairs = match(now, goal, presence=True)
    assert moves_left(now, pairs, MpcConfig()) == 2
    assert moves_left(now, pairs, MpcConfig(horizon=1)) == 1
    assert moves_left(goal, match(goal, goal, presence=True), MpcConfig()) == 1


def test_the_cost_of_a_plan_is_the_squared_distance_it_leaves():
    now, goal = slots_of((0, 0), (30, 0)), slots_of((0, 20), (30, 0))
    rival, pairs = policy(), match(now, goal, presence=True)
    plans = torch.zeros(3, 2, 4)
    plans[:, 0, 3] = torch.tensor([0.0, 0.25, 0.125])  # the pick is the middle, in metres: .2, .1
    cost = rival.cost(now, pairs, plans)
    torch.testing.assert_close(cost, torch.tensor([0.04, 0.0, 0.01]), atol=1e-6, rtol=0)


def test_it_solves_what_its_model_knows():
    rival: Policy = policy()
    now, goal = [(-30, -20), (20, 10)], [(25, -30), (-20, 30)]
    rival.begin([(0,)])
    state = np.array(now, float)
    for _ in range(8):
        image = picture(*np.round(state).astype(int))
        (action,) = rival.act(image[None], picture(*goal)[None], [0])
        gap = np.linalg.norm(state - 100 * action[:2], axis=1)
        state[gap < 10] += 100 * action[3:5]
    assert np.abs(state - goal).max() < 8


def test_an_episode_does_not_depend_on_who_plays_beside_it():
    image = np.stack([picture((-30, -20), (20, 10)), picture((0, 0), (10, 30))])
    goal = np.stack([picture((25, -30), (-20, 30)), picture((30, 0), (10, -30))])
    rival = policy(iterations=2, population=20)
    rival.begin([(0, 1), (0, 2)])
    together = [rival.act(image, goal, [0, 1])[1], rival.act(image[1:], goal[1:], [1])[0]]
    rival.begin([(0, 2)])
    alone = [rival.act(image[1:], goal[1:], [0])[0] for _ in range(2)]
    np.testing.assert_array_equal(together, alone)
