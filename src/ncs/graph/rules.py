"""Rules of a world: when a thing can be picked, when a place can be taken, and what changes then.

A thing may not be picked while another is in certain regions around it; a place may not be taken
while another is in certain regions around that, or unless another is in a certain one. Regions are
boxes relative to the thing or the place, so that rules hold wherever things are and however many.

Legend: N attempts, J other things, X points, R rows, 3 coordinates, metres.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles, Floats

Bools = NDArray[np.bool_]
AXES = (("left", "right"), ("before", "behind"), ("below", "above"))  # minus and plus
HOLD, BLOCK, NEED, GROUND, NUMBERS = range(5)  # what a row of a table of rules is


@dataclass(frozen=True)
class Attempts:
    """Moves that were tried."""

    thing: Floats  # (N, 3) where the thing was that was to be picked
    place: Floats  # (N, 3) where it should have gone
    others: Floats  # (N, J, 3) where the other things were; NaN where there are fewer
    landed: Floats  # (N, 3) where the thing was afterwards
    stirred: Bools  # (N,) whether another thing moved too
    worked: Bools  # (N,)

    @classmethod
    def join(cls, parts: Sequence["Attempts"]) -> "Attempts":
        """Attempts of several batches as one record."""
        arrays = ([getattr(part, f.name) for part in parts] for f in fields(cls))
        return cls(*(np.concatenate(values) for values in arrays))

    def part(self, row: NDArray[np.int64]) -> "Attempts":
        """Some of the attempts."""
        return Attempts(
            self.thing[row],
            self.place[row],
            self.others[row],
            self.landed[row],
            self.stirred[row],
            self.worked[row],
        )


@dataclass(frozen=True)
class Box:
    """A region, with what speaks for the rule that it is part of."""

    low: Doubles  # (3,) -inf where there is no bound
    high: Doubles  # (3,)
    failures: int = 0  # failed attempts that it explains and no rule before it did
    successes: int = 0  # attempts that worked although the rule forbids them

    def covers(self, point_X3: Floats) -> Bools:
        """Which points lie inside (X,); NaN lies nowhere."""
        return np.asarray(((point_X3 >= self.low) & (point_X3 <= self.high)).all(-1))


EVERYWHERE = Box(np.full(3, -np.inf), np.full(3, np.inf))


@dataclass(frozen=True)
class Rules:
    """When things can be picked and places taken, and what changes then."""

    hold: tuple[Box, ...] = ()  # not picked while another is here, from the thing
    block: tuple[Box, ...] = ()  # not taken while another is here, from the place
    need: Box | None = None  # taken only when another is here, from the place; None: no need
    ground: Box = field(default=EVERYWHERE)  # places, in the world, where nothing is needed
    gap: float = 0.0  # how far things usually are from the nearest other one
    attempts: int = 0  # the rules rest on so many
    agreement: float = 1.0  # share of them that the rules foretell
    miss: float = 0.0  # by how much a thing that was moved usually misses its place
    stirred: float = 0.0  # share of moves that worked in which another thing moved too

    def may_pick(self, thing_N3: Floats, others_NJ3: Floats) -> Bools:
        """Which things can be picked (N,)."""
        return ~covered(self.hold, others_NJ3 - thing_N3[:, None])

    def may_take(self, place_N3: Floats, others_NJ3: Floats) -> Bools:
        """Which places can be taken (N,), given where the others are."""
        offset_NJ3 = others_NJ3 - place_N3[:, None]
        free_N = ~covered(self.block, offset_NJ3)
        if self.need is None:
            return free_N
        supported_N = covered((self.need,), offset_NJ3) | self.ground.covers(place_N3)
        return np.asarray(free_N & supported_N)

    def foretell(self, attempts: Attempts) -> Bools:
        """Which attempts should work (N,)."""
        return np.asarray(
            self.may_pick(attempts.thing, attempts.others)
            & self.may_take(attempts.place, attempts.others)
        )


def covered(boxes: Sequence[Box], offset_NJ3: Floats) -> Bools:
    """In which attempts some other thing lies in one of the boxes (N,)."""
    inside_N = np.zeros(len(offset_NJ3), bool)
    for box in boxes:
        inside_N |= box.covers(offset_NJ3).any(1)
    return inside_N


def write_rules(rules: Rules) -> Doubles:
    """The rules as a table (R, 9), to be kept in a file."""
    boxes = [(HOLD, box) for box in rules.hold] + [(BLOCK, box) for box in rules.block]
    if rules.need is not None:
        boxes += [(NEED, rules.need), (GROUND, rules.ground)]
    rows = [[kind, *box.low, *box.high, box.failures, box.successes] for kind, box in boxes]
    numbers = [rules.gap, rules.attempts, rules.agreement, rules.miss, rules.stirred]
    return np.array([*rows, [NUMBERS, *numbers, 0, 0, 0]], np.float64)


def read_rules(table_R9: Floats) -> Rules:
    """The rules that a table holds."""
    boxes: dict[int, list[Box]] = {kind: [] for kind in range(NUMBERS)}
    for kind, *values in np.asarray(table_R9, np.float64)[:-1].tolist():
        low_3, high_3 = np.array(values[:3]), np.array(values[3:6])
        boxes[int(kind)].append(Box(low_3, high_3, int(values[6]), int(values[7])))
    gap, attempts, agreement, miss, stirred = np.asarray(table_R9)[-1, 1:6].tolist()
    return Rules(
        hold=tuple(boxes[HOLD]),
        block=tuple(boxes[BLOCK]),
        need=boxes[NEED][0] if boxes[NEED] else None,
        ground=boxes[GROUND][0] if boxes[GROUND] else EVERYWHERE,
        gap=gap,
        attempts=int(attempts),
        agreement=agreement,
        miss=miss,
        stirred=stirred,
    )


def say_rules(rules: Rules) -> list[str]:
    """The rules as sentences, each with its evidence."""
    lines = [
        f"A thing cannot be picked if another is {_say_where(box)} of it{_say_evidence(box)}."
        for box in rules.hold
    ] or ["A thing can be picked wherever others are."]
    lines += [
        f"A place cannot be taken if another is {_say_where(box)} of it{_say_evidence(box)}."
        for box in rules.block
    ]
    if rules.need is not None:
        lines.append(
            f"A place can only be taken if another is {_say_where(rules.need)} of it, or it lies "
            f"{_say_where(rules.ground)} of the origin{_say_evidence(rules.need)}."
        )
    lines.append(
        f"What is moved comes to within {rules.miss:.3f} m of its place; something else moves too "
        f"in {rules.stirred:.1%} of moves."
    )
    lines.append(f"These rules foretell {rules.agreement:.2%} of {rules.attempts} attempts.")
    return lines


def _say_evidence(box: Box) -> str:
    return f" ({box.failures} failures say so, {box.successes} successes deny it)"


def _say_where(box: Box) -> str:
    """A box in words; x is to the right and z up, as in actions."""
    words = [
        _say_range(float(low), float(high), *names)
        for low, high, names in zip(
            box.low,
            box.high,
            AXES,
            strict=True,
        )
    ]
    return ", ".join(word for word in words if word) or "anywhere"


def _say_range(low: float, high: float, minus: str, plus: str) -> str:
    """Bounds along one axis, by the names of its two ways."""
    if not np.isfinite(low) and not np.isfinite(high):
        return ""

    def say(value: float) -> str:
        return f"{abs(value):.2f} m {plus if value >= 0 else minus}"

    if not np.isfinite(high):
        return f"from {say(low)} and further {plus}"
    if not np.isfinite(low):
        return f"from {say(high)} and further {minus}"
    return f"from {say(low)} to {say(high)}"
