"""Where things can be at few places, the place seen at a pixel tells the height."""

import numpy as np
import pytest
import torch

from ncs.model.touched.measure import _spots
from ncs.model.touched.measures import NO_LEVEL, Measures
from ncs.model.touched.spots import at_spots, find_spots

CELLS = np.array([(0.0, y, h) for y in (0.0, 3.0) for h in (0.0, 1.0, 2.0)])


@pytest.fixture
def measures() -> Measures:
    """Of one who looks down at a slope of 1: a level up is seen where a step back is."""
    measures = Measures()
    measures.to_pixel[1, 0] = 1
    measures.to_pixel[2:4, 1] = 1
    measures.take({"apart": 1.0, "spots": find_spots(np.repeat(CELLS, 20, axis=0), 1.0)})
    return measures


def test_few_places_are_found_whatever_the_order_and_many_are_none() -> None:
    rng = np.random.default_rng(0)
    picked = rng.permutation(np.repeat(CELLS, 20, axis=0)) + rng.normal(0, 0.01, (120, 3))
    spots = find_spots(picked, 1.0)
    found = spots[spots[:, 2] < NO_LEVEL]
    assert len(found) == len(CELLS)
    away = np.linalg.norm(found[:, None] - CELLS[None], axis=-1)
    assert (np.sort(away.argmin(axis=1)) == np.arange(len(CELLS))).all()
    assert away.min(axis=1).max() < 0.02
    assert (find_spots(rng.uniform(0, 9, (1000, 3)), 1.0) == NO_LEVEL).all()
    assert (find_spots(rng.uniform(0, 9, (30, 3)), 1.0) == NO_LEVEL).all(), "few picks, many spots"


def said(height_K: list[float]) -> torch.Tensor:
    return torch.tensor([[[5.0, 5.0, height] for height in height_K]])


def test_what_is_seen_at_a_spot_is_there_though_nothing_is_under_it(measures: Measures) -> None:
    pixel = torch.tensor([[[0.0, 2.1], [0.2, 3.2], [0.0, 0.0]]])
    place = at_spots(pixel, said([0.0, 1.6, 0.4]), measures)
    assert place[0].tolist() == [[0, 0, 2], [0, 3, 0], [0, 0, 0]]


def test_the_eyes_tell_between_spots_seen_at_one_pixel_and_where_no_spot_is(
    measures: Measures,
) -> None:
    measures.spots[6] = torch.tensor([0.0, 2.0, 1.0])  # seen where the first of the second row is
    pixel = torch.tensor([[[0.0, 3.0], [0.0, 3.0], [4.0, 0.0]]])
    place = at_spots(pixel, said([0.25, 0.75, 0.5]), measures)
    assert place[0].tolist() == [[0, 3, 0], [0, 2, 1], [5, 5, 0.5]]


def test_spots_are_looked_for_only_where_a_pixel_may_show_many_heights() -> None:
    picked = np.repeat(CELLS, 20, axis=0)
    wall = np.zeros((10, 2))
    wall[1, 0] = wall[3, 1] = 1  # depth is seen nowhere
    values = {"to_pixel": wall, "tall": 1.0, "gap": 1.0, "scale": 1.0, "least": 40.0}
    assert _spots(picked, values) == {}
    tilted = wall.copy()
    tilted[2, 1] = 1
    found = _spots(picked, values | {"to_pixel": tilted})
    assert (found["spots"][:, 2] < NO_LEVEL).sum() == len(CELLS)
    assert found["least"] == 10
