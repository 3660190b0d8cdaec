"""Isolating the slot that moved."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncs.graph.isolate import Experience, isolate, join, most_changed
from ncs.records import DataError


@given(seed=st.integers(0, 999), metric=st.sampled_from(["cosine", "euclidean", "iou"]))
def test_the_moved_slot_is_found_in_whatever_order_slots_come(seed, metric):
    rng = np.random.default_rng(seed)
    before = rng.random((1, 5, 8))
    after = before.copy()
    # Crisp masks, so that a mask is at zero from itself by every metric.
    before[:], after[:] = before.round(), after.round()
    moved = rng.integers(5)
    before[0, moved], after[0, moved] = np.eye(8)[0], np.eye(8)[1]
    order = rng.permutation(5)
    found = most_changed(before[:, order], after[:, order], np.ones((1, 5), bool), metric)
    assert order[found.slot[0]] == moved


def test_of_equal_changes_the_lowest_slot_is_taken():
    before = np.zeros((1, 3, 2))
    assert most_changed(before, before + 1, np.ones((1, 3), bool), "euclidean").slot == 0


def test_absent_slots_are_left_out():
    before, after = np.zeros((1, 3, 2)), np.array([[[1.0, 0], [9, 9], [2, 0]]])
    found = most_changed(before, after, np.array([[True, False, True]]), "euclidean")
    assert found.slot == 2
    assert found.change == 2


@pytest.mark.parametrize("slots", [0, 3])
def test_a_scene_without_entities_moves_nothing(slots):
    nothing = np.zeros((2, slots, 2))
    found = most_changed(nothing, nothing, np.zeros((2, slots), bool), "euclidean")
    assert (found.slot == -1).all()
    assert (found.change == 0).all()


def test_gathered_moves_say_where_things_were_and_went(experience, rng):
    moves = isolate(experience(20, rng, absent=2), "state", "euclidean")
    assert len(moves) == 80
    np.testing.assert_allclose(moves.before, moves.action[:, :2] * 2, atol=1e-6)
    np.testing.assert_allclose(
        moves.after, (moves.action[:, :2] + moves.action[:, 3:5]) * 2, atol=1e-6
    )
    assert (moves.rest == 0).all()
    assert len(moves.rest) == 80 * 3
    assert moves.apart.min() >= 0.4 - 1e-6


def test_a_slot_must_be_present_in_both_frames_to_move(experience, rng):
    seen = experience(5, rng)
    presence = seen.presence.copy()
    presence[:, 1, 0] = False  # entity 0 moves first and vanishes
    moves = isolate(
        Experience(seen.kind, seen.state, seen.mask, presence, seen.action), "state", "euclidean"
    )
    np.testing.assert_array_equal(moves.change[::4], 0)


def test_masks_can_stand_for_states(experience, rng):
    moves = isolate(experience(5, rng), "alpha", "cosine")
    np.testing.assert_array_equal(moves.before, moves.mask_before)


def test_batches_join_into_the_whole(experience, rng):
    whole = experience(6, rng)
    parts = [
        Experience(*(getattr(whole, name)[half] for name in whole.__dataclass_fields__))
        for half in (slice(0, 2), slice(2, 6))
    ]
    joined = join([isolate(part, "state", "euclidean") for part in parts])
    for name in joined.__dataclass_fields__:
        np.testing.assert_array_equal(
            getattr(joined, name), getattr(isolate(whole, "state", "euclidean"), name)
        )


def test_no_experience_is_refused():
    with pytest.raises(DataError, match="at least one batch"):
        join([])


@pytest.mark.parametrize("name", ["kind", "state", "mask", "action"])
def test_arrays_that_do_not_belong_together_are_refused_by_name(experience, rng, name):
    good = experience(3, rng)
    values = {field: getattr(good, field) for field in good.__dataclass_fields__}
    values[name] = values[name][:2]
    with pytest.raises(DataError, match=f"experience.{name}"):
        Experience(**values)
