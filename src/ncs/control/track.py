"""Entities followed from frame to frame, so that one bad picture is not believed.

Legend: J tracks, K slots, D type channels, S state channels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ncs.graph.distances import Doubles, Floats, pairwise

# A track that no slot has supported for this many frames is given up.
PATIENCE = 2


@dataclass(frozen=True)
class Tracks:
    """Entities of an episode. A track keeps its row for good."""

    kind: Doubles  # (J, D) mean type over the frames it was seen in
    state: Doubles  # (J, S) latest state
    seen: NDArray[np.int64]  # (J,) frames it was seen in
    missed: NDArray[np.int64]  # (J,) frames since it was last seen
    slot: NDArray[np.int64]  # (J,) its slot in the latest frame, -1 if it was not seen

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which tracks still count, (J,)."""
        return self.missed < PATIENCE


@dataclass(frozen=True)
class Expected:
    """What may have moved since the last frame."""

    before: Floats | None = None  # (S,) where the entity that was acted on stood
    target: Floats | None = None  # (S,) where it should have gone
    anything: bool = True  # the action was blind: any entity may have gone anywhere


def follow(
    tracks: Tracks | None,
    kind_KD: Floats,
    state_KS: Floats,
    present_K: NDArray[np.bool_],
    expected: Expected,
    metric: str,
    near: float,
) -> Tracks:
    """The tracks after one more frame.

    An entity is looked for where it stood, the one that was acted on also where it was sent. What
    is left over on both sides may be the entity that a blind action moved; the rest of the slots
    are new.
    """
    if tracks is None:
        tracks = no_tracks(kind_KD.shape[1], state_KS.shape[1])
    slot_J = np.full(len(tracks.seen), -1)
    free_K = present_K.copy()
    if len(slot_J) and len(free_K):
        distance_JK = expected_distances(tracks, state_KS, expected, metric, near)
        take(slot_J, free_K, distance_JK, distance_JK <= near)
        movable_J = np.full(len(slot_J), expected.anything)
        if expected.before is not None:
            movable_J |= at_place(tracks, expected.before, metric, near)
        likeness_JK = pairwise(tracks.kind, kind_KD, "euclidean")
        take(slot_J, free_K, likeness_JK, np.repeat(movable_J[:, None], len(free_K), 1))
    return renew(tracks, slot_J, np.flatnonzero(free_K), kind_KD, state_KS)


def no_tracks(n_types: int, n_states: int) -> Tracks:
    """The tracks of an episode that has not begun."""
    none = np.zeros(0, np.int64)
    return Tracks(np.zeros((0, n_types)), np.zeros((0, n_states)), none, none, none)


def at_place(tracks: Tracks, place_S: Floats, metric: str, near: float) -> NDArray[np.bool_]:
    """The track (J,) that stands nearest a place, if it is near at all."""
    distance_J = pairwise(tracks.state, np.asarray(place_S)[None], metric)[:, 0]
    here_J = np.arange(len(distance_J)) == distance_J.argmin()
    return np.asarray(here_J & (distance_J <= near))


def expected_distances(
    tracks: Tracks, state_KS: Floats, expected: Expected, metric: str, near: float
) -> Doubles:
    """How far each slot is from where each track may be by now, (J, K)."""
    distance_JK = pairwise(tracks.state, state_KS, metric)
    if expected.before is not None and expected.target is not None:
        moved_J = at_place(tracks, expected.before, metric, near)
        target_K = pairwise(np.asarray(expected.target)[None], state_KS, metric)[0]
        distance_JK[moved_J] = np.minimum(distance_JK[moved_J], target_K)
    return distance_JK


def take(
    slot_J: NDArray[np.int64],
    free_K: NDArray[np.bool_],
    cost_JK: Doubles,
    allowed_JK: NDArray[np.bool_],
) -> None:
    """Gives free slots to tracks without one, as cheaply as possible; changes its first two."""
    row = np.flatnonzero(slot_J < 0)
    column = np.flatnonzero(free_K)
    allowed = allowed_JK[np.ix_(row, column)]
    if not allowed.any():
        return
    cost = cost_JK[np.ix_(row, column)]
    forbidden = 1.0 + 2.0 * cost.max() * min(cost.shape)
    for i, j in zip(*linear_sum_assignment(np.where(allowed, cost, forbidden)), strict=True):
        if allowed[i, j]:
            slot_J[row[i]] = column[j]
            free_K[column[j]] = False


def renew(
    tracks: Tracks,
    slot_J: NDArray[np.int64],
    new: NDArray[np.int64],
    kind_KD: Floats,
    state_KS: Floats,
) -> Tracks:
    """Tracks with what their slots show now, and a new track for each new slot."""
    found_J = slot_J >= 0
    seen_J = tracks.seen + found_J
    kind_JD, state_JS = tracks.kind.copy(), tracks.state.copy()
    state_JS[found_J] = state_KS[slot_J[found_J]]
    share = 1.0 / seen_J[found_J][:, None]
    kind_JD[found_J] += share * (kind_KD[slot_J[found_J]] - kind_JD[found_J])
    return Tracks(
        kind=np.concatenate([kind_JD, kind_KD[new]]),
        state=np.concatenate([state_JS, state_KS[new]]),
        seen=np.concatenate([seen_J, np.ones(len(new), np.int64)]),
        missed=np.concatenate([np.where(found_J, 0, tracks.missed + 1), np.zeros_like(new)]),
        slot=np.concatenate([slot_J, new]),
    )
