"""Pinhole geometry."""

import numpy as np

from ncs.envs.sight import look_from

UP = np.array([0.0, 1.0, 0.0])
EYE = look_from(np.array([0.3, -2.0, 3.0]), np.array([0.1, 0.2, 0.0]), UP, 0.25)


def test_axes_are_at_right_angles_and_not_mirrored() -> None:
    np.testing.assert_allclose(EYE.axes.T @ EYE.axes, np.eye(3), atol=1e-12)
    assert np.linalg.det(EYE.axes) > 0


def test_what_is_looked_at_is_in_the_middle_and_up_is_up() -> None:
    middle = np.array([0.1, 0.2, 0.0])
    np.testing.assert_allclose(EYE.project(middle), [0, 0], atol=1e-12)
    assert EYE.project(middle + np.array([0, 0.1, 0]))[1] > 0
    assert EYE.project(middle + np.array([0.1, 0, 0]))[0] > 0


def test_unprojecting_undoes_projecting() -> None:
    point = np.random.default_rng(0).uniform(-0.5, 0.5, (4, 5, 3))
    ahead = -((point - EYE.position) @ EYE.axes[:, 2])
    np.testing.assert_allclose(EYE.unproject(EYE.project(point), ahead), point, atol=1e-9)


def test_a_metre_is_as_long_as_the_scale_says() -> None:
    point = np.array([0.0, 0.1, 0.2])
    step = 1e-4 * EYE.axes[:, 0]
    apart = np.linalg.norm(EYE.project(point + step) - EYE.project(point)) / 1e-4
    np.testing.assert_allclose(apart, EYE.scale(point), rtol=1e-6)
