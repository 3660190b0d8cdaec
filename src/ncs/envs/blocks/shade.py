"""Cast shadows from two pictures with depth: one by the camera, one from where the lamp is.

Legend: S pixels a side, 2 picture and 3 world coordinates; any axes may stand in front.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import Light
from ncs.envs.sight import Eye, look_from

LAMP_DISTANCE = 10.0
LAMP_HALF = 0.75  # metres about the middle in which things cast shadows
LAMP_PIXELS = 72
BIAS = 0.006  # metres by which a point must lie behind another to be in its shadow, and more
SLOPE_BIAS = 1.2  # where the lamp stands low: of a pixel of what it sees, seen from the side


@dataclass(frozen=True)
class Exposure:
    """One picture with what is needed to shade it."""

    image: NDArray[np.uint8]  # (S, S, 3)
    distance: NDArray[np.float64]  # (S, S) metres ahead of the camera
    body: NDArray[np.int32]  # (S, S)


def lamp_for(light: Light) -> Eye:
    """A camera where the lamp is."""
    north_3 = np.array([0.0, 1.0, 0.0])
    reach = LAMP_HALF / LAMP_DISTANCE
    return look_from(LAMP_DISTANCE * light.towards, np.zeros(3), north_3, reach)


def without_lamp(
    shot: Exposure, eye: Eye, light: Light, lamp: Eye, seen_SS: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """The picture with the lamp's light taken from what the lamp does not see.

    Args:
        shot: The picture, as if nothing cast a shadow.
        eye: Who took it.
        light: Under which light.
        lamp: A camera where the lamp is.
        seen_SS: How far away the lamp sees things.
    """
    slope = float(np.hypot(*light.towards[:2]) / light.towards[2])
    bias = BIAS + SLOPE_BIAS * slope * 2 * LAMP_HALF / LAMP_PIXELS
    point_SS3 = eye.unproject(pixel_places(len(shot.image)), shot.distance)
    hidden_SS = hidden_share(lamp, seen_SS + bias, point_SS3)
    lamp_SS3 = light.diffuse * facing(point_SS3, light.towards)[..., None] * light.tint
    lost_SS3 = hidden_SS[..., None] * lamp_SS3 / (lamp_SS3 + light.ambient)
    return np.asarray(shot.image * (1 - lost_SS3) + 0.5, np.uint8)


def pixel_places(size: int) -> NDArray[np.float64]:
    """The middle of every pixel in half heights from the picture's, (S, S, 2)."""
    line = (np.arange(size) + 0.5) / size * 2 - 1
    return np.stack(np.meshgrid(line, -line), axis=-1)


def hidden_share(
    lamp: Eye, seen_SS: NDArray[np.float64], point_3: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much of each point's neighbourhood the lamp does not see (...), 0 to 1."""
    size = len(seen_SS)
    place_2 = lamp.project(point_3)
    column = (place_2[..., 0] + 1) / 2 * size - 0.5
    row = (1 - place_2[..., 1]) / 2 * size - 0.5
    far = (lamp.position - point_3) @ lamp.axes[:, 2]
    left, top = np.floor(column).astype(int), np.floor(row).astype(int)
    share = np.zeros(far.shape)
    for down in (0, 1):
        for right in (0, 1):
            weight = np.abs(1 - down - (row - top)) * np.abs(1 - right - (column - left))
            r, c = np.clip(top + down, 0, size - 1), np.clip(left + right, 0, size - 1)
            share += weight * (far > seen_SS[r, c])
    return share


def facing(point_SS3: NDArray[np.float64], towards_3: NDArray[np.float64]) -> NDArray[np.float64]:
    """How squarely the surface at each pixel faces a direction, 0 to 1, from its neighbours."""
    down_SS3, right_SS3 = (_slope(point_SS3, axis) for axis in (0, 1))
    a, b, c = np.moveaxis(right_SS3, -1, 0)
    d, e, f = np.moveaxis(-down_SS3, -1, 0)
    # The cross product written out: on so short an axis NumPy's own takes three times as long.
    x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
    length = np.maximum(np.sqrt(x * x + y * y + z * z), 1e-12)
    towards = (x * towards_3[0] + y * towards_3[1] + z * towards_3[2]) / length
    return np.asarray(np.clip(towards, 0, 1))


def _slope(point_SS3: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The step to a neighbour along an axis: the shorter one, which stays on the same surface."""
    step = np.diff(point_SS3, axis=axis)
    first, last = np.take(step, [0], axis), np.take(step, [-1], axis)
    before, after = np.concatenate([first, step], axis), np.concatenate([step, last], axis)
    length = np.einsum("...i,...i", step, step)
    first, last = np.take(length, [0], axis), np.take(length, [-1], axis)
    is_shorter = np.concatenate([first, length], axis) < np.concatenate([length, last], axis)
    return np.where(is_shorter[..., None], before, after)
