"""Tasks obey the placement law, and moves obey the boxes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncs.envs.tabletop.facts import HALF_AREA, HELD_COLOURS, PALETTE, REACH, SLACK, Style
from ncs.envs.tabletop.mesh_set import own_meshes
from ncs.envs.tabletop.meshes import make_set
from ncs.envs.tabletop.shapes import extrude
from ncs.envs.tabletop.solids import solids
from ncs.envs.tabletop.tasks import (
    Boxes,
    Law,
    default_moving,
    distance,
    draw_colours,
    draw_kinds,
    draw_task,
    find_boxes,
    fits,
    lattice_places,
    lattice_shape,
    next_move,
    pick,
)
from ncs.records import ConfigError

AREA = 2 * HALF_AREA


def law(n: int, goal: str = "complete", **changes: int) -> Law:
    values = {"n_constrained": min(2, n), "n_moving": default_moving(n), **changes}
    return Law(n, goal, **values)  # type: ignore[arg-type]


def squares(n: int, half: float = 0.05) -> Boxes:
    return Boxes(np.full((n, 2), -half), np.full((n, 2), half))


@settings(max_examples=120, deadline=None)
@given(st.integers(1, 8), st.integers(0, 10_000), st.sampled_from(["complete", "partial", "none"]))
def test_drawn_tasks_obey_the_law(n: int, seed: int, goal: str) -> None:
    task = draw_task(np.random.default_rng(seed), own_meshes(), law(n, goal))
    scene = task.scene
    boxes = find_boxes(own_meshes(), scene["kind"], scene["yaw"])
    shape = lattice_shape(boxes)
    moved = distance(scene["start"], scene["goal"]) >= REACH
    assert shape.prod() >= n + default_moving(n)
    assert len(set(scene["colour"].tolist())) == n
    assert (scene["meshes"] == own_meshes().stamp).all()
    assert task.minimum_moves == (moved & scene["constrained"]).sum()
    n_constrained = {"complete": n, "partial": min(2, n), "none": 0}[goal]
    n_moving = {"complete": default_moving(n), "partial": min(2, n), "none": 0}[goal]
    assert scene["constrained"].tolist() == [i < n_constrained for i in range(n)]
    assert moved.tolist() == [i < n_moving for i in range(n)]
    for places in (scene["start"], scene["goal"]):
        corner = (places + boxes.low + HALF_AREA) / (AREA / shape)
        np.testing.assert_allclose(corner, corner.round(), atol=1e-5)
        everyone = [fits(boxes, places, i, places[i : i + 1])[0] for i in range(n)]
        assert all(everyone)
    cells = np.concatenate([scene["start"], scene["goal"][moved]]) + np.concatenate(
        [boxes.low, boxes.low[moved]]
    )
    assert len(np.unique(cells.round(5), axis=0)) == n + n_moving, "two share a cell"


def test_meshes_and_yaws_are_uniform_where_every_scene_is_accepted() -> None:
    ball = make_set({name: [solids()["sphere80"]] for name in "abcd"})
    rng = np.random.default_rng(0)
    tasks = [draw_task(rng, ball, law(3)) for _ in range(800)]
    kinds = np.bincount(np.concatenate([t.scene["kind"] for t in tasks]), minlength=4)
    np.testing.assert_allclose(kinds / kinds.sum(), 0.25, atol=0.03)
    yaws = np.histogram(np.concatenate([t.scene["yaw"] for t in tasks]), 6, (0, 2 * np.pi))[0]
    np.testing.assert_allclose(yaws / yaws.sum(), 1 / 6, atol=0.03)
    colours = np.bincount(np.concatenate([t.scene["colour"] for t in tasks]), minlength=13)
    np.testing.assert_allclose(colours / colours.sum(), 1 / len(PALETTE), atol=0.02)


def test_starts_and_goals_are_uniform_over_the_cells() -> None:
    can = make_set({"can": [solids()["cylinder"]]})  # always a lattice of 4 by 3
    rng = np.random.default_rng(0)
    tasks = [draw_task(rng, can, law(4)) for _ in range(600)]
    for name in ("start", "goal"):
        corners = [
            t.scene[name] + find_boxes(can, t.scene["kind"], t.scene["yaw"]).low for t in tasks
        ]
        column, row = (
            ((np.concatenate(corners) + HALF_AREA) / (AREA / [4, 3])).round().T.astype(int)
        )
        share = np.bincount(column + 4 * row, minlength=12) / (4 * len(tasks))
        np.testing.assert_allclose(share, 1 / 12, atol=0.025)


def test_a_scene_that_never_has_room_is_refused() -> None:
    slab = make_set({"slab": [extrude([[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 1], [0.1, 1]])]})
    with pytest.raises(ConfigError, match=r"n_objects: in .* none had room for 4 goals"):
        draw_task(np.random.default_rng(0), slab, law(8))


def test_cells_are_as_many_as_the_largest_box_allows() -> None:
    assert lattice_shape(squares(3)).tolist() == [6, 5]  # 0.6075 / 0.1 and 0.58178 / 0.1
    places = lattice_places(squares(2), np.array([6, 5]))
    assert places.shape == (2, 30, 2)
    np.testing.assert_allclose(places[0, 0], -HALF_AREA + 0.05)
    np.testing.assert_allclose(places[0, 1] - places[0, 0], [0.10125, 0])
    np.testing.assert_allclose(places[0, 6] - places[0, 0], [0, AREA[1] / 5])


def test_boxes_hold_the_turned_outline_and_no_more() -> None:
    rng = np.random.default_rng(0)
    kind, yaw = rng.integers(94, size=20), rng.uniform(0, 2 * np.pi, 20)
    boxes = find_boxes(own_meshes(), kind, yaw)
    for i in range(20):
        corners = np.concatenate(own_meshes().mesh[kind[i]].part).reshape(-1, 3)[:, :2]
        c, s = np.cos(yaw[i]), np.sin(yaw[i])
        turned = corners.astype(np.float64) @ np.array([[c, s], [-s, c]])
        np.testing.assert_allclose(boxes.low[i], turned.min(axis=0), atol=1e-9)
        np.testing.assert_allclose(boxes.high[i], turned.max(axis=0), atol=1e-9)


@pytest.mark.parametrize(
    ("point", "picked"),
    [((0.0, 0.0), 0), ((0.049, 0.0), 0), ((0.05, 0.0), None), ((0.07, 0.0), 1), ((0, 0.2), None)],
)
def test_the_nearest_object_within_five_centimetres_is_picked(
    point: tuple[float, float], picked: int | None
) -> None:
    assert pick(np.array([[0.0, 0.0], [0.11, 0.0]]), np.array(point)) == picked


@pytest.mark.parametrize(
    ("target", "legal", "why"),
    [
        ((0.2, 0.2), True, "free"),
        ((0.1, 0.0), True, "touches the other"),
        ((0.1 - SLACK / 2, 0.0), True, "overlaps by less than the slack"),
        ((0.0999, 0.0), False, "overlaps the other"),
        ((0.0999, 0.1001), True, "overlaps the other in one axis only"),
        ((HALF_AREA[0] - 0.05, 0.0), True, "touches the edge"),
        ((HALF_AREA[0] - 0.0499, 0.0), False, "sticks out in x"),
        ((-0.2, -HALF_AREA[1] + 0.0499), False, "sticks out in y"),
        ((-0.2, 0.0), True, "stays"),
        ((5.0, 5.0), False, "far outside"),
    ],
)
def test_a_box_must_stay_in_the_area_and_off_the_others(
    target: tuple[float, float], legal: bool, why: str
) -> None:
    places = np.array([[-0.2, 0.0], [0.0, 0.0]])
    assert fits(squares(2), places, 0, np.array([target]))[0] == legal, why


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.integers(0, 10_000), st.sampled_from(["complete", "partial"]))
def test_following_the_next_move_solves_in_the_fewest_moves(n: int, seed: int, goal: str) -> None:
    task = draw_task(np.random.default_rng(seed), own_meshes(), law(n, goal))
    scene = task.scene
    boxes = find_boxes(own_meshes(), scene["kind"], scene["yaw"])
    places, moves = scene["start"].copy(), 0
    while (move := next_move(boxes, places, scene["goal"], scene["constrained"])) is not None:
        assert fits(boxes, places, move[0], move[1][None])[0]
        places[move[0]] = move[1]
        moves += 1
    assert moves == task.minimum_moves
    assert (distance(places, scene["goal"])[scene["constrained"]] < REACH).all()


def test_objects_that_stand_on_each_others_goals_are_cleared_away() -> None:
    places = np.array([[0.2, 0.0], [-0.2, 0.0], [0.0, 0.2]])
    goals = np.array([[-0.2, 0.01], [0.21, 0.0], [0.0, 0.2]])
    constrained = np.array([True, True, False])
    moves = 0
    while (move := next_move(squares(3), places, goals, constrained)) is not None:
        assert fits(squares(3), places, move[0], move[1][None])[0]
        places[move[0]] = move[1]
        moves += 1
    assert moves == 3
    assert (distance(places, goals)[constrained] < REACH).all()


def test_an_object_that_stands_nearly_right_but_in_the_way_is_put_right() -> None:
    places = np.array([[-0.2, 0.0], [0.1, 0.0]])
    goals = np.array([[0.04, 0.0], [0.14, 0.0]])
    index, target = next_move(squares(2), places, goals, np.array([True, True])) or (None, None)
    assert index == 1
    np.testing.assert_allclose(target, goals[1])


def test_seen_and_unseen_share_no_mesh_and_no_colour() -> None:
    shown = {style: drawn(style, 4) for style in ("plain", "seen", "unseen")}
    for part in (0, 1):
        assert not shown["seen"][part] & shown["unseen"][part]
        assert shown["seen"][part] | shown["unseen"][part] == shown["plain"][part]
    assert len(shown["unseen"][1]) == 4


def test_unseen_colours_come_first_and_run_out_after_four() -> None:
    for seed in range(20):
        colours = draw_colours(np.random.default_rng(seed), 7, "unseen").tolist()
        assert set(colours[:4]) == set(HELD_COLOURS)
        assert len(set(colours)) == 7


def drawn(style: Style, n_objects: int) -> tuple[set[int], set[int]]:
    rng = np.random.default_rng(0)
    kinds = draw_kinds(rng, 94, style, (4000,))
    colours = [draw_colours(rng, n_objects, style) for _ in range(200)]
    return set(kinds.tolist()), set(np.concatenate(colours).tolist())
