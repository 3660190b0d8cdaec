"""Things around an arena."""

import numpy as np

from ncs.envs.appearance import HARD_STYLES, Look
from ncs.envs.clutter import CATALOGUE, N_THINGS, draw_clutter, ring

SPOTS = ring(np.array([0.5, 0.4]), 4)


def test_spots_lie_on_the_rectangle_and_point_along_its_sides() -> None:
    spot, way = SPOTS
    assert len(spot) == len(way) == 16
    on_x, on_y = np.isclose(np.abs(spot[:, 0]), 0.5), np.isclose(np.abs(spot[:, 1]), 0.4)
    assert (on_x ^ on_y).all()
    assert np.allclose(way[on_x], np.pi / 2)
    assert np.allclose(way[on_y], 0)


def test_clutter_is_a_scenes_own_and_only_where_it_is_asked_for() -> None:
    looks = [Look(HARD_STYLES["clutter"], seed) for seed in range(30)]
    drawn = [draw_clutter(look, *SPOTS) for look in looks]
    assert {len(things) for things in drawn} == set(range(N_THINGS[0], N_THINGS[1] + 1))
    assert {thing.kind for things in drawn for thing in things} == set(range(len(CATALOGUE)))
    again = draw_clutter(looks[0], *SPOTS)
    assert [thing.kind for thing in again] == [thing.kind for thing in drawn[0]]
    assert not draw_clutter(Look(HARD_STYLES["wood"], 0), *SPOTS)
