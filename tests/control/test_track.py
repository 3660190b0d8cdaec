"""Entities followed from frame to frame."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ncs.control.track import Expected, follow

STILL = Expected(anything=False)
PLACE = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
KIND = np.eye(4)[:, :3] * 5


def watch(tracks, place, kind, expected=STILL, present=None):
    present = np.ones(len(place), bool) if present is None else np.array(present)
    return follow(tracks, np.array(kind), np.array(place), present, expected, "euclidean", 0.3)


@given(seed=st.integers(0, 999))
def test_a_still_scene_keeps_its_tracks_in_whatever_order_slots_come(seed):
    rng = np.random.default_rng(seed)
    tracks = watch(None, PLACE, KIND)
    for _ in range(3):
        order = rng.permutation(4)
        tracks = watch(tracks, PLACE[order] + 0.03 * rng.normal(size=(4, 2)), KIND[order])
        np.testing.assert_array_equal(order[tracks.slot], np.arange(4))
    np.testing.assert_array_equal(tracks.seen, 4)


def test_types_are_averaged():
    tracks = watch(None, PLACE[:1], [[1.0, 0, 0]])
    tracks = watch(tracks, PLACE[:1], [[3.0, 0, 0]])
    tracks = watch(tracks, PLACE[:1], [[5.0, 0, 0]])
    np.testing.assert_allclose(tracks.kind, [[3, 0, 0]])


def test_the_entity_acted_on_is_found_where_it_was_sent():
    tracks = watch(None, PLACE[:2], KIND[:2])
    there = Expected(before=PLACE[0], target=PLACE[3], anything=False)
    # It even looks like another entity for once.
    tracks = watch(tracks, PLACE[[1, 3]], KIND[[1, 2]], there)
    np.testing.assert_array_equal(tracks.slot, [1, 0])


def test_the_entity_acted_on_may_have_stayed():
    tracks = watch(None, PLACE[:2], KIND[:2])
    there = Expected(before=PLACE[0], target=PLACE[3], anything=False)
    tracks = watch(tracks, PLACE[:2], KIND[:2], there)
    np.testing.assert_array_equal(tracks.slot, [0, 1])


def test_the_entity_acted_on_may_have_gone_astray():
    tracks = watch(None, PLACE[:2], KIND[:2])
    there = Expected(before=PLACE[0], target=PLACE[3], anything=False)
    tracks = watch(tracks, PLACE[[1, 2]], KIND[[1, 0]], there)
    np.testing.assert_array_equal(tracks.slot, [1, 0])


def test_after_a_blind_action_the_missing_one_is_known_by_its_type():
    tracks = watch(None, PLACE[:3], KIND[:3])
    tracks = watch(tracks, PLACE[[0, 3, 2]], KIND[[0, 1, 2]], Expected())
    np.testing.assert_array_equal(tracks.slot, [0, 1, 2])
    assert len(tracks.seen) == 3


def test_one_bad_picture_is_forgiven_two_are_not():
    tracks = watch(None, PLACE[:2], KIND[:2])
    tracks = watch(tracks, PLACE[:1], KIND[:1])
    np.testing.assert_array_equal(tracks.alive, [True, True])
    np.testing.assert_array_equal(tracks.slot, [0, -1])
    tracks = watch(tracks, PLACE[:1], KIND[:1])
    np.testing.assert_array_equal(tracks.alive, [True, False])


def test_what_was_not_there_before_is_new():
    tracks = watch(None, PLACE[:1], KIND[:1])
    tracks = watch(tracks, PLACE[:2], KIND[:2])
    np.testing.assert_array_equal(tracks.seen, [2, 1])
    np.testing.assert_array_equal(tracks.slot, [0, 1])


def test_absent_slots_are_not_followed():
    tracks = watch(None, PLACE[:2], KIND[:2], present=[True, False])
    assert len(tracks.seen) == 1


def test_an_empty_picture_is_no_obstacle():
    tracks = watch(None, np.zeros((0, 2)), np.zeros((0, 3)))
    assert len(tracks.seen) == 0
    tracks = watch(watch(tracks, PLACE[:1], KIND[:1]), np.zeros((0, 2)), np.zeros((0, 3)))
    assert tracks.alive.all()
