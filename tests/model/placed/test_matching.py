import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ncs.model.placed.matching import match_frames, match_places, survivors, track


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), slots=st.integers(1, 8), frames=st.integers(1, 5))
def test_tracking_undoes_any_shuffle_of_slots_that_stand_still(
    seed: int, slots: int, frames: int
) -> None:
    rng = np.random.default_rng(seed)
    still_K2 = rng.uniform(-1, 1, (slots, 2)).astype(np.float32)
    alive_K = rng.random(slots) < 0.7
    shuffle_TK = np.stack([rng.permutation(slots) for _ in range(frames)])
    order_TK = track(still_K2[shuffle_TK], alive_K[shuffle_TK])
    entity_TK = np.take_along_axis(shuffle_TK, order_TK, axis=1)
    assert (np.sort(order_TK, axis=1) == np.arange(slots)).all()
    seen_TK = alive_K[entity_TK]
    assert (seen_TK == seen_TK[0]).all()
    assert (entity_TK == entity_TK[0])[seen_TK].all()


def test_one_long_move_beats_several_short_ones() -> None:
    line = np.arange(4, dtype=np.float32)
    before_K2 = np.stack([line[:3], np.zeros(3, np.float32)], axis=1)
    after_K2 = np.stack([line[1:], np.zeros(3, np.float32)], axis=1)
    row, column = match_places(before_K2, after_K2)
    assert dict(zip(row.tolist(), column.tolist(), strict=True)) == {0: 2, 1: 0, 2: 1}


def test_an_entity_lost_for_a_frame_gets_its_index_back() -> None:
    place_TK2 = np.array([[[0, 0], [1, 1]], [[1, 1], [9, 9]], [[1, 1], [0, 0]]], np.float32)
    alive_TK = np.array([[True, True], [True, False], [True, True]])
    order_TK = track(place_TK2, alive_TK)
    assert order_TK.tolist() == [[0, 1], [1, 0], [1, 0]]


def test_a_newcomer_takes_an_index_that_nobody_had() -> None:
    place_TK2 = np.array([[[0, 0], [5, 5], [6, 6]], [[0.9, 0.9], [0, 0], [7, 7]]], np.float32)
    alive_TK = np.array([[True, False, False], [True, True, False]])
    order_K = track(place_TK2, alive_TK)[1]
    assert order_K[0] == 1
    assert alive_TK[1][order_K].tolist() == [True, True, False]


def test_of_two_slots_in_one_place_the_larger_survives() -> None:
    place = torch.tensor([[[0.0, 0.0], [0.1, 0.0], [0.8, 0.0], [-0.8, 0.0]]])
    area = torch.tensor([[80.0, 90.0, 70.0, 10.0]])
    assert survivors(place, area, least=50, spacing=0.3).tolist() == [[False, True, True, False]]


def test_survivors_do_not_depend_on_the_order_of_slots() -> None:
    generator = torch.Generator().manual_seed(0)
    place = torch.rand(6, 7, 2, generator=generator)
    area = torch.rand(6, 7, generator=generator)
    order = torch.randperm(7, generator=generator)
    there = survivors(place, area, 0.2, 0.3)
    assert torch.equal(survivors(place[:, order], area[:, order], 0.2, 0.3), there[:, order])


def test_frames_with_unequal_numbers_of_slots_teach_nothing() -> None:
    place = torch.tensor([[[0.0, 0.0], [0.5, 0.0]]]).repeat(2, 1, 1)
    both = torch.ones(2, 2, dtype=torch.bool)
    later = torch.tensor([[True, True], [True, False]])
    index_BK, same_BK = match_frames(place, both, place.flip(1), later)
    assert index_BK[0].tolist() == [1, 0]
    assert same_BK.tolist() == [[True, True], [False, False]]


def test_only_slots_that_look_alike_push_each_other_out() -> None:
    place = torch.tensor([[[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]]])
    area = torch.tensor([[90.0, 80.0, 70.0]])
    same = torch.tensor([[[True, False, True], [False, True, False], [True, False, True]]])
    assert survivors(place, area, 50, 0.3, same).tolist() == [[True, True, False]]
