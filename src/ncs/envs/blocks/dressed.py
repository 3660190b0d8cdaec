"""PyBullet's side of the hard styles: cubes of any size on any floor, with an arm and clutter.

A scene of its own, so that plain pictures stay what they were. PyBullet's software renderer makes
shadows that hardly show, and wrong ones; here it gives the depth from the lamp and from the
camera, and what the lamp does not see gets the ambient light alone.

Legend: N objects, S pixels a side, L links, 2 or 3 coordinates.
"""

import functools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ncs.envs.appearance import Light, Look, add_noise, draw_light
from ncs.envs.arm import COLOURS, draw_pose, stand
from ncs.envs.blocks.facts import CUBE, FLOOR_GREY
from ncs.envs.blocks.rounds import ball, rod
from ncs.envs.blocks.shade import LAMP_PIXELS, Exposure, lamp_for, without_lamp
from ncs.envs.blocks.styles import ARM, CLUTTER_SPOTS, EDGES, arm_for, eye_for
from ncs.envs.blocks.tasks import cell_centres
from ncs.envs.bullet import UPRIGHT, pybullet
from ncs.envs.clutter import CATALOGUE, Thing, draw_clutter
from ncs.envs.sight import Eye, view_matrix
from ncs.envs.textures import draw_texture, make_texture

