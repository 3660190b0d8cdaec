"""Fits leave out what is wrong, and keep what is right but for a little."""

import numpy as np
import torch

from ncs.model.touched.geometry import fit, terms


def test_labels_that_are_wrong_by_far_have_no_say() -> None:
    rng = np.random.default_rng(0)
    point_N2 = rng.normal(size=(200, 2))
    value_N1 = 3 * point_N2[:, :1] + 1
    value_N1[::10] += 5
    found_F1 = fit(point_N2, value_N1)
    np.testing.assert_allclose(found_F1[:3, 0], [1, 3, 0], atol=1e-4)


def test_a_majority_that_fits_to_the_hair_does_not_silence_the_rest() -> None:
    rng = np.random.default_rng(0)
    point_N3 = rng.normal(size=(300, 3)) * [1, 1, 0]
    point_N3[:60, 2] = rng.integers(1, 3, 60)  # few are high, and read less exactly
    value_N1 = 10 * point_N3[:, :1] - 6 * point_N3[:, 2:]
    value_N1[:60] += rng.normal(0, 0.05, (60, 1))
    found_F1 = fit(point_N3, value_N1)
    guess_N1 = terms(torch.from_numpy(point_N3)).numpy() @ found_F1
    assert np.abs(guess_N1 - value_N1).max() < 0.3
