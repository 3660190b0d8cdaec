from typing import Any

import numpy as np
import pytest
import torch
from tests.painted_blocks import Painted, centres, make_clips

from ncs.model.build import build_model
from ncs.model.contract import Slots
from ncs.model.placed.world import Placed, PlacedConfig

SIDE = 3
SMALL: dict[str, Any] = {
    "size": 48,
    "spacing": 0.5,  # three cells across instead of four: each is two thirds wide
    "locality": 0.3,
    "pick_radius": 0.3,
    "features": 32,
    "slot_width": 16,
    "type_width": 6,
    "decoder_width": 64,
    "slots_low": 2,
    "slots_high": 4,
    "attempts": 2,
}


def make_model(**changes: Any) -> Placed:
    torch.manual_seed(0)
    return Placed(PlacedConfig(**{**SMALL, **changes}))


@pytest.fixture(scope="module")
def clips() -> Painted:
    return make_clips(clips=256, objects=2, side=SIDE, frames=3)


@pytest.fixture(scope="module")
def trained(clips: Painted) -> Placed:
    model = make_model(peak_rate=3e-3, warmup_steps=20)
    model.prepare(clips.frame, clips.action)
    generator = torch.Generator().manual_seed(0)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(250):
        row = torch.randint(256, (16,), generator=generator)
        loss = model.loss(clips.frame[row], clips.action[row], step, generator)
        optimiser.zero_grad()
        loss.total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval()


def test_off_the_stage_there_is_only_background(clips: Painted) -> None:
    model = make_model(stage=True)
    frame = clips.frame.clone()
    frame[..., 40:, :] = 191  # nothing ever stands in the last columns
    model.prepare(frame, torch.zeros(len(frame), frame.shape[1] - 1, 6))
    intruder = frame[:1, 0].clone()
    intruder[:, 10:20, 44:] = 0
    seen = model.see(intruder)
    assert torch.equal(seen[..., 41:], model.background[None, :, :, 41:])
    assert torch.equal(seen[..., :40], model.see(frame[:1, 0])[..., :40])
    other = make_model(stage=True)
    other.load_state_dict(model.state_dict())
    assert torch.equal(other.stage, model.stage)


def test_the_background_is_the_median_and_is_saved(clips: Painted) -> None:
    model = make_model()
    model.prepare(clips.frame, clips.action)
    assert torch.equal(model.background, torch.full((3, 48, 48), 191 / 255))
    other = make_model()
    other.load_state_dict(model.state_dict())
    assert torch.equal(other.background, model.background)


def test_each_object_is_found_by_one_slot_and_surplus_slots_are_absent(trained: Placed) -> None:
    fresh = make_clips(clips=40, objects=5, side=SIDE, frames=1, seed=1)
    slots = trained.encode(fresh.frame[:, 0], n_slots=7)
    assert (slots.presence.sum(dim=1) == 5).all()
    for b in range(40):
        place = slots.state[b][slots.presence[b]].numpy()
        gap = np.linalg.norm(place[:, None] - centres(fresh.cell[b, 0], SIDE)[None], axis=-1)
        assert sorted(gap.argmin(axis=1)) == list(range(5))
        assert gap.min(axis=1).max() < 0.15
    assert (slots.confidence[slots.presence] > 0.5).all()
    assert not slots.confidence[~slots.presence].any()


def test_masks_cover_the_objects_and_leave_the_background(trained: Placed) -> None:
    fresh = make_clips(clips=20, objects=2, side=SIDE, frames=1, seed=2)
    slots = trained.encode(fresh.frame[:, 0], n_slots=4)
    total = slots.mask.sum(dim=1)
    assert total.max() <= 1 + 1e-5
    core = (fresh.frame[:, 0].amin(dim=-1) < 180).float()
    whole = torch.nn.functional.avg_pool2d(core[:, None], 4).flatten(1) == 1
    assert total[whole].min() > 0.8
    empty = torch.nn.functional.max_pool2d(core[:, None], 4).flatten(1) == 0
    assert total[empty].max() < 0.2
    assert not slots.mask[~slots.presence].any()


