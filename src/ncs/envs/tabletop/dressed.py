"""MuJoCo's side of the hard styles: the same stage with textures, lamps, an arm and clutter.

A stage of its own, so that plain pictures stay what they were.
Legend: N objects, L links, 2 table coordinates.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import Light, Look, add_noise, draw_light
from ncs.envs.arm import COLOURS, draw_pose, stand
from ncs.envs.clutter import CATALOGUE, draw_clutter
from ncs.envs.sight import Eye
from ncs.envs.tabletop.facts import ORIGIN
from ncs.envs.tabletop.meshes import MeshSet
from ncs.envs.tabletop.offscreen import load_mujoco
from ncs.envs.tabletop.scene import Cast, Stage, keep_stage, turn_about_vertical
from ncs.envs.tabletop.styles import CLUTTER_SPOTS, arm_for, eye_for
from ncs.envs.textures import N_TEXTURES, SIDE, draw_texture, make_texture

mujoco = load_mujoco()

MAX_EXTRAS = 32  # shapes of arm and clutter
ROUND_SIDES = (12, 6)  # of rods and balls, around and along: fewer are quicker to draw
SHADOW_PIXELS = 512
SHADOW_REACH = 0.9  # metres about the middle of the area in which things cast shadows
LAMP_DISTANCE = 3.0
TILES = 1.1  # of a texture in a metre
# robogym's lamps are so bright that the table is pure white; under them a texture is dimmed.
TABLE_DIMMED, TABLE_PLAIN = 0.66, 0.93
SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "ball": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "rod": mujoco.mjtGeom.mjGEOM_CAPSULE,
}


@dataclass(frozen=True)
class Lamp:
    """One of robogym's lamps as the model has it; each field (3,)."""

    ambient: NDArray[np.float32]
    diffuse: NDArray[np.float32]
    specular: NDArray[np.float32]
    towards: NDArray[np.float32]
    position: NDArray[np.float32]

    @classmethod
    def of(cls, light: Any) -> "Lamp":
        """A copy of a lamp's numbers."""
        fields = (light.ambient, light.diffuse, light.specular, light.dir, light.pos)
        return cls(*(field.copy() for field in fields))


