"""A few moves of a new world are enough for eyes that know its things."""

import pytest
import torch
from tests.model.touched.painted import Clips, make_clips
from tests.model.touched.trained import found, make_model

from ncs.model.touched.world import Touched
from ncs.records import DataError


def mirrored(clips: Clips) -> Clips:
    """The same world seen by another camera: left is right, and actions stay."""
    return Clips(clips.frame.flip(3), clips.action, clips.pixel)


def copy_of(model: Touched) -> Touched:
    other = Touched(model.config)
    other.load_state_dict(model.state_dict())
    return other.eval()


def test_fifty_moves_of_another_camera_make_places_right(trained: Touched) -> None:
    model, other = copy_of(trained), mirrored(make_clips(20, 4, seed=5))
    assert found(model, other) < 0.5
    few = mirrored(make_clips(17, 3, seed=6))
    assert model.adapt(few.frame, few.action) > 0.8
    assert found(model, other) > 0.85


def test_weights_of_the_eyes_stay(trained: Touched) -> None:
    model, few = copy_of(trained), mirrored(make_clips(17, 3, seed=6))
    model.adapt(few.frame, few.action)
    for name, value in model.eyes.state_dict().items():
        assert torch.equal(value, trained.eyes.state_dict()[name])


def test_its_own_world_stays_as_it_was(trained: Touched) -> None:
    model, other = copy_of(trained), make_clips(20, 4, seed=5)
    before, few = found(model, other), make_clips(17, 3, seed=6)
    model.adapt(few.frame, few.action)
    assert found(model, other) > before - 0.03


def test_eyes_that_see_nothing_there_are_refused() -> None:
    clips = make_clips(17, 3)
    model = make_model(clips).eval()
    torch.nn.init.constant_(model.eyes.out.bias, -20.0)  # nothing is a thing
    with pytest.raises(DataError, match="train it on clips of this world"):
        model.adapt(clips.frame, clips.action)