def test_an_index_keeps_to_one_object_through_a_clip(trained: Placed) -> None:
    fresh = make_clips(clips=20, objects=2, side=SIDE, frames=4, seed=3)
    slots = trained.follow(fresh.frame, fresh.action, n_slots=4)
    assert torch.equal(slots.presence, slots.presence[:, :1].expand_as(slots.presence))
    for b in range(20):
        alive = slots.presence[b, 0]
        first = slots.state[b, 0, alive].numpy()
        gap = np.linalg.norm(first[:, None] - centres(fresh.cell[b, 0], SIDE)[None], axis=-1)
        truth = centres(fresh.cell[b], SIDE)[:, gap.argmin(axis=1)]
        assert np.abs(slots.state[b][:, alive].numpy() - truth).max() < 0.1


def test_a_prediction_moves_the_picked_slot_and_copies_types_to_the_bit(trained: Placed) -> None:
    fresh = make_clips(clips=40, objects=2, side=SIDE, frames=2, seed=4)
    slots = trained.follow(fresh.frame, fresh.action, n_slots=3)
    before, after = slots.map(lambda value: value[:, 0]), slots.map(lambda value: value[:, 1])
    guess = trained.predict(before, fresh.action[:, 0])
    assert torch.equal(guess.kind, before.kind)
    error = (guess.state - after.state).norm(dim=-1)[before.presence]
    assert error.max() < 0.3
    assert error.median() < 0.05


def test_decoding_gives_the_picture_back(trained: Placed, clips: Painted) -> None:
    slots = trained.encode(clips.frame[:8, 0], n_slots=3)
    image = clips.frame[:8, 0].permute(0, 3, 1, 2) / 255
    assert (trained.decode(slots) - image).abs().mean() < 0.02


def test_encoding_without_a_generator_is_repeatable(trained: Placed, clips: Painted) -> None:
    one, two = (trained.encode(clips.frame[:6, 0], n_slots=4) for _ in range(2))
    for name in ("kind", "state", "mask", "presence", "confidence"):
        assert torch.equal(getattr(one, name), getattr(two, name))


def test_the_global_random_state_is_left_alone(clips: Painted) -> None:
    model = make_model()
    torch.manual_seed(5)
    before = torch.get_rng_state()
    model.loss(clips.frame[:4], clips.action[:4], 0, torch.Generator().manual_seed(0))
    model.encode(clips.frame[:4, 0], 3)
    assert torch.equal(torch.get_rng_state(), before)


def test_no_slots_at_all_are_an_empty_table(trained: Placed) -> None:
    grey = torch.full((2, 48, 48, 3), 191, dtype=torch.uint8)
    slots = trained.encode(grey, n_slots=3)
    assert not slots.presence.any()
    assert torch.equal(trained.decode(slots), trained.background.expand(2, -1, -1, -1))


@pytest.mark.parametrize(
    "switch",
    [
        {},
        {"background": "learned"},
        {"saliency": False, "place": "cells"},
        {"seeding": "random"},
        {"gradient": "implicit"},
        {"normalise": "sum"},
        {"type_reach": 3},
        {"absolute": True, "locality": 0.0, "seeding": "random"},
        {"consistency": 0.1},
    ],
    ids=lambda switch: ",".join(switch) or "default",
)
def test_every_switch_trains_and_encodes(switch: dict[str, Any], clips: Painted) -> None:
    model = make_model(**switch)
    model.prepare(clips.frame, clips.action)
    loss = model.loss(clips.frame[:4], clips.action[:4], 0, torch.Generator().manual_seed(0))
    loss.total.backward()  # type: ignore[no-untyped-call]
    assert loss.total.isfinite()
    grown = [p.grad.isfinite().all() for p in model.parameters() if p.grad is not None]
    assert grown
    assert all(grown)
    slots = model.encode(clips.frame[:4, 0], n_slots=3)
    assert isinstance(slots, Slots)
    assert slots.state.shape == (4, 3, 2)
    assert slots.mask.shape == (4, 3, 144)


def test_the_gradient_reaches_every_parameter_and_each_is_in_one_group(clips: Painted) -> None:
    model = make_model()
    model.prepare(clips.frame, clips.action)
    model.loss(clips.frame[:8], clips.action[:8], 0).total.backward()  # type: ignore[no-untyped-call]
    idle = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert idle == []
    held = [id(p) for group in model.parameter_groups() for p in group.parameters]
    assert sorted(held) == sorted(id(p) for p in model.parameters())


def test_the_registry_builds_it_by_name() -> None:
    assert isinstance(build_model("placed", PlacedConfig(**SMALL)), Placed)
