"""Recipes become closed surfaces in their places."""

import numpy as np
import pytest

from ncs.envs.tabletop.household import build, household
from ncs.envs.tabletop.shapes import volume_and_centroid


def test_there_are_79_household_shapes_of_real_volume() -> None:
    shapes = household()
    assert len(shapes) == 79
    for name, parts in shapes.items():
        assert all(volume_and_centroid(part - part[0, 0])[0] > 0 for part in parts), name


@pytest.mark.parametrize(
    ("part", "low", "high"),
    [
        ({"box": [2, 4, 6]}, [-1, -2, 0], [1, 2, 6]),
        ({"box": [2, 4, 6], "soft": 0.1}, [-1, -2, 0], [1, 2, 6]),
        ({"slab": [4, 6, 1, 1]}, [-2, -3, 0], [2, 3, 1]),
        ({"can": [3, 5], "sides": 4}, [-3, -3, 0], [3, 3, 5]),
        ({"ball": [1, 2, 3]}, [-1, -2, -3], [1, 2, 3]),
        ({"box": [2, 4, 6], "at": [1, 1, 1]}, [0, -1, 1], [2, 3, 7]),
        ({"box": [2, 4, 6], "turn": [0, 0, 90]}, [-2, -1, 0], [2, 1, 6]),
        ({"box": [2, 4, 6], "stretch": [2, 1, 0.5]}, [-2, -2, 0], [2, 2, 3]),
        ({"box": [2, 2, 2], "copies": [[0, 0, 0], [5, 0, 0]]}, [-1, -1, 0], [6, 1, 2]),
        ({"box": [2, 2, 2], "at": [5, 0, 0], "ring": 4}, [-6, -6, 0], [6, 6, 2]),
        ({"revolve": [[0, 0], [2, 1], [0, 3]], "sides": 4}, [-2, -2, 0], [2, 2, 3]),
        ({"extrude": [[0, 0], [4, 0], [0, 4]], "height": 2}, [0, 0, 0], [4, 4, 2]),
        ({"tube": [[0, 0, 0], [9, 0, 0]], "radius": 1, "sides": 4}, [0, -0.71, -0.71], [9, 1, 1]),
    ],
)
def test_a_part_lies_where_its_recipe_says(
    part: dict[str, object], low: list[float], high: list[float]
) -> None:
    corners = np.concatenate(build([part])).reshape(-1, 3)
    np.testing.assert_allclose(corners.min(axis=0), low, atol=0.01)
    if "tube" not in part:
        np.testing.assert_allclose(corners.max(axis=0), high, atol=1e-9)


def test_a_part_without_a_known_key_is_refused() -> None:
    with pytest.raises(ValueError, match="none of the keys"):
        build([{"torus": 3}])
