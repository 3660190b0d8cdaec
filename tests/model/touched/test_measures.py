"""Measurements: whether a pixel tells height, and which place of a level is seen at it."""

import torch

from ncs.model.touched.measures import Measures


def tilted(moves_along_all: bool = True) -> Measures:
    """A camera that sees x to the right, and both what is behind and what is high further up."""
    to_pixel = torch.zeros(10, 2)
    to_pixel[0] = 32.0
    to_pixel[1] = torch.tensor([10.0, 0.5])
    to_pixel[2] = torch.tensor([0.2, -6.0]) * moves_along_all
    to_pixel[3] = torch.tensor([0.1, -7.0])
    to_pixel[5] = torch.tensor([-0.6, 0.1]) * moves_along_all
    to_pixel[9, 1] = 0.3
    measures = Measures()
    measures.take({"to_pixel": to_pixel, "tall": 1.0})
    return measures


def test_a_pixel_and_a_height_are_a_place() -> None:
    measures = tilted()
    generator = torch.Generator().manual_seed(0)
    place = torch.rand(50, 3, generator=generator) * 2 - 1
    guess = torch.cat([torch.zeros(50, 2), place[:, 2:]], dim=1)
    flat = measures.flat_at(measures.project(place), guess)
    assert torch.allclose(flat, place[:, :2], atol=0.01)


def test_height_is_open_only_where_things_move_along_all_three_ways() -> None:
    assert tilted().is_deep
    assert not tilted(moves_along_all=False).is_deep  # before a wall: a pixel tells the height
    flat = tilted()
    flat.take({"tall": 0.0})
    assert not flat.is_deep
