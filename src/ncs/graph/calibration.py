"""What moves tell beyond the graph: where in the world a state is, what rests, what is apart.

A recorded action is a free label: w is where the moved entity was, w + delta w where it went.

Legend: N moves, X states, S state channels, F features, M nodes.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles, Floats
from ncs.graph.isolate import Moves
from ncs.records import Calibration

# Above this many channels the products of channels outnumber what a buffer can pin down.
MAX_QUADRATIC = 8
# A miss beyond this many medians is a wrong label; noise alone exceeds it in 1 case of 500.
OUTLIER = 3.0
REFITS = 5
# Misses below this share of a usual move are never called wrong, however good the rest is.
SLIGHT = 0.05
# A node's own correction counts for half once it rests on this many moves.
PRIOR_MOVES = 5


@dataclass(frozen=True)
class WorldFit:
    """A regression from states to world positions."""

    coefficient: Doubles | None  # (F, 3); None where there were too few moves to fit it
    miss: Doubles  # (2N, 3) label minus prediction, states before moves first, then those after
    inlier: NDArray[np.bool_]  # (2N,)
    error: float  # median length of a miss, metres

    @property
    def outliers(self) -> float:
        """Share of moves that contradict their action at one end at least."""
        both_N = self.inlier[: len(self.inlier) // 2] & self.inlier[len(self.inlier) // 2 :]
        return float(1 - both_N.mean()) if len(both_N) else 0.0


def calibrate(
    moves: Moves, from_N: NDArray[np.int64], to_N: NDArray[np.int64], n_nodes: int
) -> Calibration:
    """The calibration of a graph's nodes by moves that were bound to them."""
    fit = fit_world(moves)
    end_X3 = ends(moves.action)
    node_X = np.concatenate([from_N, to_N])
    return Calibration(
        still=still_threshold(moves),
        gap=float(np.quantile(moves.apart, 0.05)) if len(moves.apart) else 0.0,
        error=fit.error,
        outliers=fit.outliers,
        pick=node_positions(end_X3[: len(moves)], from_N, n_nodes),
        place=node_positions(end_X3[len(moves) :], to_N, n_nodes),
        world=fit.coefficient,
        offset=node_offsets(fit, node_X, n_nodes).astype(np.float32),
    )


def ends(action_N6: Floats) -> Doubles:
    """World positions (2N, 3) that actions speak of: all w first, then all w + delta w."""
    w_N3 = np.asarray(action_N6[:, :3], np.float64)
    return np.concatenate([w_N3, w_N3 + action_N6[:, 3:]])


def features(state_XS: Floats, n_features: int | None = None) -> Doubles:
    """Constant, channels and, where channels are few, their products: (X, F)."""
    channels = state_XS.shape[1]
    one_XS = np.ones((len(state_XS), 1 + channels))
    one_XS[:, 1:] = state_XS
    if n_features == 1 + channels or channels > MAX_QUADRATIC:
        return one_XS
    first_F, second_F = channel_pairs(1 + channels)
    return np.asarray(one_XS.take(first_F, 1) * one_XS.take(second_F, 1))


@functools.cache
def channel_pairs(channels: int) -> tuple[NDArray[np.int64], ...]:
    """Every two of so many channels, each with itself too: the first ones, and the second ones."""
    return np.triu_indices(channels)


def fit_world(moves: Moves) -> WorldFit:
    """Least squares from states to the actions' labels, refitted without wrong labels."""
    label_X3 = ends(moves.action)
    state_XS = np.concatenate([moves.before, moves.after])
    feature_XF = features(state_XS)
    if len(feature_XF) < 3 * feature_XF.shape[1]:
        feature_XF = features(state_XS, n_features=1 + state_XS.shape[1])
    if len(feature_XF) < 3 * feature_XF.shape[1]:
        nothing_X = np.ones(len(label_X3), bool)
        return WorldFit(None, np.zeros_like(label_X3), nothing_X, 0.0)
    inlier_X = np.ones(len(label_X3), bool)
    slight = SLIGHT * float(np.median(np.linalg.norm(moves.action[:, 3:], axis=1)))
    for _ in range(1 + REFITS):
        found = np.linalg.lstsq(feature_XF[inlier_X], label_X3[inlier_X], rcond=None)
        coefficient_F3 = np.asarray(found[0], np.float64)
        miss_X3 = label_X3 - feature_XF @ coefficient_F3
        # Without height in the state only x and y count: z has no effect there, and no picture from
        # above tells how tall things are.
        counted = 3 if state_XS.shape[1] == 3 else 2
        length_X = np.linalg.norm(miss_X3[:, :counted], axis=1)
        inlier_X = length_X <= max(OUTLIER * float(np.median(length_X)), slight)
    return WorldFit(coefficient_F3, miss_X3, inlier_X, float(np.median(length_X)))


def locate(state_XS: Floats, coefficient_F3: Doubles) -> Doubles:
    """World positions (X, 3) of states by a fitted regression."""
    return features(state_XS, len(coefficient_F3)) @ coefficient_F3


def node_offsets(fit: WorldFit, label_X: NDArray[np.int64], n_nodes: int) -> Doubles:
    """What the regression misses near each node (M, 3), held back where few moves say so."""
    offset_M3 = np.zeros((n_nodes, 3))
    for node in range(n_nodes):
        miss_X3 = fit.miss[(label_X == node) & fit.inlier]
        if len(miss_X3):
            trust = len(miss_X3) / (len(miss_X3) + PRIOR_MOVES)
            offset_M3[node] = trust * np.median(miss_X3, axis=0)
    return offset_M3


def node_positions(
    position_N3: Floats, label_N: NDArray[np.int64], n_nodes: int
) -> NDArray[np.float32]:
    """The median world position (M, 3) of each node's entities; NaN for a node without any."""
    position_M3 = np.full((n_nodes, 3), np.nan, np.float32)
    for node in np.unique(label_N):
        position_M3[node] = np.median(position_N3[label_N == node], axis=0)
    return position_M3


def still_threshold(moves: Moves) -> float:
    """The state change that best tells an entity at rest from one that was moved.

    It lies, in proportion, midway between nearly the largest change seen at rest and nearly the
    smallest seen in a move, and is never less than a tenth of such a move: a state that is read
    without a miss in the buffer may yet be misread by a pixel in a fuller scene.
    """
    if len(moves) == 0:
        return 0.0
    least = float(np.quantile(moves.change, 0.05))
    rest = moves.rest[moves.rest < least / 2]  # what went along did not rest
    if len(rest) == 0:
        return least / 2  # nothing was seen at rest
    return max(float(np.sqrt(least * np.quantile(rest, 0.95))), least / 10)