AWAY = (100.0, 100.0, 0.0)  # out of every picture
FLOOR_HALF = 1.6
TILE = 0.9  # metres of floor that a texture covers
DEPTH = 1.6  # metres before and behind what a camera looks at that it sees
PLAIN_LIGHT = Light(np.array([0.0, 0.0, 1.0]), 0.5, 0.5, np.ones(3))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Cubes in cells; a negative cell is none."""

    cell: Sequence[int]
    colour: NDArray[np.float32]  # (N, 3)
    edge: NDArray[np.floating]  # (N,) metres


class DressedScene:
    """Everything a hard style may show, put in place before each picture."""

    def __init__(self) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)
        self._folder = tempfile.TemporaryDirectory(prefix="ncs-textures-")
        self._textures: dict[int, int] = {}
        self._floor = self._body(self._floor_shape())
        self._floor_texture: int | None = None
        self._cubes: dict[float, list[int]] = {}  # by edge
        self._links = [
            self._body(self._shape("rod", (radius, radius, length / 2 + radius / 2), colour))
            for (length, radius), colour in zip(ARM.rods, COLOURS, strict=True)
        ]
        self._clutter = [self._body(self._shape(kind.shape, kind.half)) for kind in CATALOGUE]
        self._painted: dict[int, tuple[float, ...]] = {}
        self._in_view: set[int] = set()

    def _floor_shape(self) -> int:
        corner = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * FLOOR_HALF
        shape: int = pybullet.createVisualShape(
            pybullet.GEOM_MESH,
            vertices=np.column_stack([corner, np.zeros(4)]).tolist(),
            indices=[0, 1, 2, 0, 2, 3],
            uvs=((corner + FLOOR_HALF) / TILE).tolist(),
            normals=[[0, 0, 1]] * 4,
            physicsClientId=self._client,
        )
        return shape

    def _shape(
        self, kind: str, half: tuple[float, ...], colour: tuple[float, ...] = (1.0, 1.0, 1.0)
    ) -> int:
        """A shape of a radius and half a length, or of half extents."""
        if kind == "box":
            measure = {"shapeType": pybullet.GEOM_BOX, "halfExtents": half}
        else:
            surface = ball(half[0]) if kind == "ball" else rod(half[0], half[2])
            measure = {
                "shapeType": pybullet.GEOM_MESH,
                "vertices": surface.corner.tolist(),
                "normals": surface.normal.tolist(),
                "indices": surface.triangle.ravel().tolist(),
            }
        shape: int = pybullet.createVisualShape(
            **measure, rgbaColor=(*colour, 1), physicsClientId=self._client
        )
        return shape

    def _body(self, shape: int) -> int:
        body: int = pybullet.createMultiBody(0, -1, shape, AWAY, physicsClientId=self._client)
        return body

    def _put(self, body: int, position: Sequence[float], turn: Sequence[float] = UPRIGHT) -> None:
        pybullet.resetBasePositionAndOrientation(body, position, turn, physicsClientId=self._client)
        self._in_view.add(body)

    def _paint(self, body: int, colour: Sequence[float]) -> None:
        wanted = tuple(float(channel) for channel in colour)
        if self._painted.get(body) != wanted:
            pybullet.changeVisualShape(
                body, -1, rgbaColor=(*wanted, 1), physicsClientId=self._client
            )
            self._painted[body] = wanted

    def picture(self, look: Look, blocks: Blocks, moment: int, size: int) -> NDArray[np.uint8]:
        """RGB of the blocks at a moment of their scene, (size, size, 3)."""
        eye = self._arrange(look, blocks, moment)[0]
        light = draw_light(look, moment)
        shot = self._expose(eye, light or PLAIN_LIGHT, size)
        image = shot.image
        if "shadow" in look and light is not None:
            lamp = lamp_for(light)
            seen_SS = self._expose(lamp, PLAIN_LIGHT, LAMP_PIXELS).distance
            image = without_lamp(shot, eye, light, lamp, seen_SS)
        return add_noise(image, look, moment)

    def segment(self, look: Look, blocks: Blocks, moment: int, size: int) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (size, size): 0 is anything else, i + 1 is cube i."""
        eye, cubes = self._arrange(look, blocks, moment)
        body = self._expose(eye, PLAIN_LIGHT, size).body
        number = np.zeros(max(cubes, default=0) + 2, np.uint8)
        number[list(cubes)] = [index + 1 for index in cubes.values()]
        return np.asarray(number[np.clip(body, 0, len(number) - 1)])

    def _arrange(self, look: Look, blocks: Blocks, moment: int) -> tuple[Eye, dict[int, int]]:
        """Puts all in place; the camera, and which body is which cube."""
        from scipy.spatial.transform import Rotation  # half a second that plain worlds need not pay

        before, self._in_view = self._in_view, set()
        self._lay_floor(look)
        cubes, middle_N3 = self._set_cubes(blocks)
        self._scatter(draw_clutter(look, *CLUTTER_SPOTS))
        eye = eye_for("tilt" in look, "clutter" in look)
        if "arm" in look:
            pose_L23 = draw_pose(arm_for(look), look.rng("arm", moment), eye, middle_N3)
            middle_L3, turn_L33 = stand(pose_L23)
            turn_L4 = Rotation.from_matrix(turn_L33).as_quat()
            for body, middle_3, turn_4 in zip(self._links, middle_L3, turn_L4, strict=True):
                self._put(body, middle_3.tolist(), turn_4.tolist())
        for body in before - self._in_view:
            pybullet.resetBasePositionAndOrientation(
                body, AWAY, UPRIGHT, physicsClientId=self._client
            )
        return eye, cubes

    def _lay_floor(self, look: Look) -> None:
        number = draw_texture(look.rng("wood"), "unseen" in look) if "wood" in look else -1
        if number != self._floor_texture:
            texture = self._texture(number)
            pybullet.changeVisualShape(
                self._floor, -1, textureUniqueId=texture, physicsClientId=self._client
            )
            self._floor_texture = number
        self._paint(self._floor, (FLOOR_GREY,) * 3 if number < 0 else (1.0, 1.0, 1.0))
        self._put(self._floor, (0.0, 0.0, 0.0))

    def _texture(self, number: int) -> int:
        """PyBullet's number of a texture of the bank; below 0 of plain white."""
        if number not in self._textures:
            image = np.full((2, 2, 3), 255, np.uint8) if number < 0 else make_texture(number)
            path = Path(self._folder.name) / f"{number}.png"
            Image.fromarray(image).save(path)  # PyBullet takes textures from files alone
            self._textures[number] = pybullet.loadTexture(str(path), physicsClientId=self._client)
        return self._textures[number]

    def _set_cubes(self, blocks: Blocks) -> tuple[dict[int, int], NDArray[np.float64]]:
        """Which body is which cube, and the middles (N, 3) of those that are there."""
        used: dict[float, int] = {}
        cubes, middles = {}, []
        for index, cell in enumerate(blocks.cell):
            if cell < 0:
                continue
            edge = nearest_edge(float(blocks.edge[index]))
            body = self._cube(edge, used.get(edge, 0))
            used[edge] = used.get(edge, 0) + 1
            middles.append([*cell_centres()[cell], edge / 2])
            self._put(body, middles[-1])
            self._paint(body, blocks.colour[index])
            cubes[body] = index
        return cubes, np.array(middles).reshape(-1, 3)

    def _cube(self, edge: float, place: int) -> int:
        """A cube of a size, made when it is first needed."""
        pool = self._cubes.setdefault(edge, [])
        while len(pool) <= place:
            pool.append(self._body(self._shape("box", (edge / 2,) * 3)))
        return pool[place]

    def _scatter(self, things: list[Thing]) -> None:
        for thing in things:
            body = self._clutter[thing.kind]
            turn = (0.0, 0.0, np.sin(thing.yaw / 2), np.cos(thing.yaw / 2))
            self._put(body, (*thing.place.tolist(), CATALOGUE[thing.kind].half[2]), turn)
            self._paint(body, thing.colour.tolist())

    def _expose(self, eye: Eye, light: Light, size: int) -> Exposure:
        """One picture without shadows."""
        distance = float(np.linalg.norm(eye.position))
        near, far = distance - DEPTH, distance + DEPTH
        angle = 2 * np.degrees(np.arctan(eye.reach))
        lens = pybullet.computeProjectionMatrixFOV(angle, 1.0, near, far)
        _, _, rgba, depth, body = pybullet.getCameraImage(
            size,
            size,
            view_matrix(eye),
            lens,
            lightDirection=light.towards.tolist(),
            lightColor=light.tint.tolist(),
            lightAmbientCoeff=light.ambient,
            lightDiffuseCoeff=light.diffuse,
            lightSpecularCoeff=0.0,
            shadow=0,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        image = np.asarray(rgba, np.uint8).reshape(size, size, 4)[..., :3]
        buffer = np.asarray(depth, np.float64).reshape(size, size)
        ahead = far * near / (far - (far - near) * buffer)
        body = np.asarray(body).reshape(size, size)
        return Exposure(np.ascontiguousarray(image), ahead, body)


def nearest_edge(edge: float) -> float:
    """The edge of the cube that stands for one of this size."""
    choices = np.append(EDGES, CUBE)
    return float(choices[np.abs(choices - edge).argmin()])


@functools.cache
def dressed_scene() -> DressedScene:
    """The scene all hard block worlds of a process share: it is set anew before each picture."""
    return DressedScene()
