from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.painted_blocks import GREY, centres, paint
from torch import Tensor

from ncs.model.placed.attention import Finder, Seeder, Seeds, cell_centres, standouts
from ncs.model.placed.config import PlacedConfig

SIDE = 4
CELLS = np.array([1, 6, 12])
COLOURS = np.array([[200, 20, 30], [10, 150, 90], [60, 60, 220]], np.uint8)


def difference(cells: np.ndarray = CELLS) -> Tensor:
    frame = torch.from_numpy(paint(cells, COLOURS, SIDE).astype(np.float32) - GREY) / 255
    return frame.permute(2, 0, 1)[None]


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def make_finder(**changes: Any) -> Finder:
    torch.manual_seed(0)
    finder = Finder(PlacedConfig(**changes)).requires_grad_(False)
    finder.spread.zero_()  # the noise on starts, so that slots differ by their seeds alone
    return finder


def seed_slots(config: PlacedConfig, image: Tensor, n_slots: int, seed: int = 0) -> Seeds:
    saliency, colour = standouts(image, config.cell, config.saliency_scale)
    seeds: Seeds = Seeder(config)(saliency, colour, n_slots, seeded(seed))
    return seeds


@pytest.mark.parametrize("seed", range(5))
def test_there_is_a_seed_on_each_thing_and_none_elsewhere(seed: int) -> None:
    seeds = seed_slots(PlacedConfig(), difference(), n_slots=6, seed=seed)
    assert seeds.alive.sum() == 3
    gap = np.linalg.norm(seeds.place[seeds.alive].numpy()[:, None] - centres(CELLS, SIDE), axis=-1)
    assert sorted(gap.argmin(axis=1)) == [0, 1, 2]
    assert gap.min(axis=1).max() < 0.1


def test_where_nothing_stands_out_no_slot_is_alive() -> None:
    assert not seed_slots(PlacedConfig(), torch.zeros(1, 3, 64, 64), n_slots=4).alive.any()


def test_kept_slots_stay_and_the_others_find_what_is_left() -> None:
    config = PlacedConfig()
    saliency, colour = standouts(difference(), config.cell, config.saliency_scale)
    place = torch.zeros(1, 4, 2)
    place[0, 2] = torch.from_numpy(centres(CELLS, SIDE)[1]).float()
    kept = Seeds(place, torch.tensor([[False, False, True, False]]), torch.zeros(1, 4, 3))
    seeds = Seeder(config)(saliency, colour, 4, seeded(), kept)
    assert torch.equal(seeds.place[0, 2], place[0, 2])
    assert seeds.alive.tolist() == [[True, True, True, False]]


@pytest.mark.parametrize(("least", "found"), [(0.0, 1), (0.93, 2)])
def test_neighbours_of_other_colours_have_seeds_of_their_own(least: float, found: int) -> None:
    image = torch.zeros(1, 3, 64, 64)
    image[0, 0, 20:32, 16:22] = -0.8
    image[0, 1, 20:32, 24:30] = -0.8  # eight pixels, a quarter of a place unit, further
    for seed in range(5):
        seeds = seed_slots(PlacedConfig(alike=least), image, n_slots=4, seed=seed)
        assert seeds.alive.sum() == found


def test_random_seeds_are_all_alive() -> None:
    seeds = seed_slots(PlacedConfig(seeding="random"), difference(), n_slots=9)
    assert seeds.alive.all()
    assert seeds.place.abs().max() <= 1


def test_saliency_knows_the_cells_that_differ() -> None:
    saliency, colour = standouts(difference(), 4, 0.03)
    cell = saliency.view(SIDE, 4, SIDE, 4).permute(0, 2, 1, 3).reshape(SIDE**2, -1)
    assert cell[CELLS].min() == 1
    assert np.delete(cell.numpy(), CELLS, axis=0).max() == 0
    expected = torch.from_numpy(COLOURS[0].astype(np.float32) - GREY) / 255
    torch.testing.assert_close(colour.view(16, 16, 3)[1, 6], expected)


def test_places_are_near_the_middles_of_things_before_any_training() -> None:
    finder, seeds = make_finder(), seed_slots(PlacedConfig(), difference(), 3)
    reading = finder.attend(finder.look(difference()), seeds, 5, seeded())
    gap = np.linalg.norm(reading.place[0].numpy()[:, None] - centres(CELLS, SIDE), axis=-1)
    assert gap.min(axis=1).max() < 0.05


def test_types_and_places_permute_with_the_seeds() -> None:
    finder, seeds = make_finder(), seed_slots(PlacedConfig(), difference(), 5)
    view, order = finder.look(difference()), torch.tensor([3, 1, 4, 0, 2])
    one = finder.attend(view, seeds, 3, seeded())
    permuted = Seeds(seeds.place[:, order], seeds.alive[:, order], seeds.colour[:, order])
    two = finder.attend(view, permuted, 3, seeded())
    torch.testing.assert_close(two.kind, one.kind[:, order])
    torch.testing.assert_close(two.place, one.place[:, order])


def test_a_moved_scene_gives_the_same_types_in_moved_places() -> None:
    finder, config = make_finder(), PlacedConfig()
    moved = np.array([2, 7, 13])
    one, two = (
        finder.attend(finder.look(image), seed_slots(config, image, 3), 3, seeded())
        for image in (difference(), difference(moved))
    )
    torch.testing.assert_close(two.kind, one.kind, atol=1e-4, rtol=1e-4)
    shift = torch.tensor([2 / SIDE, 0.0]).expand_as(one.place)
    torch.testing.assert_close(two.place - one.place, shift, atol=1e-4, rtol=1e-4)


def test_dead_slots_take_nothing_from_the_living() -> None:
    finder, seeds = make_finder(), seed_slots(PlacedConfig(), difference(), 6)
    view = finder.look(difference())
    first = Seeds(seeds.place[:, :3], seeds.alive[:, :3], seeds.colour[:, :3])
    few = finder.attend(view, first, 3, seeded())
    many = finder.attend(view, replace(seeds), 3, seeded())
    torch.testing.assert_close(many.kind[:, :3], few.kind)
    torch.testing.assert_close(many.place[:, :3], few.place)


def test_the_implicit_gradient_ends_at_the_last_round() -> None:
    for gradient, flows in (("unrolled", True), ("implicit", False)):
        finder = make_finder(gradient=gradient).requires_grad_(True)
        seeds = seed_slots(PlacedConfig(), difference(), 3)
        reading = finder.attend(finder.look(difference()), seeds, 3, seeded())
        reading.kind.square().sum().backward()
        assert (finder.start.weight.grad is not None) == flows


def test_cell_centres_run_row_by_row() -> None:
    expected = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]]
    assert cell_centres(2).tolist() == expected
