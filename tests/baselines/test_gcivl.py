"""Goal-conditioned implicit value learning."""

import pytest
import torch
from tests.baselines.one_block import ARENA

from ncs.baselines.gcivl import Gcivl, GcivlConfig
from ncs.baselines.hindsight import draw_moves

TINY = {**ARENA, "size": 31, "features": (4, 4), "latent": 5, "hidden": (8,)}


def make(**changes):
    torch.manual_seed(0)
    made = Gcivl(GcivlConfig(**TINY, **changes)).eval()  # out of training nothing is shifted
    for parameter in made.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)  # slow and present copies differ
    return made


def test_goals_are_present_later_and_foreign_in_their_shares():
    rival = make()
    number = (torch.arange(2000)[:, None] * 5 + torch.arange(5))[:, :, None, None, None]
    frame = number.expand(-1, -1, 1, 1, 3)
    generator = torch.Generator().manual_seed(0)
    moves = draw_moves(frame, torch.zeros(2000, 4, 6), generator)
    goals = rival._goals(frame, moves, generator)
    clip, time = goals.picture[:, 0, 0, 0] // 5, goals.picture[:, 0, 0, 0] % 5
    own = clip == torch.arange(2000)
    assert torch.equal(goals.reached, own & (time == moves.first))
    shares = [float(kind.float().mean()) for kind in (goals.reached, own & ~goals.reached, ~own)]
    assert shares == pytest.approx([0.2, 0.5, 0.3], abs=0.04)
    assert (time[own & ~goals.reached] > moves.first[own & ~goals.reached]).all()


def test_the_slow_copy_follows_by_its_share():
    rival = make()
    before = [p.clone() for p in rival.slow_value.parameters()]
    rival.settle()
    for slow, old, present in zip(
        rival.slow_value.parameters(), before, rival.value.parameters(), strict=True
    ):
        torch.testing.assert_close(slow, 0.995 * old + 0.005 * present.detach())


def test_every_parameter_that_learns_is_in_one_group():
    rival = make()
    held = [p for group in rival.parameter_groups() for p in group.parameters]
    assert len(held) == len(set(held)) == sum(p.requires_grad for p in rival.parameters())
