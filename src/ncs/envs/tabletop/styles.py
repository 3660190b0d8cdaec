"""Numbers of the hard styles of robogym-rearrange: sizes, the slanted camera, arm and clutter.

Metres from the middle of the placement area, z from the table top; x points left and y down in
the picture.
Legend: C candidate scenes, N objects, 2 or 3 coordinates.
"""

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import GOAL, Look
from ncs.envs.arm import Arm
from ncs.envs.clutter import ring
from ncs.envs.sight import Eye, look_from
from ncs.envs.tabletop.facts import ORIGIN, WORLD_XML
from ncs.records import ConfigError

# Of a mesh's plain size. Larger ones leave a scene of seven too few places, smaller ones too few
# pixels; meshes so thin that they would cover hardly a handful are not made small.
SCALES = (1.1 / 3, 1.1)
LEAST_AREA = 20e-4  # square metres of an outline

TILT_ANGLE = 40.0  # degrees from the vertical; one for all scenes, so that places can be learned
TILT_DISTANCE = 1.7
TILT_HALF_VIEW = 0.42  # half of what the picture spans in the middle of the area

CLUTTER_SPOTS = ring(np.array([0.375, 0.375]), 4)
ARM = Arm(
    base=np.zeros(3),
    shoulder=0.32,
    upper=0.46,
    fore=0.44,
    hand=0.06,
    thick=0.035,
    area=np.array([[-0.28, -0.28], [0.28, 0.28]]),
    height=(0.28, 0.36),
)
ARM_BASES = np.array([[-0.46, 0.0, 0.0], [-0.2, -0.5, 0.0], [0.2, -0.5, 0.0]])


@functools.cache
def eye_for(tilt: bool) -> Eye:
    """The camera of a style."""
    if not tilt:
        return _robogyms_eye()
    angle = np.radians(TILT_ANGLE)
    away_3 = TILT_DISTANCE * np.array([0.0, np.sin(angle), np.cos(angle)])
    up_3 = np.array([0.0, -1.0, 0.0])
    return look_from(away_3, np.zeros(3), up_3, TILT_HALF_VIEW / TILT_DISTANCE)


def _robogyms_eye() -> Eye:
    """Robogym's camera, from the numbers that its pictures are drawn with."""
    root = ElementTree.fromstring(WORLD_XML)
    body = root.find("worldbody/body")
    lens = root.find("worldbody/body/camera")
    assert body is not None
    assert lens is not None
    turn_33 = _turn(body.attrib["quat"])
    position_3 = _numbers(body.attrib["pos"]) + turn_33 @ _numbers(lens.attrib["pos"])
    reach = float(np.tan(np.radians(float(lens.attrib["fovy"])) / 2))
    return Eye(position_3 - ORIGIN, turn_33 @ _turn(lens.attrib["quat"]), reach)


def _numbers(text: str) -> NDArray[np.float64]:
    return np.array([float(word) for word in text.split()])


def _turn(text: str) -> NDArray[np.float64]:
    """The rotation matrix of a quaternion, scalar first."""
    quaternion = _numbers(text)
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def arm_for(look: Look) -> Arm:
    """The arm of a scene, at one of its stands."""
    stand = look.rng("arm", GOAL + 1).integers(len(ARM_BASES))
    return replace(ARM, base=ARM_BASES[stand])


def draw_scales(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Sizes of objects (C, N), the largest and the smallest among them where there are two."""
    low, high = SCALES
    scale_CN = low * (high / low) ** rng.random(shape)
    scale_CN[:, :1] = high
    scale_CN[:, 1:2] = low
    return np.asarray(rng.permuted(scale_CN, axis=1), np.float32)


def check_scales(scene: Mapping[str, NDArray[Any]]) -> None:
    """Refuses objects of a size that no style has."""
    scale_N = scene.get("scale")
    if scale_N is None:
        return
    low, high = SCALES
    in_range = (
        scale_N.dtype.kind == "f" and ((scale_N > low - 1e-6) & (scale_N < high + 1e-6)).all()
    )
    if not in_range or scale_N.ndim != 1 or "look" not in scene:
        raise ConfigError(f"task: scales must be {low:.2f} to {high:.2f}, in a style with sizes")


def all_in_sight(
    eye: Eye,
    low_N2: NDArray[np.float64],
    high_N2: NDArray[np.float64],
    height_N: NDArray[np.float64],
) -> bool:
    """Whether no object's box, a little shrunk, stands before the middle of another."""
    n = len(height_N)
    floor_N, shrink_N2 = np.zeros(n), 0.05 * (high_N2 - low_N2)
    low_N3 = np.column_stack([low_N2 + shrink_N2, floor_N])
    high_N3 = np.column_stack([high_N2 - shrink_N2, height_N])
    middle_N3 = np.column_stack([(low_N2 + high_N2) / 2, height_N / 2])
    way_N3 = eye.position - middle_N3
    # Where the line from each middle to the camera enters and leaves each box, slab by slab.
    with np.errstate(divide="ignore", invalid="ignore"):
        one_NN3 = (low_N3[None] - middle_N3[:, None]) / way_N3[:, None]
        two_NN3 = (high_N3[None] - middle_N3[:, None]) / way_N3[:, None]
    enter_NN = np.minimum(one_NN3, two_NN3).max(axis=-1)
    leave_NN = np.maximum(one_NN3, two_NN3).min(axis=-1)
    meets_NN = (enter_NN < leave_NN) & (leave_NN > 0)
    np.fill_diagonal(meets_NN, False)
    return not meets_NN.any()
