"""Tasks obey the spec, and the fewest moves are really the fewest."""

import itertools
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncs.envs.blocks.facts import N_CELLS, NO_GOAL, Style
from ncs.envs.blocks.tasks import (
    cell_centres,
    draw_task,
    minimum_moves,
    nearest_cell,
    next_move,
)

STYLES: tuple[Style, ...] = ("lookalike", "faint", "crowded")


@pytest.mark.parametrize("n_objects", range(1, 13))
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_drawn_tasks_obey_the_spec(n_objects: int, goal: str) -> None:
    for seed in range(50):
        task = draw_task(np.random.default_rng(seed), n_objects, goal, min(2, n_objects))  # type: ignore[arg-type]
        start, target = task.scene["start"], task.scene["goal"]
        constrained = target[target != NO_GOAL]
        assert len(set(start.tolist())) == n_objects
        assert len(set(constrained.tolist())) == len(constrained)
        assert len(constrained) == (n_objects if goal == "complete" else min(2, n_objects))
        assert (start != target).all()
        if n_objects <= 8 or goal == "partial":
            assert not set(constrained.tolist()) & set(start.tolist())
            assert task.minimum_moves == len(constrained)
        assert ((task.scene["colour"] >= 0) & (task.scene["colour"] <= 1)).all()


def test_colours_are_uniform() -> None:
    rng = np.random.default_rng(0)
    colours = np.concatenate([draw_task(rng, 4, "complete", 2).scene["colour"] for _ in range(500)])
    histogram = np.histogram(colours, 10, (0, 1))[0] / colours.size
    np.testing.assert_allclose(histogram, 0.1, atol=0.015)


def test_from_nine_objects_on_a_goal_may_be_another_objects_start() -> None:
    tasks = [draw_task(np.random.default_rng(s), 12, "complete", 2) for s in range(100)]
    assert all(set(t.scene["goal"].tolist()) & set(t.scene["start"].tolist()) for t in tasks)
    assert any(t.minimum_moves > 12 for t in tasks), "no cycle in a hundred tasks"


@given(st.integers(0, N_CELLS - 1), st.floats(-0.099, 0.099), st.floats(-0.099, 0.099))
def test_a_point_belongs_to_the_cell_whose_centre_is_nearest(
    cell: int, dx: float, dy: float
) -> None:
    assert nearest_cell(*(cell_centres()[cell] + [dx, dy])) == cell


@pytest.mark.parametrize("point", [(0.41, 0.0), (0.0, -0.41), (5.0, 5.0)])
def test_a_point_outside_the_arena_has_no_cell(point: tuple[float, float]) -> None:
    assert nearest_cell(*point) is None


def test_the_arenas_edge_belongs_to_its_last_cell() -> None:
    assert nearest_cell(0.4, 0.4) == N_CELLS - 1
    assert nearest_cell(-0.4, -0.4) == 0


def breadth_first(start: tuple[int, ...], goal: tuple[int, ...], cells: int) -> int:
    """Fewest moves by exhaustive search."""
    seen, queue = {start}, deque([(start, 0)])
    while queue:
        state, depth = queue.popleft()
        if all(g in (NO_GOAL, s) for s, g in zip(state, goal, strict=True)):
            return depth
        for index, target in itertools.product(range(len(state)), range(cells)):
            if target not in state:
                after = (*state[:index], target, *state[index + 1 :])
                if after not in seen:
                    seen.add(after)
                    queue.append((after, depth + 1))
    raise AssertionError("unsolvable")


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(6)), st.permutations(range(6)), st.sets(st.integers(0, 3)))
def test_the_fewest_moves_agree_with_exhaustive_search(
    start: list[int], goal: list[int], free: set[int]
) -> None:
    cells = tuple(start[:4])
    goals = tuple(NO_GOAL if i in free else g for i, g in enumerate(goal[:4]))
    assert minimum_moves(np.array(cells), np.array(goals)) == breadth_first(cells, goals, 6)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10_000), st.sampled_from(["complete", "partial"]))
def test_following_the_next_move_solves_in_the_fewest_moves(
    n_objects: int, seed: int, goal: str
) -> None:
    rng = np.random.default_rng(seed)
    task = draw_task(rng, n_objects, goal, min(2, n_objects))  # type: ignore[arg-type]
    cells = task.scene["start"].astype(np.int64)
    moves = 0
    while (move := next_move(cells, task.scene["goal"].astype(np.int64))) is not None:
        assert move[1] not in cells, "moved onto another cube"
        cells[move[0]] = move[1]
        moves += 1
    assert moves == task.minimum_moves


def test_hard_styles_are_what_they_say() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        alike, faint, crowded = (draw_task(rng, 7, "complete", 2, style) for style in STYLES)
        assert np.ptp(alike.scene["colour"], axis=0).max() <= 0.16 + 1e-6
        contrast = np.abs(faint.scene["colour"] - 0.75).max(axis=1)
        assert ((contrast >= 0.03 - 1e-6) & (contrast <= 0.08 + 1e-6)).all()
        cells = crowded.scene["start"].astype(int)
        x, y = cells % 4, cells // 4
        apart = np.abs(x[:, None] - x) + np.abs(y[:, None] - y)
        assert ((apart == 1).sum(axis=1) >= 1).all()
