"""Shadows from depth."""

import numpy as np

from ncs.envs.appearance import Light
from ncs.envs.blocks.shade import (
    LAMP_PIXELS,
    Exposure,
    facing,
    hidden_share,
    lamp_for,
    pixel_places,
    without_lamp,
)
from ncs.envs.sight import look_from

SLANT = np.array([0.6, 0.0, 0.8])
LIGHT = Light(SLANT, 0.4, 0.75, np.array([1.0, 0.8, 0.6]))
EYE = look_from(np.array([0.0, 0.0, 10.0]), np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.04)


def floor(size: int) -> np.ndarray:
    return EYE.unproject(pixel_places(size), np.full((size, size), 10.0))


def lamps_floor() -> np.ndarray:
    """How far the lamp sees an empty floor."""
    lamp = lamp_for(LIGHT)
    ray = lamp.unproject(pixel_places(LAMP_PIXELS), np.ones((LAMP_PIXELS,) * 2)) - lamp.position
    return -lamp.position[2] / ray[..., 2]


def test_pixels_look_at_the_floor_from_left_to_right_and_top_to_bottom() -> None:
    point = floor(8)
    np.testing.assert_allclose(point[..., 2], 0, atol=1e-9)
    np.testing.assert_allclose(point[0, 0, :2], [-0.35, 0.35], atol=1e-9)


def test_a_floor_faces_a_lamp_as_its_angle_says() -> None:
    np.testing.assert_allclose(facing(floor(16), SLANT), 0.8, atol=1e-6)


def test_an_empty_floor_has_no_shadow_and_stays_as_it_was() -> None:
    image = np.full((16, 16, 3), 200, np.uint8)
    shot = Exposure(image, np.full((16, 16), 10.0), np.zeros((16, 16), np.int32))
    assert (without_lamp(shot, EYE, LIGHT, lamp_for(LIGHT), lamps_floor()) == image).all()


def test_what_lies_behind_something_gets_the_ambient_light_alone() -> None:
    image = np.full((16, 16, 3), 200, np.uint8)
    shot = Exposure(image, np.full((16, 16), 10.0), np.zeros((16, 16), np.int32))
    near = lamps_floor() - 0.3
    np.testing.assert_allclose(hidden_share(lamp_for(LIGHT), near, floor(16)), 1)
    dark = without_lamp(shot, EYE, LIGHT, lamp_for(LIGHT), near)
    lit = 0.75 * 0.8 * LIGHT.tint
    np.testing.assert_allclose(dark[8, 8], 200 * 0.4 / (0.4 + lit), atol=1)
