"""K-means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from ncs.graph.cluster import cluster, refine, seed_spread
from ncs.graph.distances import pairwise

METRICS = ["cosine", "sqeuclidean", "iou"]


def blobs(rng, n=400, centres=12, channels=3):
    centre = rng.random((centres, channels))
    return centre[rng.integers(centres, size=n)] + 0.05 * rng.normal(size=(n, channels))


@pytest.mark.parametrize("seed", range(8))
def test_inertia_equals_scikit_learns_from_the_same_start(seed):
    rng = np.random.default_rng(seed)
    state = blobs(rng)
    start = state[rng.choice(len(state), 10, replace=False)]
    oracle = KMeans(10, init=start, n_init=1, max_iter=300, tol=0, algorithm="lloyd").fit(state)
    ours = refine(state, start, "sqeuclidean", 300)
    assert abs(ours.inertia - oracle.inertia_) <= 1e-5 * oracle.inertia_


@pytest.mark.parametrize("seed", range(4))
def test_inertia_is_not_above_scikit_learns_own_best(seed):
    rng = np.random.default_rng(seed)
    state = blobs(rng)
    oracle = KMeans(12, n_init=10, random_state=seed).fit(state)
    ours = cluster(state, 12, "sqeuclidean", rng, restarts=10)
    assert ours.inertia <= oracle.inertia_ * (1 + 1e-5)


@pytest.mark.parametrize("metric", METRICS)
@given(seed=st.integers(0, 999), nodes=st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_no_cluster_is_empty_and_every_state_is_with_its_nearest(metric, seed, nodes):
    rng = np.random.default_rng(seed)
    state = rng.random((15, 4)).round(1)
    for initialisation in ("kmeans++", "forgy"):
        found = cluster(state, nodes, metric, rng, initialisation)
        assert set(found.label) == set(range(len(found.centroid)))
        distance = pairwise(state, found.centroid, metric)
        np.testing.assert_array_equal(found.label, distance.argmin(1))
        assert found.inertia == pytest.approx(distance.min(1).sum())


@given(seed=st.integers(0, 999))
@settings(max_examples=20, deadline=None)
def test_refining_again_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    state = blobs(rng, n=60)
    once = refine(state, seed_spread(state, 6, "sqeuclidean", rng), "sqeuclidean", 300)
    twice = refine(state, once.centroid, "sqeuclidean", 300)
    np.testing.assert_allclose(once.centroid, twice.centroid, atol=1e-12)


@given(seed=st.integers(0, 999))
@settings(max_examples=20, deadline=None)
def test_the_order_of_states_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    state = blobs(rng, n=60)
    start = state[:5].copy()
    order = rng.permutation(60)
    a, b = (refine(s, start, "sqeuclidean", 300) for s in (state, state[order]))
    np.testing.assert_allclose(a.centroid, b.centroid, atol=1e-9)
    np.testing.assert_array_equal(a.label[order], b.label)


def test_the_same_seed_gives_the_same_nodes():
    state = blobs(np.random.default_rng(0))
    a, b = (cluster(state, 9, "iou", np.random.default_rng(3), restarts=2) for _ in range(2))
    np.testing.assert_array_equal(a.centroid, b.centroid)


@pytest.mark.parametrize("initialisation", ["kmeans++", "forgy"])
def test_there_are_no_more_nodes_than_distinct_states(initialisation):
    state = np.repeat(np.eye(3), 5, 0)
    found = cluster(state, 10, "sqeuclidean", np.random.default_rng(0), initialisation)
    assert len(found.centroid) == 3
    assert found.inertia == 0


def test_an_empty_cluster_takes_over_the_furthest_state():
    state = np.array([[0.0], [1], [10], [11], [30]])
    start = np.array([[0.5], [15], [1000]])
    found = refine(state, start, "sqeuclidean", 300)
    np.testing.assert_allclose(np.sort(found.centroid[:, 0]), [0.5, 10.5, 30])


def test_nothing_clusters_into_nothing():
    found = cluster(np.zeros((0, 4)), 5, "cosine", np.random.default_rng(0))
    assert found.centroid.shape == (0, 4)
    assert found.label.shape == (0,)


def test_euclidean_is_clustered_by_its_square():
    state = blobs(np.random.default_rng(1))
    plain, square = (
        cluster(state, 5, metric, np.random.default_rng(0))
        for metric in ("euclidean", "sqeuclidean")
    )
    np.testing.assert_array_equal(plain.centroid, square.centroid)
