"""Measurements: whether a pixel tells height, and which place of a level is seen at it."""

import numpy as np
import torch

from ncs.model.touched.change import as_image
from ncs.model.touched.measure import _enlargement, _levels
from ncs.model.touched.measures import NO_LEVEL, Measures


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


def test_heights_are_levels_where_things_stand_at_few() -> None:
    rng = np.random.default_rng(0)
    stacked = rng.choice([0.02, 0.06, 0.10], 300) + rng.uniform(-0.001, 0.001, 300)
    levels = _levels(stacked, 0.04)
    np.testing.assert_allclose(levels[:3], [0.02, 0.06, 0.10], atol=0.001)
    assert (levels[3:] == NO_LEVEL).all()
    assert (_levels(rng.uniform(0, 0.2, 300), 0.04) == NO_LEVEL).all()


def test_a_height_is_read_as_the_nearest_level_and_as_it_is_where_there_are_none() -> None:
    measures = tilted()
    height = torch.tensor([0.1, 0.9, 2.4])
    assert torch.equal(measures.on_level(height), height)
    measures.take({"levels": _levels(np.repeat([0.0, 1.0, 2.0], 50), 1.0)})
    assert torch.equal(measures.on_level(height), torch.tensor([0.0, 1.0, 2.0]))


def test_pictures_are_enlarged_only_where_things_on_things_are_seen_too_near() -> None:
    values = {"to_pixel": tilted().to_pixel, "tall": 1.0, "apart": 2.0}
    assert _enlargement((64, 64), values, longest=128) == 2
    assert _enlargement((64, 64), {**values, "apart": 7.0}, longest=128) == 1
    assert _enlargement((64, 64), {**values, "tall": 0.0}, longest=128) == 1
    assert _enlargement((128, 96), values, longest=128) == 1
    assert as_image(torch.zeros(2, 64, 64, 3, dtype=torch.uint8), (128, 128)).shape[2:] == (
        128,
        128,
    )
