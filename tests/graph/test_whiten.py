"""The matching metric."""

import numpy as np
import pytest

from ncs.graph.whiten import fit_whitening


def drifting(rng, n=2000):
    """Types whose first channel says nothing: it follows the place."""
    kind = rng.random((n, 3)) * [0, 1, 1]
    noise = [1.0, 0.02, 0.05]
    return kind + rng.normal(size=(n, 3)) * noise, kind + rng.normal(size=(n, 3)) * noise


def test_one_object_at_two_places_differs_alike_in_all_directions(rng):
    before, after = drifting(rng)
    matrix = fit_whitening(before, after)
    covariance = np.cov(((before - after) @ matrix).T)
    # The largest differences were dropped and a ridge added, so the scale is only about one.
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() < 0.1
    assert 0.3 < np.diag(covariance).min() <= np.diag(covariance).max() < 2


def test_whitened_types_match_where_plain_ones_do_not(rng):
    before, after = drifting(rng)
    matrix = fit_whitening(before[:1000], after[:1000])

    def hits(a, b):
        return np.mean(((a[:, None] - b[None]) ** 2).sum(-1).argmin(1) == np.arange(len(a)))

    sample = slice(1000, 1020)
    assert hits(before[sample] @ matrix, after[sample] @ matrix) > 0.6
    assert hits(before[sample], after[sample]) < 0.4


def test_a_few_wrong_pairs_hardly_matter(rng):
    before, after = drifting(rng)
    spoilt = after.copy()
    spoilt[:100] = 50 * rng.normal(size=(100, 3))
    clean, robust = fit_whitening(before, after), fit_whitening(before, spoilt)
    np.testing.assert_allclose(
        np.linalg.svd(robust, compute_uv=False), np.linalg.svd(clean, compute_uv=False), rtol=0.3
    )


@pytest.mark.parametrize("n", [0, 5])
def test_without_any_difference_types_are_left_as_they_are(n):
    same = np.ones((n, 4))
    np.testing.assert_array_equal(fit_whitening(same, same), np.eye(4))


def test_types_that_never_drift_are_told_apart_to_a_hundredth_of_their_spread(rng):
    kind = rng.normal(size=(1000, 3)) * 7
    matrix = fit_whitening(kind, kind)
    np.testing.assert_allclose(np.linalg.norm(kind @ matrix, axis=1).mean(), 160, rtol=0.05)
