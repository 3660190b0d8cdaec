"""How pixel rivals see and act."""

import numpy as np
import pytest
import torch

from ncs.baselines.pixels import (
    Actor,
    Encoder,
    PixelConfig,
    corners,
    shift,
    stack,
    to_metres,
    to_unit,
)
from ncs.records import ConfigError

CONFIG = PixelConfig(low=(-0.4, 0.0), high=(0.4, 0.2), height=0.08)
TALL = PixelConfig(low=(-0.4, 0.0, 0.1), high=(0.4, 0.2, 0.3), height=0.2)


@pytest.mark.parametrize("config", [CONFIG, TALL])
def test_scaling_an_action_and_back_changes_nothing(config):
    generator = torch.Generator().manual_seed(0)
    unit = torch.rand(20, config.acting, generator=generator) * 2 - 1
    torch.testing.assert_close(to_unit(to_metres(unit, config), config), unit)


def test_heights_are_chosen_where_the_arena_has_them():
    assert Actor(TALL)(torch.zeros(2, 64, 64, 6, dtype=torch.uint8)).shape == (2, 6)
    action = to_metres(torch.tensor([-1.0, 1.0, 0.0, 0.0, 0.0, 1.0]), TALL)
    torch.testing.assert_close(action, torch.tensor([-0.4, 0.2, 0.2, 0.0, 0.0, 0.2]))


@pytest.mark.parametrize(
    ("top", "expected"),
    [
        (0.1, ((0.0, 1.0), (2.0, 3.0), 0.1)),
        (0.3, ((0.0, 1.0, 0.1), (2.0, 3.0, 0.3), 0.2)),
    ],
)
def test_corners_have_as_many_coordinates_as_there_is_a_choice_of(top, expected):
    assert corners(np.array([0.0, 1.0, 0.1]), np.array([2.0, 3.0, top])) == expected


def test_corners_of_different_kinds_are_refused():
    with pytest.raises(ConfigError, match="as many coordinates"):
        PixelConfig(low=(0, 0), high=(1, 1, 1), height=0)


@pytest.mark.parametrize(
    ("unit", "metres"),
    [
        ((-1, -1, 0, 0), (-0.4, 0.0, 0.08, 0, 0, 0)),
        ((1, 1, -1, -1), (0.4, 0.2, 0.08, -0.8, -0.2, 0)),
        ((0, 0, 0.5, 9), (0.0, 0.1, 0.08, 0.4, 0.2, 0)),  # no farther than the arena is wide
    ],
)
def test_unit_actions_span_the_arena(unit, metres):
    action = to_metres(torch.tensor(unit, dtype=torch.float32), CONFIG)
    torch.testing.assert_close(action, torch.tensor(metres, dtype=torch.float32))


def test_the_networks_have_the_sizes_of_jaxrl2():
    actor = Actor(CONFIG)
    shapes = {name: tuple(p.shape) for name, p in actor.named_parameters() if p.ndim > 1}
    assert shapes == {
        "encoder.look.0.weight": (32, 6, 3, 3),
        "encoder.look.2.weight": (64, 32, 3, 3),
        "encoder.look.4.weight": (128, 64, 3, 3),
        "encoder.look.6.weight": (256, 128, 3, 3),
        "encoder.condense.weight": (50, 256 * 3 * 3),
        "head.0.weight": (256, 50),
        "head.2.weight": (256, 256),
        "head.4.weight": (4, 256),
    }


def test_first_weights_are_orthogonal_and_biases_none():
    actor = Actor(CONFIG)
    weight = actor.head[2].weight
    torch.testing.assert_close(weight @ weight.T, 2 * torch.eye(256), atol=1e-4, rtol=0)
    assert all(not p.any() for name, p in actor.named_parameters() if name.endswith("bias"))


def test_the_latent_lies_within_one_and_depends_on_both_pictures():
    generator = torch.Generator().manual_seed(0)
    frame, goal, other = torch.randint(
        256, (3, 2, 64, 64, 3), dtype=torch.uint8, generator=generator
    )
    encoder = Encoder(CONFIG)
    latent = encoder(stack(frame, goal))
    assert latent.shape == (2, 50)
    assert latent.abs().max() <= 1
    assert not torch.allclose(latent, encoder(stack(frame, other)))
    assert not torch.allclose(latent, encoder(stack(other, goal)))


def test_a_shift_moves_both_pictures_alike_and_no_farther_than_asked():
    frame = torch.zeros(40, 16, 16, 3, dtype=torch.uint8)
    frame[:, 8, 8] = 255
    moved = shift(stack(frame, frame), 4, torch.Generator().manual_seed(0))
    assert torch.equal(moved[..., :3], moved[..., 3:])
    place = moved[..., 0].flatten(1).argmax(dim=1)
    row, column = place // 16 - 8, place % 16 - 8
    for offset in (row, column):
        assert set(offset.tolist()) == set(range(-4, 5))


def test_borders_repeat_what_was_there():
    ramp = torch.arange(16, dtype=torch.uint8)[None, :, None, None].expand(30, 16, 16, 6)
    moved = shift(ramp, 4, torch.Generator().manual_seed(0))
    offset = moved[:, 8, 8, 0].long() - 8
    expected = (torch.arange(16) + offset[:, None]).clamp(0, 15)
    assert torch.equal(moved[:, :, 3, 2].long(), expected)


def test_a_shift_by_nothing_is_no_shift():
    pair = torch.randint(256, (2, 8, 8, 6), dtype=torch.uint8)
    assert torch.equal(shift(pair, 0, torch.Generator()), pair)


@pytest.mark.parametrize("change", [{"size": 8}, {"features": (0,)}, {"hidden": (10**9,)}])
def test_sizes_have_limits(change):
    with pytest.raises(ConfigError, match=next(iter(change))):
        PixelConfig(low=(0, 0), high=(1, 1), height=0, **change)
