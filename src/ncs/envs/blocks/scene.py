"""PyBullet's side of block-rearrange: cubes on a floor, seen from straight above.

The camera is far away and its angle narrow, so that a cube looks the same in every cell: at 64
pixels a cube is 13 wide and 3 pixels of floor lie between neighbours.
"""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.envs.blocks.facts import CAMERA_HEIGHT, CUBE, EDGE, FLOOR_GREY
from ncs.envs.blocks.tasks import cell_centres
from ncs.envs.bullet import HIDDEN, UPRIGHT, pybullet


class BlockScene:
    """A pool of cubes that are moved, coloured and pictured; it knows nothing of tasks."""

    def __init__(self, n_cubes: int) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)
        floor = self._box((2.0, 2.0, 0.01), (FLOOR_GREY,) * 3)
        self._body(floor, (0.0, 0.0, -0.01))
        half = CUBE / 2
        self._cubes = [
            self._body(self._box((half,) * 3, (0.0,) * 3), HIDDEN) for _ in range(n_cubes)
        ]
        self._index_of_body = np.zeros(n_cubes + 2, np.uint8)
        self._index_of_body[self._cubes] = np.arange(1, n_cubes + 1)
        self._painted: NDArray[np.float32] | None = None
        self._cells = [-1] * n_cubes
        self._centres = [(float(x), float(y), half) for x, y in cell_centres()]
        self._view = pybullet.computeViewMatrix((0, 0, CAMERA_HEIGHT), (0, 0, 0), (0, 1, 0))
        angle = 2 * np.degrees(np.arctan(EDGE / CAMERA_HEIGHT))
        near, far = CAMERA_HEIGHT - 1, CAMERA_HEIGHT + 1
        self._lens = pybullet.computeProjectionMatrixFOV(angle, 1.0, near, far)

    def _box(self, half: tuple[float, ...], colour: tuple[float, ...]) -> int:
        shape: int = pybullet.createVisualShape(
            pybullet.GEOM_BOX,
            halfExtents=half,
            rgbaColor=(*colour, 1),
            physicsClientId=self._client,
        )
        return shape

    def _body(self, shape: int, position: tuple[float, float, float]) -> int:
        body: int = pybullet.createMultiBody(0, -1, shape, position, physicsClientId=self._client)
        return body

    def paint(self, colour_N3: NDArray[np.float32]) -> None:
        """Gives the first cubes their colours, unless they have just had the same array's."""
        if colour_N3 is self._painted:
            return
        self._painted = colour_N3
        for body, colour in zip(self._cubes, colour_N3.tolist(), strict=False):
            pybullet.changeVisualShape(
                body, -1, rgbaColor=(*colour, 1), physicsClientId=self._client
            )

    def arrange(self, cells: Sequence[int]) -> None:
        """Puts each cube in its cell; a negative cell, or none, hides the cube."""
        wanted = [*cells, *[-1] * (len(self._cubes) - len(cells))]
        for index, (cell, held) in enumerate(zip(wanted, self._cells, strict=True)):
            if cell != held:
                position = HIDDEN if cell < 0 else self._centres[cell]
                pybullet.resetBasePositionAndOrientation(
                    self._cubes[index], position, UPRIGHT, physicsClientId=self._client
                )
        self._cells = wanted

    def picture(self, size: int) -> NDArray[np.uint8]:
        """RGB from above, (size, size, 3)."""
        rgba = self._shoot(size, pybullet.ER_NO_SEGMENTATION_MASK)[0]
        return np.ascontiguousarray(rgba[..., :3])

    def segment(self, size: int) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (size, size): 0 is floor, i + 1 is cube i."""
        index: NDArray[np.uint8] = self._index_of_body[np.maximum(self._shoot(size, 0)[1], 0)]
        return index

    def _shoot(self, size: int, flags: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """One exposure: RGBA, and the body each pixel shows.

        Light from straight above makes a cube's top exactly its colour.
        """
        _, _, rgba, _, body = pybullet.getCameraImage(
            size,
            size,
            self._view,
            self._lens,
            lightDirection=(0, 0, 1),
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
def shared_scene(n_cubes: int) -> BlockScene:
    """The scene all block worlds of a process share: it is set anew before each picture."""
    return BlockScene(n_cubes)
