"""Which slot an action moved: transitions of scenes become moves of single entities.

Legend: C clips, T frames, N transitions, K slots, D type channels, S state channels,
P mask cells, R slots at rest, G frames.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles, Floats, paired, pairwise
from ncs.graph.nearest import states
from ncs.records import DataError

FAIR_SHARE = 0.05  # of transitions without a move, below which they are taken for slips of the eye


@dataclass(frozen=True)
class Experience:
    """Clips as a model sees them: slot k is the same entity in every frame of a clip."""

    kind: Floats  # (C, T, K, D)
    state: Floats  # (C, T, K, S)
    mask: Floats  # (C, T, K, P)
    presence: NDArray[np.bool_]  # (C, T, K)
    action: Floats  # (C, T - 1, 6)

    def __post_init__(self) -> None:
        """Refuses arrays that do not belong together."""
        clips, frames, slots = self.presence.shape
        for name in ("kind", "state", "mask"):
            shape = getattr(self, name).shape
            if shape[:3] != (clips, frames, slots) or len(shape) != 4:
                raise DataError(
                    f"experience.{name} has shape {shape}, but presence says "
                    f"({clips}, {frames}, {slots}, channels)"
                )
        if self.action.shape != (clips, frames - 1, 6):
            raise DataError(
                f"experience.action has shape {self.action.shape}, but {clips} clips of {frames} "
                f"frames need ({clips}, {frames - 1}, 6)"
            )


@dataclass(frozen=True)
class Isolated:
    """The slot that changed most in each transition, and by how much."""

    slot: NDArray[np.int64]  # (N,) -1 where no slot is present in both frames
    change: Doubles  # (N,) 0 where there is no slot


@dataclass(frozen=True)
class Moves:
    """Transitions of single entities, and how the entities that were left alone behaved."""

    before: Floats  # (N, S)
    after: Floats  # (N, S)
    mask_before: Floats  # (N, P)
    mask_after: Floats  # (N, P)
    action: Floats  # (N, 6)
    change: Doubles  # (N,) state change of the moved slot
    rest: Doubles  # (R,) state changes of present slots that were not the moved one
    apart: Doubles  # (G,) distance of the two nearest entities of a frame

    def __len__(self) -> int:
        """Moves, N."""
        return len(self.action)


def most_changed(
    before_NKS: Floats, after_NKS: Floats, present_NK: NDArray[np.bool_], metric: str
) -> Isolated:
    """The slot whose state changed most; slots that stand for nothing are left out.

    Of equal changes the lowest slot is taken.
    """
    if before_NKS.shape[1] == 0:
        empty_N = np.zeros(len(before_NKS))
        return Isolated(slot=np.full(len(before_NKS), -1), change=empty_N)
    change_NK = np.where(present_NK, paired(before_NKS, after_NKS, metric), -np.inf)
    slot_N = change_NK.argmax(1)
    change_N = change_NK[np.arange(len(slot_N)), slot_N]
    nobody_N = ~present_NK.any(1)
    return Isolated(slot=np.where(nobody_N, -1, slot_N), change=np.where(nobody_N, 0.0, change_N))


def isolate(experience: Experience, representation: str, metric: str) -> Moves:
    """The moves of a batch of clips: of each transition, the one entity that the action moved."""
    state_CTKS = states(experience, representation)
    slots = experience.presence.shape[2]

    def flat(array: NDArray[Any], shift: int) -> NDArray[Any]:
        """Frames t (shift 0) or t + 1 (shift 1) of all transitions, (N, K, ...)."""
        frames = array.shape[1]
        part = array[:, shift : frames - 1 + shift]
        return part.reshape(-1, *part.shape[2:])

    present_NK = flat(experience.presence, 0) & flat(experience.presence, 1)
    before_NKS, after_NKS = flat(state_CTKS, 0), flat(state_CTKS, 1)
    moved = most_changed(before_NKS, after_NKS, present_NK, metric)
    row = np.flatnonzero(moved.slot >= 0)
    slot = moved.slot[row]
    resting_NK = present_NK & (moved.slot[:, None] != np.arange(slots))
    return Moves(
        before=before_NKS[row, slot],
        after=after_NKS[row, slot],
        mask_before=flat(experience.mask, 0)[row, slot],
        mask_after=flat(experience.mask, 1)[row, slot],
        action=experience.action.reshape(-1, 6)[row],
        change=moved.change[row],
        rest=paired(before_NKS[resting_NK], after_NKS[resting_NK], metric),
        apart=nearest_distances(state_CTKS[:, 0], experience.presence[:, 0], metric),
    )


def nearest_distances(
    state_CKS: Floats, present_CK: NDArray[np.bool_], metric: str
) -> NDArray[np.float64]:
    """How far apart the two nearest entities of each scene are; scenes of fewer are left out."""
    distances = []
    for state_KS, present_K in zip(state_CKS, present_CK, strict=True):
        seen_KS = state_KS[present_K]
        if len(seen_KS) > 1:
            distance_KK = pairwise(seen_KS, seen_KS, metric)
            distances.append(distance_KK[np.triu_indices(len(seen_KS), 1)].min())
    return np.asarray(distances, np.float64)


def join(parts: Sequence[Moves]) -> Moves:
    """Moves of several batches as one record."""
    if not parts:
        raise DataError("no experience was given: a graph needs at least one batch of clips")
    return Moves(
        **{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Moves)}
    )


def leave_out_failures(moves: Moves) -> Moves:
    """The moves in which something moved; all of them unless a fair share moved nothing.

    Nothing moved where the most changed slot did so hardly more than slots at rest do.
    """
    if len(moves) == 0 or len(moves.rest) == 0:
        return moves
    usual = float(np.quantile(moves.change, 0.75))
    least = min(2 * float(np.quantile(moves.rest, 0.99)), usual / 4)
    moved_N = moves.change > least
    if moved_N.mean() > 1 - FAIR_SHARE:
        return moves
    parts = {f.name: getattr(moves, f.name) for f in fields(Moves)}
    return Moves(**{n: a if n in ("rest", "apart") else a[moved_N] for n, a in parts.items()})
