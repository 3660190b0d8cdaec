"""The laws of the touched world model, and that it learns to see."""

import pytest
import torch
from tests.model.touched.painted import Clips, make_clips, to_world
from tests.model.touched.trained import found, make_model

from ncs.model.build import build_model
from ncs.model.contract import Slots
from ncs.model.touched.world import Touched, TouchedConfig
from ncs.records import NcsError


def test_it_learns_to_see_and_to_see_more_things_than_it_was_shown(
    clips: Clips, trained: Touched
) -> None:
    other = make_clips(20, 5, seed=1)
    untrained = found(make_model(clips).eval(), other)
    assert untrained < 0.3
    assert found(trained, other) > untrained + 0.5


def test_places_are_in_the_world(trained: Touched) -> None:
    other = make_clips(20, 3, seed=2)
    slots = trained.encode(other.frame[:, 0], 3)
    truth = torch.from_numpy(to_world(other.pixel[:, 0]))[..., :2]
    gap = torch.cdist(truth, slots.state).amin(dim=2)
    assert gap.median() < 0.01  # a pixel


def test_types_tell_things_apart_before_and_after(trained: Touched) -> None:
    other = make_clips(40, 3, seed=3)
    slots = trained.follow(other.frame, other.action, 4)
    here = slots.presence[:, 0] & slots.presence[:, -1]
    same = (slots.kind[:, 0] - slots.kind[:, -1]).norm(dim=-1)[here].mean()
    spread = torch.cdist(slots.kind[:, 0], slots.kind[:, 0])[here].mean()
    assert same < 0.4 * spread


def test_pictures_of_a_batch_do_not_touch_one_another(trained: Touched, clips: Clips) -> None:
    order = torch.tensor([2, 0, 1])
    slots = trained.encode(clips.frame[:3, 0], 4)
    mixed = trained.encode(clips.frame[:3, 0][order], 4)
    assert torch.allclose(mixed.state, slots.state[order], atol=1e-5)
    assert torch.allclose(mixed.kind, slots.kind[order], atol=1e-5)


def test_a_far_thing_changes_neither_type_nor_place(trained: Touched) -> None:
    model = make_model(make_clips(60, 2, height=48, width=128)).eval()
    model.load_state_dict(dict(trained.named_parameters()), strict=False)
    alone = torch.full((1, 48, 128, 3), 150, dtype=torch.uint8)
    alone[0, 20:28, 16:24] = torch.tensor([200, 20, 40], dtype=torch.uint8)
    both = alone.clone()
    both[0, 20:28, 104:112] = torch.tensor([20, 200, 90], dtype=torch.uint8)
    one, two = model.encode(alone, 4), model.encode(both, 4)
    assert one.presence.sum() == 1
    gap = (two.state[0] - one.state[0, 0]).norm(dim=-1)
    k = int(gap.masked_fill(~two.presence[0], torch.inf).argmin())
    assert gap[k] < 1e-4
    assert torch.allclose(two.kind[0, k], one.kind[0, 0], atol=1e-4)


def test_followed_things_keep_their_slot(trained: Touched) -> None:
    other = make_clips(10, 3, seed=4)
    slots = trained.follow(other.frame, other.action, 3)
    guess = slots.state[:, 0]
    truth = torch.from_numpy(to_world(other.pixel))[..., :2]
    match = torch.cdist(guess, truth[:, 0]).argmin(dim=2)
    last = truth[:, -1].gather(1, match[..., None].expand(-1, -1, 2))
    assert ((slots.state[:, -1] - last).norm(dim=-1) < 0.05).float().mean() > 0.9


def test_predictions_move_what_the_action_moves(trained: Touched) -> None:
    other = make_clips(20, 3, seed=5)
    slots = trained.follow(other.frame, other.action, 3)
    before, after = (slots.map(lambda v, t=t: v[:, t]) for t in (0, 1))  # type: ignore[misc]
    predicted = trained.predict(before, other.action[:, 0])
    assert torch.equal(predicted.kind, before.kind)
    miss = (predicted.state - after.state).norm(dim=-1)
    assert miss.median() < 0.02


def test_masks_share_out_the_cells_and_absent_slots_have_none(trained: Touched) -> None:
    slots = trained.encode(make_clips(5, 3, seed=6).frame[:, 0], 8)
    assert slots.mask.shape == (5, 8, 256)
    assert (slots.mask.sum(dim=1) <= 1 + 1e-5).all()
    assert not slots.mask[~slots.presence].any()
    assert (slots.confidence[slots.presence] > 0).all()


def test_a_picture_of_another_size_is_brought_to_the_buffers(trained: Touched) -> None:
    frame = make_clips(4, 3, seed=7).frame[:, 0]
    large = frame.repeat_interleave(2, dim=1).repeat_interleave(2, dim=2)
    assert torch.allclose(trained.encode(large, 4).state, trained.encode(frame, 4).state, atol=1e-4)


def test_weights_and_measures_make_the_model(trained: Touched, clips: Clips) -> None:
    other = build_model("touched", TouchedConfig())
    assert isinstance(other, Touched)
    other.load_state_dict(trained.state_dict())
    frame = clips.frame[:4, 0]
    assert torch.equal(other.eval().encode(frame, 4).state, trained.encode(frame, 4).state)
    assert other.measured() == trained.measured()


def test_it_paints_no_slots_but_moves_pixels_of_a_picture(trained: Touched) -> None:
    other = make_clips(8, 3, seed=8)
    frame = other.frame[:, 0]
    before = trained.encode(frame, 4)
    after = trained.predict(before, other.action[:, 0])
    with pytest.raises(NcsError, match="paints no slots"):
        trained.decode(before)
    imagined = trained.picture_after(frame, before, after).float()
    missed = (imagined - other.frame[:, 1].float()).abs().mean()
    assert missed < 0.3 * (frame.float() - other.frame[:, 1].float()).abs().mean()


def test_the_loss_of_a_batch_without_a_working_move_is_finite(clips: Clips) -> None:
    model = make_model(clips)
    still = clips.frame[:4, :1].expand(-1, 4, -1, -1, -1)
    loss = model.loss(still, clips.action[:4], 0)
    assert bool(loss.total.isfinite())
    loss.total.backward()


def test_surplus_slots_are_absent_and_missing_ones_take_the_surest(trained: Touched) -> None:
    frame = make_clips(3, 3, seed=9).frame[:, 0]
    many, few = trained.encode(frame, 9), trained.encode(frame, 2)
    assert isinstance(many, Slots)
    assert (many.presence.sum(dim=1) >= few.presence.sum(dim=1)).all()
    assert torch.allclose(few.state, many.state[:, :2], atol=1e-5)
