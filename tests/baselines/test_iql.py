"""Implicit Q-learning: TorchRL's losses against numbers worked out by hand."""

import copy
import subprocess
import sys

import pytest
import torch
from tests.baselines.one_block import ARENA
from torch.nn import functional

from ncs.baselines.hindsight import Moves
from ncs.baselines.iql import Iql, IqlConfig, reward_of
from ncs.baselines.pixels import stack, to_unit

TINY = {**ARENA, "size": 31, "features": (4, 4), "latent": 5, "hidden": (8,)}


@pytest.fixture
def rival():
    torch.manual_seed(0)
    made = Iql(IqlConfig(**TINY)).eval()  # out of training nothing is shifted
    for parameter in made.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)  # slow and present copies differ
    return made


@pytest.fixture
def clips():
    generator = torch.Generator().manual_seed(1)
    frame = torch.randint(256, (16, 2, 31, 31, 3), dtype=torch.uint8, generator=generator)
    return frame, torch.rand(16, 1, 6, generator=generator) * 0.4


def head(parameters, name, x, member=None):
    """A head of TorchRL's, run by hand on its raw weights."""
    layers = [f"{name}.{layer}.{part}" for layer in (0, 2) for part in ("weight", "bias")]
    w0, b0, w1, b1 = (parameters[k] if member is None else parameters[k][member] for k in layers)
    return functional.linear(functional.relu(functional.linear(x, w0, b0)), w1, b1)[:, 0]


def by_hand(rival, frame, action):
    """The three losses, written out from the paper's equations."""
    weights = rival.losses.state_dict()
    pair, next_pair = stack(frame[:, 0], frame[:, 1]), stack(frame[:, 1], frame[:, 1])
    unit = to_unit(action[:, 0], rival.config)

    def critics(encoder, prefix):
        seen = torch.cat([encoder(pair), unit], dim=-1)
        name = f"{prefix}.module.head"
        return torch.stack([head(weights, name, seen, member) for member in range(2)])

    slow = critics(rival.slow_critic_encoder, "target_qvalue_network_params").amin(dim=0)
    present = critics(rival.critic_encoder, "qvalue_network_params")
    value = head(weights, "value_network_params.module", rival.value_encoder(pair))
    after = head(weights, "value_network_params.module", rival.value_encoder(next_pair))
    gap = slow - value
    expectile = torch.where(gap > 0, 0.7, 0.3) * gap**2
    critic = (1.0 + 0.99 * after - present) ** 2  # the first and only move earns one
    distance = ((rival.actor(pair) - unit) ** 2).sum(dim=-1)
    likelihood = -0.5 * distance - 2 * torch.log(torch.tensor(2 * torch.pi))
    actor = -(3.0 * gap).exp().clamp(max=100) * likelihood
    return {"value": expectile.mean(), "critic": critic.sum(dim=0).mean(), "actor": actor.mean()}


def test_the_losses_are_those_of_the_paper(rival, clips):
    parts = rival.loss(*clips, 0, torch.Generator().manual_seed(0)).parts
    for name, value in by_hand(rival, *clips).items():
        torch.testing.assert_close(parts[name], value.detach(), rtol=1e-5, atol=1e-6)


def test_no_network_learns_from_anothers_loss(rival, clips):
    def gradient(names):
        rival.zero_grad()
        loss = rival.loss(*clips, 0, torch.Generator().manual_seed(0))
        loss.total.backward()
        return {n: p.grad.clone() for n, p in rival.named_parameters() if n.startswith(names)}

    alone = {
        "actor": by_hand(rival, *clips)["actor"],
        "value": by_hand(rival, *clips)["value"],
        "critic": by_hand(rival, *clips)["critic"],
    }
    for name, prefix in (("actor", "actor."), ("value", "value_enc"), ("critic", "critic_enc")):
        joint = gradient(prefix)
        rival.zero_grad()
        alone[name].backward(retain_graph=True)
        for key, parameter in rival.named_parameters():
            if key in joint:
                torch.testing.assert_close(joint[key], parameter.grad, rtol=1e-4, atol=1e-6)


def test_slow_copies_follow_by_their_share(rival):
    before = copy.deepcopy(rival.state_dict())
    rival.settle()
    after = rival.state_dict()
    pairs = {"slow_critic_encoder": "critic_encoder"}
    pairs |= {"losses.target_qvalue_network_params": "losses.qvalue_network_params"}
    compared = 0
    for slow, present in pairs.items():
        for key in [k for k in before if k.startswith(f"{slow}.")]:
            twin = before[key.replace(slow, present)]
            torch.testing.assert_close(after[key], 0.995 * before[key] + 0.005 * twin)
            compared += 1
    assert compared == 8 + 4


def test_a_step_earns_what_has_been_moved_so_far():
    picture = torch.zeros(3, 4, 4, 3, dtype=torch.uint8)
    moves = Moves(torch.tensor([0, 2, 3]), picture, picture, torch.zeros(3, 6))
    assert reward_of(moves, picture, IqlConfig(**ARENA)).tolist() == [1, 3, 4]


def test_a_match_costs_an_object_for_each_one_out_of_place():
    goal = torch.zeros(2, 32, 32, 3, dtype=torch.uint8)
    after = goal.clone()
    goal[1, 2:15, 2:15] = 90  # a block of 13 x 13 pixels where it should be
    after[1, 2:15, 18:31] = 90  # and where it is
    moves = Moves(torch.tensor([0, 0]), goal, after, torch.zeros(2, 6))
    assert reward_of(moves, goal, IqlConfig(**ARENA, reward="match")).tolist() == [0, -1]


def test_only_the_rate_of_the_actor_falls(rival):
    shares = {group.name: group.decay_share for group in rival.parameter_groups()}
    assert shares == {"actor": 1.0, "critics": 0.0}


def test_torchrl_does_not_decide_how_other_processes_start() -> None:
    code = (
        "import multiprocessing as m; import ncs.baselines.iql; "
        "print(m.get_start_method(allow_none=True))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"
