"""Health figures: laws first, then small tables drawn by hand."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ncs.health.measure import (
    adjusted_rand,
    cell_cover,
    change_ratio,
    coverage,
    enlarge,
    find_objects,
    foreground_ari,
    lookalikes,
    mask_iou,
    matched_right,
    to_lab,
)


def scene(*boxes: tuple[int, int, int], size: int = 64) -> np.ndarray:
    """A segmentation with square objects at (top, left, width)."""
    segment = np.zeros((size, size), np.uint8)
    for index, (top, left, width) in enumerate(boxes):
        segment[top : top + width, left : left + width] = index + 1
    return segment


def perfect_masks(segment: np.ndarray, n_objects: int, side: int) -> np.ndarray:
    """Masks of slots that see each object exactly; a last slot has the background."""
    cover = cell_cover(segment, n_objects, side * side)
    return np.concatenate([cover, 1 - cover.sum(axis=0, keepdims=True)])


TWO = scene((5, 5, 13), (40, 30, 13))
EVERYBODY = np.ones(3, bool)


@pytest.mark.parametrize("seed", range(20))
def test_adjusted_rand_is_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(rng.integers(1, 6), size=50), rng.integers(4, size=50)
    assert adjusted_rand(truth, guess) == pytest.approx(adjusted_rand_score(truth, guess))


@pytest.mark.parametrize(
    ("truth", "guess"), [([1, 1, 1], [2, 2, 2]), ([0, 1, 2], [2, 0, 1]), ([0], [0])]
)
def test_adjusted_rand_of_the_same_partition_is_one(truth: list[int], guess: list[int]) -> None:
    assert adjusted_rand(np.array(truth), np.array(guess)) == 1.0


@pytest.mark.parametrize("side", [1, 4, 8, 16])
def test_enlarged_masks_still_sum_to_one(side: int) -> None:
    rng = np.random.default_rng(0)
    mask_KP = rng.dirichlet(np.ones(3), size=side * side).T
    np.testing.assert_allclose(enlarge(mask_KP, 64, 48).sum(axis=0), 1.0)


@pytest.mark.parametrize("side", [8, 16])
def test_figures_do_not_depend_on_the_order_of_slots(side: int) -> None:
    mask, order = perfect_masks(TWO, 2, side), np.array([2, 0, 1])
    finding = find_objects(mask[order], EVERYBODY, TWO, 2)
    assert finding.found.all()
    assert order[finding.holder].tolist() == [0, 1]
    assert foreground_ari(mask[order], EVERYBODY, TWO) == foreground_ari(mask, EVERYBODY, TWO)
    np.testing.assert_allclose(
        mask_iou(mask[order], EVERYBODY, TWO, 2), mask_iou(mask, EVERYBODY, TWO, 2)
    )


@pytest.mark.parametrize("side", [8, 16])
@pytest.mark.parametrize("top", range(0, 9))
def test_perfect_masks_find_every_object_wherever_it_lies(side: int, top: int) -> None:
    segment = scene((top, 2 * top, 13), (top + 20, top + 30, 13))
    mask = perfect_masks(segment, 2, side)
    finding = find_objects(mask, EVERYBODY, segment, 2)
    assert finding.found.all()
    assert finding.holder.tolist() == [0, 1]
    assert foreground_ari(mask, np.array([True, True, False]), segment) > 0.99


def test_a_thin_object_is_found_by_its_best_cell() -> None:
    segment = np.zeros((64, 64), np.uint8)
    segment[10:12, 4:40] = 1
    mask = np.zeros((2, 64))
    mask[0, 8:13] = 1  # the row of cells it crosses
    mask[1] = 1 - mask[0]
    assert find_objects(mask, np.ones(2, bool), segment, 1).found.all()


def test_an_object_shared_by_two_slots_is_not_found() -> None:
    mask = perfect_masks(TWO, 2, 16)
    split = np.stack([mask[0] / 2, mask[0] / 2, mask[1], mask[2]])
    finding = find_objects(split, np.ones(4, bool), TWO, 2)
    assert finding.found.tolist() == [False, True]


def test_a_duplicate_that_peaks_on_an_object_spoils_it_unless_absent() -> None:
    mask = perfect_masks(TWO, 2, 16)
    double = np.stack([mask[0] * 0.7, mask[0] * 0.3, mask[1], mask[2]])
    assert find_objects(double, np.ones(4, bool), TWO, 2).found.tolist() == [False, True]
    present = np.array([True, False, True, True])
    assert find_objects(double, present, TWO, 2).found.tolist() == [True, True]


def test_two_objects_in_one_slot_are_not_found() -> None:
    mask = perfect_masks(TWO, 2, 16)
    merged = np.stack([mask[0] + mask[1], mask[2]])
    finding = find_objects(merged, np.ones(2, bool), TWO, 2)
    assert not finding.found.any()
    assert finding.holder.tolist() == [0, 0]


def test_a_slot_that_also_takes_background_still_finds_its_object() -> None:
    mask = perfect_masks(TWO, 2, 16)
    smeared = mask[:2] + mask[2] / 2  # the paper's masks look like this
    finding = find_objects(smeared, np.ones(2, bool), TWO, 2)
    assert finding.found.all()
    assert foreground_ari(smeared, np.ones(2, bool), TWO) > 0.99
    assert (mask_iou(smeared, np.ones(2, bool), TWO, 2) < 0.5).all()


def test_absent_slots_find_nothing() -> None:
    finding = find_objects(perfect_masks(TWO, 2, 16), np.zeros(3, bool), TWO, 2)
    assert not finding.found.any()
    assert finding.holder.tolist() == [-1, -1]


def test_an_object_nobody_can_see_is_not_counted() -> None:
    finding = find_objects(perfect_masks(TWO, 2, 16), EVERYBODY, TWO, 3)
    assert finding.visible.tolist() == [True, True, False]
    assert np.isnan(mask_iou(perfect_masks(TWO, 2, 16), EVERYBODY, TWO, 3)[2])


def test_cells_left_over_are_background() -> None:
    mask = perfect_masks(TWO, 2, 16)[:2]  # the rest belongs to nobody
    iou = mask_iou(mask, np.ones(2, bool), TWO, 2)
    assert (iou > 0.8).all()


def test_mask_iou_of_a_table() -> None:
    segment = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 2, 2], [0, 0, 2, 2]], np.uint8)
    mask = np.zeros((2, 16))
    mask[0, [0, 1, 4, 5, 2, 6]] = 1  # object 1 and two cells of background: 4 / 6
    mask[1, [10, 11]] = 1  # the upper half of object 2: 2 / 4
    np.testing.assert_allclose(mask_iou(mask, np.ones(2, bool), segment, 2), [4 / 6, 2 / 4])


def test_matching_is_right_only_where_both_holders_are_paired() -> None:
    first, second = np.array([0, 1, 2, -1]), np.array([2, 0, -1, 1])
    match = np.array([2, 1, 0])  # slot 0 with 2, slot 1 with 1, slot 2 with 0
    assert matched_right(first, second, match).tolist() == [True, False, False, False]


def test_ratio_of_nothing_is_not_a_number() -> None:
    assert np.isnan(change_ratio(np.zeros(0), np.ones(1)))
    assert change_ratio(np.array([1.0, 3.0]), np.array([4.0])) == 0.5


def test_lab_of_known_colours() -> None:
    lab = to_lab(np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0]], float))
    np.testing.assert_allclose(lab, [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20]], atol=0.02)


def test_lookalikes_are_colours_close_to_another() -> None:
    colour = np.array([[0.8, 0.1, 0.1], [0.82, 0.1, 0.1], [0.1, 0.1, 0.8]])
    assert lookalikes(colour).tolist() == [True, True, False]
    assert lookalikes(colour[:1]).tolist() == [False]


def test_coverage_of_a_table() -> None:
    mask = np.zeros((1, 2, 4))
    mask[0, 0] = [1, 1, 1, 0]
    mask[0, 1] = [0, 0, 0, 1]
    cover = coverage(mask)
    np.testing.assert_allclose(cover.share, [0.75, 0.25])
    np.testing.assert_allclose(cover.entropy, [np.log(3) / np.log(4), 0], atol=1e-6)
    assert cover.sharing == pytest.approx(0, abs=1e-6)
    assert coverage(np.full((1, 2, 4), 0.5)).sharing == pytest.approx(1)
