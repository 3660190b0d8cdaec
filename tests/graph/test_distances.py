"""Distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ncs.graph.distances import length, paired, pairwise

METRICS = ["cosine", "euclidean", "sqeuclidean", "iou"]
masks = arrays(np.float64, (4, 6), elements=st.floats(0, 1, width=16))


@pytest.mark.parametrize("metric", METRICS)
@given(a=masks, b=masks)
def test_a_distance_is_symmetric_and_never_negative(metric, a, b):
    there = pairwise(a, b, metric)
    np.testing.assert_allclose(there, pairwise(b, a, metric).T, atol=1e-12)
    assert (there >= 0).all()


@pytest.mark.parametrize("metric", METRICS)
@given(a=masks, b=masks)
def test_pairs_are_the_diagonal_of_all_pairs(metric, a, b):
    np.testing.assert_allclose(paired(a, b, metric), np.diagonal(pairwise(a, b, metric)), atol=1e-7)


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean"])
@given(a=masks)
def test_a_state_is_at_zero_from_itself(metric, a):
    assert (paired(a, a, metric) == 0).all()


@given(a=arrays(np.float64, (3, 5), elements=st.floats(0.1, 1)), scale=st.floats(0.1, 10))
def test_cosine_knows_no_length(a, scale):
    np.testing.assert_allclose(paired(a, scale * a, "cosine"), 0, atol=1e-12)


def test_a_vector_of_zeros_points_nowhere():
    nothing, something = np.zeros((1, 3)), np.ones((1, 3))
    assert pairwise(nothing, something, "cosine") == 1
    assert pairwise(nothing, nothing, "cosine") == 0


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # foreground overlap + background overlap, taken from two
        ([1, 1, 0, 0], [1, 1, 0, 0], 2 - (1 + 1)),
        ([1, 1, 0, 0], [0, 0, 1, 1], 2 - (0 + 0)),
        ([1, 1, 0, 0], [1, 0, 0, 0], 2 - (1 / 2 + 2 / 3)),
        ([1, 1, 1, 0], [0, 1, 1, 1], 2 - (2 / 4 + 0 / 2)),
        ([1, 0, 0, 0], [1, 1, 1, 1], 2 - (1 / 4 + 0 / 3)),
        ([0.5, 0, 0, 0], [1, 0, 0, 0], 2 - (0.5 / 1 + 3 / 3.5)),
        ([0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], 2 - (0.5 / 1.5 + 2.5 / 3.5)),
        ([0, 0, 0, 0], [0, 0, 0, 0], 2 - (0 + 1)),
    ],
)
def test_soft_overlap_matches_a_table_made_by_hand(a, b, expected):
    a, b = np.array([a], float), np.array([b], float)
    np.testing.assert_allclose(pairwise(a, b, "iou")[0, 0], expected, atol=1e-6)
    np.testing.assert_allclose(paired(a, b, "iou")[0], expected, atol=1e-6)


def test_offsets_are_as_long_as_euclid_says():
    offset = np.random.default_rng(0).normal(size=(3, 5, 2))
    np.testing.assert_array_equal(length(offset), np.linalg.norm(offset, axis=-1))
