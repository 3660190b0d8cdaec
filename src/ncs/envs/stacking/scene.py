"""PyBullet's side of block-stacking: cubes before a wall or on a table, and a camera far away.

From far away a cube looks the same in every cell.
"""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.envs.bullet import HIDDEN, UPRIGHT, pybullet
from ncs.envs.stacking.facts import (
    CAMERA_DISTANCE,
    CUBE,
    MAX_OBJECTS,
    PIXELS_PER_METRE,
    WALL_GREY,
)
from ncs.envs.stacking.layouts import LAYOUTS

VIEW = 64 / PIXELS_PER_METRE  # metres across the picture, at its middle


class StackScene:
    """Cubes that are moved, coloured and pictured; it knows nothing of tasks."""

    def __init__(self, layout: int) -> None:
        self._layout = LAYOUTS[layout]
        self._client = pybullet.connect(pybullet.DIRECT)
        thick = 0.5
        self._box(
            (2.0, 2.0 if self._layout.tilt else thick, thick), self._layout.ground, (0, 0, -thick)
        )
        if not self._layout.tilt:  # what is seen from the side has something behind it
            self._box((2.0, thick, 2.0), WALL_GREY, (0, 2 * thick, 0))
        half = (CUBE / 2,) * 3
        self._cubes = [self._box(half, 0.0, HIDDEN) for _ in range(MAX_OBJECTS)]
        self._index_of_body = np.zeros(self._cubes[-1] + 1, np.uint8)
        self._index_of_body[self._cubes] = np.arange(1, MAX_OBJECTS + 1)
        self._centres = self._layout.centres().tolist()
        self._aim()

    def _box(
        self, half: tuple[float, float, float], grey: float, position: tuple[float, float, float]
    ) -> int:
        shape = pybullet.createVisualShape(
            pybullet.GEOM_BOX,
            halfExtents=half,
            rgbaColor=(grey, grey, grey, 1),
            physicsClientId=self._client,
        )
        body: int = pybullet.createMultiBody(0, -1, shape, position, physicsClientId=self._client)
        return body

    def _aim(self) -> None:
        """Points the camera: from the front, from as far above as the layout says."""
        tilt = np.radians(self._layout.tilt)
        away = CAMERA_DISTANCE * np.array([0.0, -np.cos(tilt), np.sin(tilt)])
        middle = np.array(self._layout.middle)
        # What matters most is the front of a cube: there the scale is exact.
        face = CAMERA_DISTANCE - CUBE / 2
        self._view = pybullet.computeViewMatrix(
            (middle + away).tolist(), middle.tolist(), (0, 0, 1)
        )
        angle = 2 * np.degrees(np.arctan(VIEW / 2 / face))
        self._lens = pybullet.computeProjectionMatrixFOV(
            angle, 1.0, CAMERA_DISTANCE - 3, CAMERA_DISTANCE + 3
        )

    def show(self, colour_N3: NDArray[np.float32], cells: Sequence[int]) -> None:
        """Colours the cubes and puts each in its cell; a negative cell, or none, hides one."""
        for index, body in enumerate(self._cubes):
            cell = cells[index] if index < len(cells) else -1
            position = HIDDEN if cell < 0 else self._centres[cell]
            pybullet.resetBasePositionAndOrientation(
                body, position, UPRIGHT, physicsClientId=self._client
            )
            if cell >= 0:
                colour = (*colour_N3[index].tolist(), 1)
                pybullet.changeVisualShape(body, -1, rgbaColor=colour, physicsClientId=self._client)

    def picture(self, size: int) -> NDArray[np.uint8]:
        """RGB, (size, size, 3)."""
        rgba = self._shoot(size, pybullet.ER_NO_SEGMENTATION_MASK)[0]
        return np.ascontiguousarray(rgba[..., :3])

    def segment(self, size: int) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (size, size): 0 is none, i + 1 is cube i."""
        index: NDArray[np.uint8] = self._index_of_body[np.maximum(self._shoot(size, 0)[1], 0)]
        return index

    def _shoot(self, size: int, flags: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """One exposure: RGBA, and the body each pixel shows."""
        _, _, rgba, _, body = pybullet.getCameraImage(
            size,
            size,
            self._view,
            self._lens,
            lightDirection=self._layout.light,
            lightAmbientCoeff=0.5,
            lightDiffuseCoeff=0.5,
            lightSpecularCoeff=0.0,
            shadow=0,
            renderer=pybullet.ER_TINY_RENDERER,
            flags=flags,
            physicsClientId=self._client,
        )
        shape = (size, size)
        return np.asarray(rgba, np.uint8).reshape(*shape, 4), np.asarray(body).reshape(shape)


@functools.cache
def shared_scene(layout: int) -> StackScene:
    """The scene all stacks of a layout share in a process: it is set anew before each picture."""
    return StackScene(layout)
