"""Rules are induced from moves that worked and moves that failed.

A rule is a box around a thing or a place; it is found by moving one face at a time to where most
failures are explained and least that worked speaks against it.

Legend: N attempts, J other things, X points, M depths, 3 coordinates, metres.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ncs.graph.attempts import attempts_of
from ncs.graph.distances import Doubles, Floats
from ncs.graph.isolate import Experience
from ncs.graph.rules import EVERYWHERE, Attempts, Bools, Box, Rules, covered, write_rules
from ncs.records import Graph

# A success that a rule forbids counts as much as this many failures that it explains.
CONTRADICTION = 4.0
# A rule must explain as many failures as this, and this share of all of them.
LEAST_FAILURES = 5
LEAST_SHARE = 0.01
MOST_ATTEMPTS = 3000  # enough to find a rule that matters
MOST_RULES = 8
SLIGHT = 0.1  # what differs by this share of the size of a first box does not differ
SEEDS = 24
SWEEPS = 3


def learn_failures(graph: Graph, batches: Iterable[Experience], rng: np.random.Generator) -> Graph:
    """The graph with the rules of its experience; as it was where nothing failed for a reason."""
    known = graph.calibration
    if known is None or known.world is None:
        return graph
    attempts = Attempts.join([attempts_of(batch, graph, known) for batch in batches])
    near = usual_gap(attempts) / 2
    if graph.node.shape[1] == 3 and known.gap:  # things stand on things, and so nearer than usual
        near = min(near, known.gap / 2)
    rules = learn_rules(as_asked(attempts, near), rng)
    if not rules.hold and not rules.block and rules.need is None:
        return graph
    return replace(graph, calibration=replace(known, rules=write_rules(rules)))


def as_asked(attempts: Attempts, near: float) -> Attempts:
    """The attempts, of which only those worked that did what was asked, and nothing else.

    A thing that fell or slid elsewhere is not where it was sent, and one that took another along
    was not moved alone.
    """
    missed_N = np.linalg.norm(np.asarray(attempts.landed) - attempts.place, axis=1) > near
    return replace(attempts, worked=attempts.worked & ~missed_N & ~attempts.stirred)


def learn_rules(attempts: Attempts, rng: np.random.Generator) -> Rules:
    """The rules that explain failures best, found one after another.

    Each turn adds the rule that explains most failures not explained so far, as long as hardly
    anything that worked speaks against it.
    """
    gap = usual_gap(attempts)
    size = gap / 4
    asked = tried(attempts, size)
    few = asked.part(np.sort(rng.permutation(len(asked.worked))[:MOST_ATTEMPTS]))
    rules, last = Rules(), None
    while rules is not last and len(rules.hold) + len(rules.block) < MOST_RULES:
        rules, last = one_more_rule(rules, few, size), rules
    agreement = float((rules.foretell(asked) == asked.worked).mean()) if len(asked.worked) else 1.0
    miss, stirred = effects(asked)
    return replace(
        rules,
        gap=gap,
        attempts=len(asked.worked),
        agreement=agreement,
        miss=miss,
        stirred=stirred,
    )


def tried(attempts: Attempts, size: float) -> Attempts:
    """The attempts that asked for a move at all: to be put back teaches nothing."""
    away_N = np.abs(np.asarray(attempts.place) - attempts.thing).max(1)
    return attempts.part(np.flatnonzero(away_N > size))


def one_more_rule(rules: Rules, attempts: Attempts, size: float) -> Rules:
    """The rules and the one that explains most of what they do not; the same where none does."""
    value_N = worth(rules, attempts)
    least = max(LEAST_FAILURES, LEAST_SHARE * float((~attempts.worked).sum()))
    hold = forbid(attempts.others - attempts.thing[:, None], value_N, size)
    block = forbid(attempts.others - attempts.place[:, None], value_N, size)
    found = demand(attempts, value_N, size) if rules.need is None else None
    best = max(gain(hold), gain(block), gain(found[0]) if found else 0.0)
    if best < least:
        return rules
    if found and gain(found[0]) == best:
        return replace(rules, need=found[0], ground=found[1])
    if gain(hold) == best:
        return replace(rules, hold=(*rules.hold, hold))
    return replace(rules, block=(*rules.block, block))


def gain(box: Box) -> float:
    """What a rule is worth."""
    return box.failures - CONTRADICTION * box.successes


def effects(attempts: Attempts) -> tuple[float, float]:
    """By how much moves that worked missed, and in what share of them something else moved."""
    worked_N = attempts.worked
    if not worked_N.any():
        return 0.0, 0.0
    away_N = np.linalg.norm(attempts.landed[worked_N] - attempts.place[worked_N], axis=1)
    return float(np.median(away_N)), float(attempts.stirred[worked_N].mean())


def worth(rules: Rules, attempts: Attempts) -> Doubles:
    """What it is worth to forbid each attempt (N,): nothing for one that is forbidden already."""
    open_N = rules.foretell(attempts)
    return np.where(attempts.worked, -CONTRADICTION, 1.0) * open_N


def forbid(offset_NJ3: Floats, value_N: Doubles, size: float) -> Box:
    """The box in which another thing makes attempts fail, as far as there is one."""
    best, most = Box(np.full(3, np.inf), np.full(3, -np.inf)), 0.0
    for seed in seeds(offset_NJ3[value_N > 0].reshape(-1, 3), size):
        box = grow(seed, offset_NJ3, value_N, SLIGHT * size)
        value = float(value_N[covered((box,), offset_NJ3)].sum())
        if value > most:
            best, most = box, value
    return counted(best, covered((best,), offset_NJ3), value_N)


def counted(box: Box, forbidden_N: Bools, value_N: Doubles) -> Box:
    """A box with its evidence."""
    failures = int((value_N[forbidden_N] > 0).sum())
    return replace(box, failures=failures, successes=int((value_N[forbidden_N] < 0).sum()))


def seeds(offset_X3: Floats, size: float) -> list[Box]:
    """Small boxes to begin from, around offsets that differ, the nearest first.

    What is near is likelier to matter than what is far.
    """
    offset_X3 = np.asarray(offset_X3, np.float64)
    offset_X3 = offset_X3[~np.isnan(offset_X3).any(1)]
    boxes: list[Box] = []
    while len(offset_X3) and len(boxes) < SEEDS:
        middle_3 = offset_X3[np.linalg.norm(offset_X3, axis=1).argmin()]
        near_X = (np.abs(offset_X3 - middle_3) <= 2 * size).all(1)
        middle_3 = np.median(offset_X3[near_X], axis=0)
        boxes.append(Box(middle_3 - size, middle_3 + size))
        offset_X3 = offset_X3[~near_X]
    return boxes


def usual_gap(attempts: Attempts) -> float:
    """How far things usually are from the nearest other one."""
    offset_NJ3 = attempts.others - attempts.thing[:, None]
    if offset_NJ3.shape[1] == 0:
        return 0.0
    distance_NJ = np.where(
        np.isnan(offset_NJ3).any(-1), np.inf, np.linalg.norm(offset_NJ3, axis=-1)
    )
    nearest_N = distance_NJ.min(1)
    nearest_N = nearest_N[np.isfinite(nearest_N)]
    return float(np.median(nearest_N)) if len(nearest_N) else 0.0


def grow(box: Box, offset_NJ3: Floats, value_N: Doubles, slight: float) -> Box:
    """The box with each face where most is gained, if attempts with another inside are forbidden.

    One face is moved at a time, the others held, until none gains.
    """
    for _ in range(SWEEPS):
        before = box
        for axis in range(3):
            for side in (1, -1):
                box = move_face(box, axis, side, offset_NJ3, value_N, slight)
        if (box.low == before.low).all() and (box.high == before.high).all():
            break
    return box


def move_face(
    box: Box, axis: int, side: int, offset_NJ3: Floats, value_N: Doubles, slight: float
) -> Box:
    """The box with one face (side 1: the high one) where the sum of what is covered is largest."""
    opened = with_face(box, axis, side, np.inf * side)
    inside_NJ = opened.covers(offset_NJ3)
    # How far the face must be moved out for an attempt to be covered.
    depth_NJ = np.where(inside_NJ, side * offset_NJ3[..., axis], np.inf)
    depth_N = depth_NJ.min(1) if depth_NJ.shape[1] else np.full(len(value_N), np.inf)
    return with_face(box, axis, side, side * best_depth(depth_N, value_N, slight))


def with_face(box: Box, axis: int, side: int, position: float) -> Box:
    """The box with one face elsewhere."""
    low_3, high_3 = box.low.copy(), box.high.copy()
    (high_3 if side > 0 else low_3)[axis] = position
    return Box(low_3, high_3)


def best_depth(depth_N: Doubles, value_N: Doubles, slight: float) -> float:
    """How far out to cover the most valuable attempts.

    Where a stretch is equally good its middle is taken, and no bound where it has no end. What
    differs by no more than ``slight`` is one.
    """
    order = np.argsort(depth_N, kind="stable")
    order = order[np.isfinite(depth_N[order])]
    if len(order) == 0:
        return 0.0
    depth_M, total_M = depth_N[order], np.cumsum(value_N[order])
    last_of_equals_M = np.append(np.diff(depth_M) > slight, True)
    depth_M, total_M = depth_M[last_of_equals_M], total_M[last_of_equals_M]
    best = int(total_M.argmax())
    after = best
    while after + 1 < len(total_M) and total_M[after + 1] == total_M[best]:
        after += 1
    if after + 1 == len(total_M):
        return float("inf")
    return float(depth_M[best] + depth_M[after + 1]) / 2


def demand(attempts: Attempts, value_N: Doubles, size: float) -> tuple[Box, Box] | None:
    """The box in which another thing must be, and the ground where none need be.

    None where nothing seems to be needed.
    """
    offset_NJ3 = attempts.others - attempts.place[:, None]
    best: tuple[Box, Box] | None = None
    most = 0.0
    for need in seeds(offset_NJ3[value_N < 0].reshape(-1, 3), size):
        for _ in range(SWEEPS):
            # What lies in the box is spared, so its worth counts against it.
            ground = shrink(need, offset_NJ3, attempts.place, value_N, SLIGHT * size)
            outside_N = ~ground.covers(attempts.place)
            need = grow(need, offset_NJ3, -value_N * outside_N, SLIGHT * size)
        forbidden_N = ~covered((need,), offset_NJ3) & ~ground.covers(attempts.place)
        if (value := float(value_N[forbidden_N].sum())) > most:
            best, most = (counted(need, forbidden_N, value_N), ground), value
    return best


def shrink(need: Box, offset_NJ3: Floats, place_N3: Floats, value_N: Doubles, slight: float) -> Box:
    """The ground that spares what worked without another in the box, and little else."""
    spared_N = covered((need,), offset_NJ3)
    value_N = -value_N * ~spared_N
    ground = EVERYWHERE
    for axis in range(3):
        for side in (1, -1):
            ground = move_face(ground, axis, side, place_N3[:, None], value_N, slight)
    return ground
