"""A thing looks the same at both ends of its move, and what stood on it went along."""

import torch
from torch import Tensor

from ncs.model.touched.alike import carries, looks_the_same
from ncs.model.touched.moved import Moved

SIDE = 24
RED, BLUE = torch.tensor([0.9, 0.0, 0.0]), torch.tensor([0.0, 0.0, 0.9])
HERE, THERE = (slice(4, 8), slice(4, 8)), (slice(4, 8), slice(16, 20))
UNDER, NUDGED = (slice(8, 12), slice(4, 8)), (slice(8, 12), slice(5, 9))


def picture(red: tuple[slice, slice], blue: tuple[slice, slice]) -> Tensor:
    drawn = torch.full((3, SIDE, SIDE), 0.5)
    drawn[:, *blue], drawn[:, *red] = BLUE[:, None, None], RED[:, None, None]
    return drawn


def a_thing_is_taken_off_another() -> tuple[Tensor, Moved]:
    """Red is taken off blue, which is nudged."""
    image = torch.stack([picture(HERE, UNDER), picture(THERE, NUDGED)])[None]
    changed = (image[:, 1:] - image[:, :-1]).abs().amax(dim=2) > 0
    left = torch.zeros(SIDE, SIDE, dtype=torch.bool)
    left[:, : SIDE // 2] = True
    yes, place = torch.ones(1, 1, dtype=torch.bool), torch.zeros(1, 1, 3)
    moved = Moved(
        changed=changed,
        before=changed & left,
        after=changed & ~left,
        apart=torch.ones(1, 1, 2, SIDE, SIDE, dtype=torch.bool),
        away=torch.zeros(1, 1, SIDE, SIDE, dtype=torch.bool),
        worked=yes,
        sure=yes[..., None].expand(1, 1, 2),
        on_floor=torch.ones(1, 1, 2, dtype=torch.bool),
        start=place,
        end=place,
        who=torch.zeros(1, 1, dtype=torch.long),
    )
    return image, moved


def test_what_was_nudged_is_no_part_of_the_thing_that_was_moved() -> None:
    image, moved = a_thing_is_taken_off_another()
    assert moved.before.sum() > 16  # the nudge changed pixels too
    own = looks_the_same(image, moved, torch.tensor([[[12.0, 0.0]]]), near=1)
    assert own.before[0, 0].sum() == own.after[0, 0].sum() == 16
    assert own.before[0, 0][HERE].all()
    assert own.after[0, 0][THERE].all()


def test_a_pixel_that_hardly_changed_in_between_is_still_what_it_was() -> None:
    image, moved = a_thing_is_taken_off_another()
    image = torch.cat([image[:, :1] + 0.02, image], dim=1)
    moved = Moved(
        **{
            **vars(moved),
            **{
                name: torch.cat([torch.ones_like(value), value], dim=1)
                for name, value in vars(moved).items()
                if name != "image"
            },
        }
    )
    assert not moved.still(1, 0).any()
    seen = looks_the_same(image, moved, torch.zeros(1, 2, 2), near=1)
    assert seen.still(1, 0)[0][HERE].all()


def test_what_stood_on_a_thing_went_along() -> None:
    low, high, aside = [0.0, 0, 0], [0.0, 0, 1], [5.0, 0, 0]
    yes = torch.ones(1, 2, dtype=torch.bool)
    put_on = torch.tensor([[aside, low]]), torch.tensor([[high, [3.0, 0, 0]]])
    assert carries(*put_on, yes, gap=1.0).tolist() == [[False, True]]
    picked_off = torch.tensor([[low, [3.0, 0, 1]]]), torch.tensor([[[3.0, 0, 0], aside]])
    assert carries(*picked_off, yes, gap=1.0).tolist() == [[True, False]]
    beside = torch.tensor([[aside, low]]), torch.tensor([[[1.0, 0, 1], [3.0, 0, 0]]])
    assert not carries(*beside, yes, gap=1.0).any()
