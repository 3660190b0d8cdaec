"""Behaviour cloning."""

import torch
from tests.baselines.one_block import ARENA

from ncs.baselines.cloning import Cloning, CloningConfig
from ncs.baselines.pixels import stack, to_unit


def clip(seed=0):
    generator = torch.Generator().manual_seed(seed)
    frame = torch.randint(256, (6, 2, 64, 64, 3), dtype=torch.uint8, generator=generator)
    return frame, torch.rand(6, 1, 6, generator=generator) * 0.2


def test_the_loss_is_half_the_squared_error_of_the_mean_towards_the_last_frame():
    frame, action = clip()
    rival = Cloning(CloningConfig(**ARENA)).eval()  # out of training nothing is shifted
    error = rival.actor(stack(frame[:, 0], frame[:, 1])) - to_unit(action[:, 0], rival.config)
    loss = rival.loss(frame, action, 0, torch.Generator().manual_seed(0))
    torch.testing.assert_close(loss.total, 0.5 * (error**2).sum() / 6)
    torch.testing.assert_close(loss.parts["pick_error"], error[:, :2].detach().abs().mean())


def test_the_mean_is_within_the_action_space():
    frame, _ = clip()
    rival = Cloning(CloningConfig(**ARENA))
    rival.actor.head[-1].bias.data += 10
    assert rival.actor(stack(frame[:, 0], frame[:, 1])).abs().max() <= 1


def test_pictures_are_shifted_in_training_alone():
    frame, action = clip()
    rival = Cloning(CloningConfig(**ARENA))
    losses = [rival.loss(frame, action, 0, torch.Generator().manual_seed(s)).total for s in (1, 2)]
    assert losses[0] != losses[1]
    rival.eval()
    losses = [rival.loss(frame, action, 0, torch.Generator().manual_seed(s)).total for s in (1, 2)]
    assert losses[0] == losses[1]


def test_the_rate_of_the_actor_falls_over_the_whole_run():
    (group,) = Cloning(CloningConfig(**ARENA)).parameter_groups()
    assert (group.peak_rate, group.decay_share) == (3e-4, 1.0)
