"""A move's pixels are its own thing's: not those of what went along, nor of what came back."""

from dataclasses import replace

import torch
from torch import Tensor

from ncs.model.touched.moved import Moved
from ncs.model.touched.piled import only_its_own

SIDE = 24
UPPER, LOWER = (slice(6, 9), slice(4, 8)), (slice(9, 12), slice(4, 8))  # one stands on the other
THERE_UPPER, THERE_LOWER = (slice(6, 9), slice(16, 20)), (slice(9, 12), slice(16, 20))
ASIDE = (slice(16, 22), slice(4, 8))  # where the upper one came from, seen whole


def mask(*parts: tuple[slice, slice]) -> Tensor:
    drawn = torch.zeros(SIDE, SIDE, dtype=torch.bool)
    for part in parts:
        drawn[part] = True
    return drawn


def picture(red: tuple[tuple[slice, slice], ...], blue: tuple[slice, slice]) -> Tensor:
    drawn = torch.full((3, SIDE, SIDE), 0.5)
    for part in red:
        drawn[:, *part] = torch.tensor([0.9, 0.0, 0.0])[:, None, None]
    drawn[:, *blue] = torch.tensor([0.0, 0.0, 0.9])[:, None, None]
    return drawn


def a_tower_is_picked_from_below() -> tuple[Tensor, Moved]:
    """Red is put on blue; then blue is moved, and takes red along."""
    image = torch.stack(
        [picture((ASIDE,), LOWER), picture((UPPER,), LOWER), picture((THERE_UPPER,), THERE_LOWER)]
    )
    before = torch.stack([mask(ASIDE), mask(UPPER, LOWER)])
    after = torch.stack([mask(UPPER), mask(THERE_UPPER, THERE_LOWER)])
    yes, place = torch.ones(1, 2, dtype=torch.bool), torch.zeros(1, 2, 3)
    moved = Moved(
        changed=(before | after)[None],
        before=before[None],
        after=after[None],
        apart=torch.ones(1, 2, 2, SIDE, SIDE, dtype=torch.bool),
        away=torch.zeros(1, 2, SIDE, SIDE, dtype=torch.bool),
        worked=yes,
        sure=yes[..., None].expand(1, 2, 2),
        on_floor=torch.ones(1, 2, 2, dtype=torch.bool),
        start=place,
        end=place,
        who=torch.tensor([[0, 1]]),
    )
    return image[None], moved


def test_what_went_along_is_no_part_of_the_thing_that_was_picked() -> None:
    own = only_its_own(*a_tower_is_picked_from_below(), least=4.0)
    assert (own.before[0, 1] == mask(LOWER)).all()
    assert (own.claim(0, 1)[0] == mask(UPPER)).all()
    assert (own.claim(1, 1)[0] == mask(LOWER)).all()
    # Where they came to nobody says which pixel is whose.
    assert own.sure[0].tolist() == [[True, True], [True, False]]
    assert not own.claim(1, 2).any()


def test_one_thing_that_is_moved_twice_is_not_taken_from_itself() -> None:
    image, moved = a_tower_is_picked_from_below()
    own = only_its_own(image, replace(moved, who=torch.zeros(1, 2, dtype=torch.long)), least=4.0)
    assert (own.before == moved.before).all()
    assert own.sure.all()


def test_what_was_brought_back_was_not_moved() -> None:
    image, moved = a_tower_is_picked_from_below()
    image[0, 2] = image[0, 1]
    image[0, 2, :, 9, 4:8] = 0.5  # a little of it was turned, and something changed at the end
    image[0, 2, :, 9:12, 16:20] = 0.4
    own = only_its_own(image, moved, least=4.0)
    assert own.worked.tolist() == [[True, False]]
    assert not own.claim(1, 1).any()
