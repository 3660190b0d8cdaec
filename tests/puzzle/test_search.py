"""The search finds plans that work, and none is shorter than need be."""

from collections import deque
from collections.abc import Sequence

import numpy as np
import pytest

from ncs.puzzle import ANYWHERE, Arrangement, Outlook, Puzzle, solve

COLUMNS, LEVELS = 3, 3


def stacks(columns: int, levels: int) -> Puzzle:
    """Cells ``level * columns + column``, each of which rests on the one below."""
    cells = range(columns * levels)
    return Puzzle(
        hold=tuple(1 << c + columns if c + columns < len(cells) else 0 for c in cells),
        block=tuple(1 << c for c in cells),
        need=tuple(1 << c - columns if c >= columns else 0 for c in cells),
    )


def distances(puzzle: Puzzle, start: Arrangement) -> dict[Arrangement, int]:
    """How far every arrangement is, by looking at all of them."""
    away, queue = {start: 0}, deque([start])
    while queue:
        places = queue.popleft()
        for move in puzzle.moves(places):
            if (after := move.apply(places)) not in away:
                away[after] = away[places] + 1
                queue.append(after)
    return away


def drop(rng: np.random.Generator, columns: int, levels: int, n_things: int) -> Arrangement:
    """Things dropped into random columns."""
    height, places = [0] * columns, []
    for _ in range(n_things):
        column = int(rng.choice([c for c in range(columns) if height[c] < levels]))
        places.append(height[column] * columns + column)
        height[column] += 1
    return tuple(np.array(places)[rng.permutation(n_things)].tolist())


def meets(places: Arrangement, goal: Sequence[int]) -> bool:
    return all(want in (ANYWHERE, place) for place, want in zip(places, goal, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_is_possible_and_the_shortest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    puzzle = stacks(COLUMNS, LEVELS)
    start = drop(rng, COLUMNS, LEVELS, 4)
    away = distances(puzzle, start)
    for _ in range(8):
        goal = list(drop(rng, COLUMNS, LEVELS, 4))
        for thing in rng.permutation(4)[: int(rng.integers(4))]:
            goal[thing] = ANYWHERE
        plan = solve(puzzle, start, goal)
        assert plan is not None
        assert len(plan) == min(steps for places, steps in away.items() if meets(places, goal))
        places = start
        for move in plan:
            assert puzzle.can_move(places, move.thing, move.place)
            places = move.apply(places)
        assert meets(places, goal)


@pytest.mark.parametrize("seed", range(6))
def test_the_estimate_is_never_too_high(seed: int) -> None:
    rng = np.random.default_rng(seed)
    puzzle = stacks(COLUMNS, LEVELS)
    goal = list(drop(rng, COLUMNS, LEVELS, 4))
    for thing in rng.permutation(4)[: seed % 3]:
        goal[thing] = ANYWHERE
    outlook = Outlook(puzzle, goal)
    for _ in range(6):
        start = drop(rng, COLUMNS, LEVELS, 4)
        away = distances(puzzle, start)
        fewest = min(steps for places, steps in away.items() if meets(places, goal))
        assert outlook.estimate(start) <= fewest


def test_a_ring_on_a_flat_floor_costs_one_move_more() -> None:
    flat = Puzzle(hold=(0,) * 5, block=tuple(1 << p for p in range(5)), need=(0,) * 5)
    plan = solve(flat, (0, 1, 2), (1, 2, 0))
    assert plan is not None
    assert len(plan) == 4


def test_no_plan_is_found_where_there_is_none() -> None:
    full = Puzzle(hold=(0, 0), block=(1, 2), need=(0, 0))
    assert solve(full, (0, 1), (1, 0)) is None


def test_the_search_gives_up_when_it_may_look_no_further() -> None:
    assert solve(stacks(3, 3), (0, 3, 6, 1), (6, 3, 0, 1), most=1) is None


def test_haste_costs_no_more_than_its_weight() -> None:
    rng = np.random.default_rng(3)
    puzzle = stacks(4, 4)
    for _ in range(5):
        start, goal = drop(rng, 4, 4, 6), drop(rng, 4, 4, 6)
        shortest, hasty = solve(puzzle, start, goal), solve(puzzle, start, goal, weight=3.0)
        assert shortest is not None
        assert hasty is not None
        assert len(shortest) <= len(hasty) <= 3 * len(shortest)
