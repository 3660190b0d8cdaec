"""What the camera sees."""

import numpy as np

from ncs.envs.blocks.facts import FLOOR_GREY
from ncs.envs.blocks.scene import shared_scene

FLOOR = int(FLOOR_GREY * 255)
RED = np.tile(np.array([[1, 0, 0]], np.float32), (12, 1))


def picture(cells: list[int], size: int = 64) -> np.ndarray:
    scene = shared_scene(12)
    scene.paint(RED)
    scene.arrange(cells)
    return scene.picture(size)


def runs(line: np.ndarray) -> list[tuple[bool, int]]:
    """Lengths of equal stretches."""
    edges = np.flatnonzero(np.diff(line)) + 1
    return [(bool(part[0]), len(part)) for part in np.split(line, edges)]


def test_cubes_are_13_pixels_wide_and_3_apart_in_every_row_and_column() -> None:
    for part in ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]):
        cube = (picture(part) != FLOOR).any(axis=-1)
        for line in [*cube[cube.any(axis=1)], *cube.T[cube.T.any(axis=1)]]:
            stretches = runs(line)
            assert all(length == 13 for is_cube, length in stretches if is_cube)
            assert all(length >= 3 for is_cube, length in stretches[1:-1] if not is_cube)


def test_a_cube_shows_exactly_its_colour() -> None:
    scene = shared_scene(12)
    scene.paint(np.array([[0.2, 0.4, 0.6]], np.float32))
    scene.arrange([5])
    seen = np.unique(scene.picture(64).reshape(-1, 3), axis=0).tolist()
    assert seen == [[51, 102, 153], [FLOOR] * 3]


def test_x_points_right_and_y_up() -> None:
    first, right, above = (np.argwhere(scene_of(c) != FLOOR)[:, :2].mean(0) for c in (0, 1, 4))
    assert right[1] > first[1]
    assert above[0] < first[0]


def scene_of(cell: int) -> np.ndarray:
    return picture([cell])


def test_segments_mark_each_cube_by_its_number() -> None:
    scene = shared_scene(12)
    scene.arrange([3, 12, 7])
    segment = scene.segment(64)
    assert np.bincount(segment.ravel()).tolist() == [64 * 64 - 3 * 169, 169, 169, 169]


def test_hidden_cubes_leave_no_trace() -> None:
    assert (picture([-1, -1]) == FLOOR).all()


def test_any_size_can_be_rendered() -> None:
    assert picture([0], 200).shape == (200, 200, 3)
