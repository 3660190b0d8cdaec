"""States become nodes: K-means under any of the metrics.

Legend: N states, M nodes, S state channels, L trials.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ncs.graph.distances import Doubles, Floats, pairwise

Initialisation = Literal["kmeans++", "forgy"]


@dataclass(frozen=True)
class Clusters:
    """Centroids that at least one state belongs to."""

    centroid: Doubles  # (M, S)
    label: NDArray[np.int64]  # (N,)
    inertia: float  # sum of the distances of the states to their centroids


def cluster(
    state_NS: Floats,
    n_nodes: int,
    metric: str,
    rng: np.random.Generator,
    initialisation: Initialisation = "kmeans++",
    restarts: int = 1,
    max_iterations: int = 300,
) -> Clusters:
    """The best of several K-means runs; fewer nodes where there are fewer distinct states.

    Under "euclidean" the squared distance is minimised, as the mean demands; the assignment is
    the same.
    """
    point_NS: Doubles = np.asarray(state_NS, np.float64)
    metric = "sqeuclidean" if metric == "euclidean" else metric
    n_nodes = min(n_nodes, len(point_NS))
    if n_nodes == 0:
        return Clusters(np.zeros((0, point_NS.shape[1])), np.zeros(0, np.int64), 0.0)
    begin = seed_spread if initialisation == "kmeans++" else seed_at_random
    runs = (
        refine(point_NS, begin(point_NS, n_nodes, metric, rng), metric, max_iterations)
        for _ in range(restarts)
    )
    return min(runs, key=lambda run: run.inertia)


def seed_at_random(
    state_NS: Doubles, n_nodes: int, metric: str, rng: np.random.Generator
) -> Doubles:
    """States drawn with replacement: Forgy's way, and the paper's."""
    return state_NS[rng.integers(len(state_NS), size=n_nodes)]


def seed_spread(state_NS: Doubles, n_nodes: int, metric: str, rng: np.random.Generator) -> Doubles:
    """States far from each other: greedy k-means++, the best of a few draws at each turn."""
    n_trials = 2 + int(np.log(n_nodes))
    chosen = [int(rng.integers(len(state_NS)))]
    nearest_N = pairwise(state_NS, state_NS[chosen], metric)[:, 0]
    while len(chosen) < n_nodes:
        total = nearest_N.sum()
        share_N = nearest_N / total if total > 0 else None
        trial_L = rng.choice(len(state_NS), size=n_trials, p=share_N)
        left_NL = np.minimum(nearest_N[:, None], pairwise(state_NS, state_NS[trial_L], metric))
        best = int(left_NL.sum(0).argmin())
        chosen.append(int(trial_L[best]))
        nearest_N = left_NL[:, best]
    return state_NS[chosen]


def refine(state_NS: Doubles, centroid_MS: Doubles, metric: str, max_iterations: int) -> Clusters:
    """Lloyd's iterations from given centroids until they gain nothing more."""
    best_MS, least = centroid_MS, np.inf
    for _ in range(max_iterations):
        distance_NM = pairwise(state_NS, centroid_MS, metric)
        inertia = float(distance_NM.min(1).sum())
        # Only under the squared distance is every step a gain; the others may wander at the end.
        if inertia >= least:
            break
        best_MS, least = centroid_MS, inertia
        label_N = refill(distance_NM.argmin(1), distance_NM)
        centroid_MS = means(state_NS, label_N, centroid_MS)
    distance_NM = pairwise(state_NS, best_MS, metric)
    used_M, label_N = np.unique(distance_NM.argmin(1), return_inverse=True)
    return Clusters(
        centroid=best_MS[used_M], label=label_N, inertia=float(distance_NM.min(1).sum())
    )


def refill(label_N: NDArray[np.int64], distance_NM: Doubles) -> NDArray[np.int64]:
    """Labels in which each empty cluster has taken over a state far from its own centroid.

    A state is only taken from a cluster that keeps another one.
    """
    size_M = np.bincount(label_N, minlength=distance_NM.shape[1])
    empty = np.flatnonzero(size_M == 0)
    if len(empty) == 0:
        return label_N
    label_N = label_N.copy()
    own_N = distance_NM[np.arange(len(label_N)), label_N]
    far_first = iter(np.argsort(-own_N, kind="stable"))
    for cluster_index in empty:
        for state_index in far_first:
            if own_N[state_index] > 0 and size_M[label_N[state_index]] > 1:
                size_M[label_N[state_index]] -= 1
                label_N[state_index] = cluster_index
                break
    return label_N


def means(state_NS: Doubles, label_N: NDArray[np.int64], centroid_MS: Doubles) -> Doubles:
    """The mean state of each cluster; an empty one keeps its centroid."""
    member_MN = csr_array(
        (np.ones(len(label_N)), (label_N, np.arange(len(label_N)))),
        shape=(len(centroid_MS), len(label_N)),
    )
    size_M = np.bincount(label_N, minlength=len(centroid_MS))[:, None]
    return np.where(size_M > 0, (member_MN @ state_NS) / np.maximum(size_M, 1), centroid_MS)
