"""Surfaces close, face outwards and have the volume that geometry says."""

import math

import numpy as np
import pytest

from ncs.envs.tabletop.shapes import (
    area,
    clip_ears,
    extrude,
    outward,
    revolve,
    smoothed,
    sweep,
    turn,
    volume_and_centroid,
)

trimesh = pytest.importorskip("trimesh")
L_SHAPE = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]
SHAPES = {
    "cylinder": (revolve([[0, 0], [1, 0], [1, 2], [0, 2]], 200), 2 * math.pi),
    "cup": (revolve([[0, 0], [2, 0], [2, 3], [1, 3], [1, 1], [0, 1]], 200), 10 * math.pi),
    "ring": (revolve([[1, 0], [2, 0], [2, 1], [1, 1]], 200), 3 * math.pi),
    "angle": (extrude(L_SHAPE, [[0, 1], [2, 1]]), 6.0),
    "clockwise angle": (extrude(L_SHAPE[::-1], [[0, 1], [2, 1]]), 6.0),
    "frustum": (extrude([[-1, -1], [1, -1], [1, 1], [-1, 1]], [[0, 1], [3, 0.5]]), 7.0),
    "rod": (sweep([[0, 0, 0], [5, 0, 0]], [[1, 1], [1, 1]], 200), 5 * math.pi),
    "flat rod": (sweep([[0, 0, 0], [5, 0, 0]], [[2, 0.5], [2, 0.5]], 200), 5 * math.pi),
    "torus": (
        sweep(
            [[3 * math.cos(a), 3 * math.sin(a), 0] for a in np.linspace(0, 2 * math.pi, 101)[:-1]],
            [[1, 1]] * 100,
            60,
            closed=True,
        ),
        6 * math.pi**2,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_surfaces_close_and_have_their_volume(name: str) -> None:
    triangles, volume = SHAPES[name]
    solid = trimesh.Trimesh(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    assert solid.is_watertight
    assert solid.is_winding_consistent
    assert solid.volume == pytest.approx(volume, rel=5e-3)
    found, centroid = volume_and_centroid(triangles)
    assert found == pytest.approx(solid.volume)
    np.testing.assert_allclose(centroid, solid.center_mass, atol=1e-9)


def test_outward_mends_a_surface_that_is_inside_out() -> None:
    cube = extrude([[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 1], [1, 1]])
    assert volume_and_centroid(outward(cube[:, ::-1]))[0] == pytest.approx(1)


def test_ears_fill_an_outline_exactly() -> None:
    outline = np.array(L_SHAPE, float)
    assert sum(area(outline[ear]) for ear in clip_ears(outline)) == pytest.approx(area(outline))


def test_an_outline_that_crosses_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="crosses itself"):
        clip_ears(np.array([[0, 0], [1, 1], [1, 0], [0, 1], [-1, 0.5]], float)[::-1])


@pytest.mark.parametrize("closed", [False, True])
def test_a_smoothed_line_keeps_its_points(closed: bool) -> None:
    points = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_allclose(smoothed(points, 4, closed)[::4], points)


def test_turns_run_counter_clockwise_about_x_then_y_then_z() -> None:
    point = np.array([[[0.0, 1.0, 0.0]] * 3])
    np.testing.assert_allclose(turn(point, (90, 0, 0))[0, 0], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(turn(point, (90, 90, 0))[0, 0], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(turn(point, (90, 90, 90))[0, 0], [0, 1, 0], atol=1e-12)