class DressedStage(Stage):
    """Everything a hard style may show, put in place before each picture."""

    def __init__(self, mesh_set: MeshSet) -> None:
        super().__init__(mesh_set, _assets(), _camera(eye_for(True)), MAX_EXTRAS)
        self._table_material = self._model.material("table").id
        self._table = int(np.flatnonzero(self._model.geom_matid == self._table_material)[0])
        self._dress: tuple[bool, int] | None = None  # which camera, which texture
        self._uploaded: set[int] = set()
        self._own_lights = [Lamp.of(light) for light in self._scene.lights[: self._scene.nlight]]

    def _prepare(self, model: Any) -> None:
        """Sets how fine shadows are, which is read when drawing begins."""
        model.vis.quality.shadowsize = SHADOW_PIXELS
        model.vis.map.shadowclip = SHADOW_REACH / model.stat.extent
        model.vis.quality.numslices, model.vis.quality.numstacks = ROUND_SIDES

    def dressed_picture(
        self, look: Look, cast: Cast, position_N2: NDArray[np.float64], moment: int, size: int
    ) -> NDArray[np.uint8]:
        """RGB of the objects at a moment of their scene, (size, size, 3)."""
        self._put_on(look, draw_light(look, moment))
        self._furnish(look, cast, position_N2, moment)
        return add_noise(self.shoot(size), look, moment)

    def dressed_segment(
        self, look: Look, cast: Cast, position_N2: NDArray[np.float64], moment: int, size: int
    ) -> NDArray[np.uint8]:
        """Which object each pixel shows, (size, size): 0 is anything else, i + 1 is object i."""
        self._put_on(look, None)
        self._furnish(look, cast, position_N2, moment)
        return self.shoot_numbers(size)

    def _put_on(self, look: Look, light: Light | None) -> None:
        """Sets camera, texture and lamps."""
        texture = draw_texture(look.rng("wood"), "unseen" in look) if "wood" in look else -1
        wanted = ("tilt" in look, texture)
        if wanted != self._dress:
            if texture >= 0:
                self._upload(texture)
            material = self._table_material if texture < 0 else self._surface(texture)
            self._model.geom_matid[self._table] = material
            self._look_through("tilt" if wanted[0] else "top")
            for geom in self._geoms[: self._n_fixed]:
                geom.castshadow = 0  # walls and mount would put the table in the dark
            self._dress = wanted
        table = next(geom for geom in self._geoms[: self._n_fixed] if geom.objid == self._table)
        bright = TABLE_PLAIN if texture < 0 else 1.0 if light else TABLE_DIMMED
        table.rgba = np.array([bright, bright, bright, 1.0], np.float32)
        self._shine(light, "shadow" in look)

    def _surface(self, texture: int) -> int:
        number: int = self._model.material(f"surface{texture}").id
        return number

    def _upload(self, number: int) -> None:
        """Gives the canvas a texture of the bank, once."""
        if number in self._uploaded:
            return
        slot = self._model.texture(f"surface{number}").id
        begin = int(self._model.tex_adr[slot])
        # OpenGL's first row is the lowest.
        pixels = make_texture(number)[::-1].ravel()
        self._model.tex_data[begin : begin + pixels.size] = pixels
        self._canvas.context.make_current()
        mujoco.mjr_uploadTexture(self._model, self._canvas.drawing, slot)
        self._uploaded.add(number)

    def _shine(self, light: Light | None, shadow: bool) -> None:
        """Sets the lamps: robogym's, or one of them as drawn and nothing from the camera."""
        head, lamp = self._scene.lights[0], self._scene.lights[1]
        lamp.castshadow = shadow
        for one, own in zip((head, lamp), self._own_lights, strict=True):
            one.ambient, one.diffuse, one.specular = own.ambient, own.diffuse, own.specular
        lamp.dir, lamp.pos = self._own_lights[1].towards, self._own_lights[1].position
        if light is None:
            return
        dark_3 = np.zeros(3, np.float32)
        # What stands in a lamp's shadow loses the lamp's ambient light too, so the other has it.
        head.ambient = (light.ambient * light.tint).astype(np.float32)
        head.diffuse, head.specular, lamp.ambient = dark_3, dark_3, dark_3
        lamp.diffuse = (light.diffuse * light.tint).astype(np.float32)
        lamp.dir = -light.towards.astype(np.float32)
        lamp.pos = (ORIGIN + LAMP_DISTANCE * light.towards).astype(np.float32)

    def _furnish(
        self, look: Look, cast: Cast, position_N2: NDArray[np.float64], moment: int
    ) -> None:
        """Puts objects, clutter and arm in place."""
        origin_N3 = self._arrange(cast, position_N2)
        self._count = self._n_fixed + len(self._shown)
        for thing in draw_clutter(look, *CLUTTER_SPOTS):
            kind = CATALOGUE[thing.kind]
            place_3 = ORIGIN + np.array([*thing.place, kind.half[2]])
            turn_33 = turn_about_vertical(thing.yaw)
            self._add(kind.shape, kind.half, place_3, turn_33, thing.colour)
        if "arm" in look:
            arm, eye = arm_for(look), eye_for("tilt" in look)
            pose_L23 = draw_pose(arm, look.rng("arm", moment), eye, origin_N3 - ORIGIN)
            rods = zip(arm.rods, COLOURS, *stand(pose_L23), strict=True)
            for (length, radius), colour, middle_3, turn_33 in rods:
                half = (radius, radius, length / 2)
                self._add("rod", half, ORIGIN + middle_3, turn_33, np.array(colour))
        self._scene.ngeom = self._count

    def _add(
        self,
        shape: str,
        half: tuple[float, float, float],
        place_3: NDArray[np.float64],
        turn_33: NDArray[np.float64],
        colour_3: NDArray[np.float64],
    ) -> None:
        """Draws one more shape, which counts as background."""
        geom = self._geoms[self._count]
        rgba = np.append(colour_3, 1.0).astype(np.float32)
        # MuJoCo gives the half length of what is round in second place.
        size_3 = np.array(half if shape == "box" else (half[0], half[2], 0.0))
        mujoco.mjv_initGeom(geom, SHAPES[shape], size_3, place_3, turn_33.ravel(), rgba)
        geom.category = mujoco.mjtCatBit.mjCAT_DYNAMIC
        geom.segid = 0
        self._count += 1


def _assets() -> str:
    """Room for every texture of the bank; each is filled when it is first needed."""
    return "".join(
        f'<texture name="surface{n}" type="2d" builtin="flat" width="{SIDE}" height="{SIDE}"/>'
        f'<material name="surface{n}" texture="surface{n}" texuniform="true" '
        f'texrepeat="{TILES} {TILES}" specular="0"/>'
        for n in range(N_TEXTURES)
    )


def _camera(eye: Eye) -> str:
    """The slanted camera."""
    place = " ".join(f"{number:.9f}" for number in ORIGIN + eye.position)
    axes = " ".join(f"{number:.9f}" for number in eye.axes[:, :2].T.ravel())
    angle = 2 * np.arctan(eye.reach)
    return f'<camera name="tilt" pos="{place}" xyaxes="{axes}" fovy="{np.degrees(angle):.9f}"/>'


def dressed_stage_for(mesh_set: MeshSet) -> DressedStage:
    """The dressed stage of a mesh set, kept as plain ones are."""
    return keep_stage(DressedStage, mesh_set)
