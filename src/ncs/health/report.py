"""Takes what a model said of clips, and the truth if there is one; gives figures with guides.

Legend: B clips, T frames, K slots, P mask cells, N objects, H height, W width, D type channels,
S state channels.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.health import measure as health
from ncs.health.guides import GUIDES
from ncs.health.measure import Finding


@dataclass(frozen=True)
class Evidence:
    """What a model said of clips."""

    mask: NDArray[np.float32]  # (B, T, K, P) followed from frame to frame
    presence: NDArray[np.bool_]  # (B, T, K)
    kind: NDArray[np.float32]  # (B, T, K, D)
    state: NDArray[np.float32]  # (B, T, K, S)
    picked: NDArray[np.int64]  # (B, T - 1) the slot ``isolate`` names for each action
    pair_mask: NDArray[np.float32]  # (B, 2, K, P) first and last frame, each encoded on its own
    pair_presence: NDArray[np.bool_]  # (B, 2, K)
    match: NDArray[np.int64]  # (B, K) slot of the last frame ``align`` gives each, -1 for none
    guess: NDArray[np.float32]  # (B, T, K, 2) where in the world slots are, by actions


@dataclass(frozen=True)
class Truth:
    """What was really there: N objects in each clip."""

    segment: NDArray[np.uint8]  # (B, T, H, W)
    moved: NDArray[np.int64]  # (B, T - 1) the object each action moved, -1 for none
    colour: NDArray[np.float32]  # (B, N, 3)
    position: NDArray[np.float32]  # (B, T, N, 2) metres


@dataclass(frozen=True)
class Report:
    """Figures of one number of objects."""

    n_objects: int | None  # None: nobody counted, and only what needs no truth is told
    n_slots: int
    n_clips: int
    figures: Mapping[str, float]  # NaN where the clips say nothing
    share: NDArray[np.float64]  # (K,) of the image, as in ``Coverage``
    entropy: NDArray[np.float64]  # (K,)
    lookalikes: float | None  # share of objects left out of type_matching_distinct

    @property
    def title(self) -> str:
        """What was looked at, in words."""
        seen = f"{self.n_slots} slots, {self.n_clips} clips"
        if self.n_objects is None:
            return f"{seen}, without ground truth: only what can be said without it"
        return f"{self.n_objects} objects, {seen}"

    def healthy(self, name: str) -> bool:
        """Whether a figure is as good as its guide asks for."""
        guide, value = GUIDES[name], self.figures[name]
        return value >= guide.good if guide.higher else value <= guide.good

    @cached_property
    def ailing(self) -> list[str]:
        """Names of the figures that are not."""
        return [name for name in self.figures if not self.healthy(name)]

    def to_json(self) -> dict[str, Any]:
        """The report as plain values; a figure without a value is null."""
        return {
            "objects": self.n_objects,
            "slots": self.n_slots,
            "clips": self.n_clips,
            "lookalikes": self.lookalikes,
            "share": self.share.tolist(),
            "entropy": self.entropy.tolist(),
            "figures": {
                name: {
                    "value": None if math.isnan(value) else value,
                    "good": GUIDES[name].good,
                    "healthy": self.healthy(name),
                    "title": GUIDES[name].title,
                    "if_bad": GUIDES[name].bad,
                    "try": GUIDES[name].remedy,
                }
                for name, value in self.figures.items()
            },
        }


def examine(evidence: Evidence, truth: Truth | None) -> Report:
    """The report on some clips; without the truth, of what slots say of one another alone."""
    n_clips, n_frames, n_slots = evidence.presence.shape
    cover = health.coverage(evidence.mask.reshape(n_clips * n_frames, n_slots, -1))
    figures = {
        **(_without_truth(evidence) if truth is None else _with_truth(evidence, truth)),
        "largest_share": float(evidence.mask.mean(axis=3).max(axis=2).mean()),
        "sharing": cover.sharing,
    }
    return Report(
        None if truth is None else truth.colour.shape[1],
        n_slots,
        n_clips,
        {name: figures[name] for name in GUIDES if name in figures},
        cover.share,
        cover.entropy,
        None if truth is None else _lookalikes(truth),
    )


def _lookalikes(truth: Truth) -> float:
    return float(np.concatenate([health.lookalikes(colour) for colour in truth.colour]).mean())


def _without_truth(evidence: Evidence) -> dict[str, float]:
    """Figures of motion, each present slot taken for an object and the picked one for the moved."""
    slot_K = np.arange(evidence.presence.shape[2])
    findings = [
        [Finding(np.where(present_K, slot_K, -1), present_K, present_K) for present_K in clip]
        for clip in evidence.presence
    ]
    figures = _motion(evidence, evidence.picked, findings)
    del figures["isolate"]  # right by the assumption
    return figures


def _with_truth(evidence: Evidence, truth: Truth) -> dict[str, float]:
    """Figures of what was found against what was there."""
    n_clips, n_frames, _ = evidence.presence.shape
    findings = [[_find(evidence, truth, b, t) for t in range(n_frames)] for b in range(n_clips)]
    flat = [finding for clip in findings for finding in clip]
    return {
        "found": _share([f.found[f.visible] for f in flat]),
        "found_frames": _share([np.array([f.found[f.visible].all()]) for f in flat]),
        **_pairs(evidence, truth),
        **_masks(evidence, truth),
        **_places(evidence, truth, findings),
        **_motion(evidence, truth.moved, findings),
    }


def _share(flags: list[NDArray[np.bool_]]) -> float:
    joined = np.concatenate(flags) if flags else np.zeros(0, bool)
    return float(joined.mean()) if len(joined) else math.nan


def _find(evidence: Evidence, truth: Truth, b: int, t: int) -> Finding:
    return health.find_objects(
        evidence.mask[b, t],
        evidence.presence[b, t],
        truth.segment[b, t],
        truth.colour.shape[1],
    )


def _masks(evidence: Evidence, truth: Truth) -> dict[str, float]:
    aris, ious = [], []
    for b, t in np.ndindex(evidence.presence.shape[:2]):
        seen = (evidence.mask[b, t], evidence.presence[b, t], truth.segment[b, t])
        aris.append(health.foreground_ari(*seen))
        ious.append(health.mask_iou(*seen, truth.colour.shape[1]))
    return {
        "foreground_ari": float(np.nanmean(aris)),
        "mask_iou": float(np.nanmean(np.concatenate(ious))),
    }


def _places(evidence: Evidence, truth: Truth, findings: list[list[Finding]]) -> dict[str, float]:
    """How far from an object its slot says it is."""
    misses = [np.zeros(0)]
    for b, t in np.ndindex(evidence.presence.shape[:2]):
        found_N = findings[b][t].found
        guess_N2 = evidence.guess[b, t][findings[b][t].holder[found_N]]
        misses.append(np.linalg.norm(guess_N2 - truth.position[b, t][found_N], axis=1))
    miss = np.concatenate(misses)
    if not len(miss):
        return {"place_error": math.nan, "place_error_95": math.nan}
    middle, far = np.quantile(miss, [0.5, 0.95])
    return {"place_error": float(middle), "place_error_95": float(far)}


def _pairs(evidence: Evidence, truth: Truth) -> dict[str, float]:
    """Figures of the first and last frame, each encoded on its own."""
    found, right, distinct = [], [], []
    for b in range(len(evidence.match)):
        first, last = (
            health.find_objects(
                evidence.pair_mask[b, side],
                evidence.pair_presence[b, side],
                truth.segment[b, -side],  # 0 is the first frame, -1 the last
                truth.colour.shape[1],
            )
            for side in (0, 1)
        )
        seen_N = first.visible & last.visible
        right_N = health.matched_right(first.holder, last.holder, evidence.match[b])
        found += [first.found[first.visible], last.found[last.visible]]
        right.append(right_N[seen_N])
        distinct.append(right_N[seen_N & ~health.lookalikes(truth.colour[b])])
    return {
        "found_alone": _share(found),
        "type_matching": _share(right),
        "type_matching_distinct": _share(distinct),
    }


def _motion(
    evidence: Evidence, moved_BT: NDArray[np.int64], findings: list[list[Finding]]
) -> dict[str, float]:
    """Figures of transitions: what the moved and the unmoved objects' slots did."""
    right, drift, between, moved, rest = [], [], [], [], []
    for b, t in np.ndindex(moved_BT.shape):
        before, after = findings[b][t].holder, findings[b][t + 1].holder
        mover = moved_BT[b, t]
        if mover < 0:
            continue
        kept_N = (before == after) & (before >= 0)
        right.append(kept_N[mover] and evidence.picked[b, t] == before[mover])
        kind, state = evidence.kind[b], evidence.state[b]
        between.append(health.spread_between(kind[t, before[before >= 0]]))
        shift_N = np.linalg.norm(state[t + 1, after] - state[t, before], axis=1)
        still_N = kept_N & (np.arange(len(before)) != mover)
        rest.append(shift_N[still_N])
        if kept_N[mover]:
            moved.append(shift_N[mover])
            drift.append(np.linalg.norm(kind[t + 1, after[mover]] - kind[t, before[mover]]))
    joined = [np.concatenate(many) if many else np.zeros(0) for many in (between, rest)]
    return {
        "isolate": _share([np.array(right, bool)]),
        "type_drift": health.change_ratio(np.array(drift), joined[0]),
        "state_rest": health.change_ratio(joined[1], np.array(moved)),
    }
