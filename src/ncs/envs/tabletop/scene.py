"""MuJoCo's side of robogym-rearrange: one resident stage that pictures any scene of a mesh set.

The model holds every mesh once and no object at all. A picture adds to the empty table one drawn
shape per part of each object present, so that a scene costs no compiling, the same mesh may stand
there twice, and an absent object costs nothing.

Legend: N objects, P parts, 2 table coordinates (metres from the middle of the placement area).
"""

import atexit
import os
import threading
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncs.envs.tabletop.facts import FRAME, ORIGIN, PLAIN_MOUNT, ROBOGYM_MOUNT, WORLD_XML
from ncs.envs.tabletop.meshes import MeshSet
from ncs.envs.tabletop.offscreen import load_mujoco, open_canvas
from ncs.envs.tabletop.stl import write_stl

mujoco = load_mujoco()

MAX_OBJECTS = 32
MAX_FIXED = 16  # shapes that make up the table, its mount and the background
MAX_STAGES = 3  # kept ready in one thread, each of a mesh set, plain or dressed


@dataclass(frozen=True, eq=False)
class Cast:
    """Objects of a scene, wherever they may stand."""

    kind: NDArray[np.int64]  # (N,) place of its mesh in the set
    colour: NDArray[np.float64]  # (N, 3) RGB
    yaw: NDArray[np.float64]  # (N,) radians about the vertical
    scale: NDArray[np.float64] | None = None  # (N,) of a mesh's plain size; None where all are 1

    def only(self, shown_N: NDArray[np.bool_]) -> "Cast":
        """Some of the objects."""
        scale = None if self.scale is None else self.scale[shown_N]
        return Cast(self.kind[shown_N], self.colour[shown_N], self.yaw[shown_N], scale)


@dataclass(frozen=True)
class Parts:
    """How MuJoCo stored the parts of one mesh."""

    asset: NDArray[np.int64]  # (P,)
    offset: NDArray[np.float64]  # (P, 3) from the object's origin
    turn: NDArray[np.float64]  # (P, 3, 3)


class Stage:
    """The table and all meshes of a set, ready to be pictured; it knows nothing of tasks."""

    def __init__(
        self, mesh_set: MeshSet, assets: str = "", bodies: str = "", extra_geoms: int = 0
    ) -> None:
        """Makes the model ready to draw.

        Args:
            mesh_set: What objects are made of.
            assets: Further assets of the model, as XML.
            bodies: Further things of its world, as XML.
            extra_geoms: Shapes beside the objects' that a picture may add.
        """
        self._mesh_set = mesh_set
        self._model = _compile(mesh_set, assets, bodies)
        self._prepare(self._model)
        self._parts = _find_parts(self._model, mesh_set)
        self._bottom_M = np.array([mesh.bottom for mesh in mesh_set.mesh])
        most_parts = max(len(mesh.part) for mesh in mesh_set.mesh)
        most_geoms = MAX_OBJECTS * most_parts + MAX_FIXED + extra_geoms
        self._scene = mujoco.MjvScene(self._model, maxgeom=most_geoms)
        self._canvas = open_canvas(self._model, FRAME)
        self._buffer_size = FRAME
        self._data = mujoco.MjData(self._model)
        mujoco.mj_forward(self._model, self._data)
        self._look_through("top")
        self._n_fixed = self._scene.ngeom
        self._geoms = list(self._scene.geoms)
        self._cast: Cast | None = None
        self._shown: list[tuple[Any, int, NDArray[np.float64]]] = []

    def _prepare(self, model: Any) -> None:
        """Changes the model before anything is drawn; a plain stage has nothing to change."""

    def _look_through(self, name: str) -> None:
        """Draws from one of the model's cameras from now on."""
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = self._model.camera(name).id
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            mujoco.MjvOption(),
            None,
            camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        self._cast = None

    def picture(self, cast: Cast, position_N2: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
        """RGB of the objects in their places, (size, size, 3)."""
        self._arrange(cast, position_N2)
        return self.shoot(size)

    def shoot(self, size: int) -> NDArray[np.uint8]:
        """RGB of the scene as it was last arranged, (size, size, 3), small ones reduced."""
        if FRAME % size == 0 and (FRAME // size) % 2 == 0:
            return reduce(self.expose(FRAME), FRAME // size)
        return self.expose(size)

    def segment(self, cast: Cast, position_N2: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
        """Which object each pixel shows, (size, size): 0 is background, i + 1 is object i."""
        self._arrange(cast, position_N2)
        return self.shoot_numbers(size)

    def shoot_numbers(self, size: int) -> NDArray[np.uint8]:
        """Which object each pixel of the scene as it was last arranged shows, (size, size)."""
        flags = self._scene.flags
        before = flags.copy()
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = True
        flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        try:
            number = self.expose(size)[..., 0].astype(np.int64)  # the low byte: one plus segid
        finally:
            flags[:] = before
        return np.asarray(np.maximum(number - self._n_fixed, 0), np.uint8)

    def portrait(self, kind: int, colour: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
        """One mesh alone, close up, from above."""
        self._look_through("portrait")
        cast = Cast(np.array([kind]), colour[None], np.zeros(1))
        shadow_H2 = self._mesh_set.mesh[kind].shadow
        middle_2 = (shadow_H2.min(axis=0) + shadow_H2.max(axis=0)) / 2
        self._arrange(cast, -middle_2[None])
        image = self.expose(size)
        self._look_through("top")
        return image

    def _arrange(self, cast: Cast, position_N2: NDArray[np.float64]) -> NDArray[np.float64]:
        """Puts the objects of a cast in their places, and no others; their origins (N, 3)."""
        if self._cast is not cast:
            self._load(cast)
        bottom_N = self._bottom_M[cast.kind]
        origin_N3 = np.empty((len(position_N2), 3))
        origin_N3[:, :2] = position_N2 + ORIGIN[:2]
        origin_N3[:, 2] = ORIGIN[2] - (bottom_N if cast.scale is None else bottom_N * cast.scale)
        for geom, index, offset_3 in self._shown:
            geom.pos = origin_N3[index] + offset_3
        return origin_N3

    def _load(self, cast: Cast) -> None:
        """Gives shape, colour and orientation to one drawn shape per part."""
        self._shown = []
        for index, (kind, yaw) in enumerate(zip(cast.kind, cast.yaw, strict=True)):
            parts = self._parts[kind]
            turn_33 = turn_about_vertical(yaw)
            if cast.scale is not None:
                turn_33 = turn_33 * cast.scale[index]
            offset_P3, turn_P33 = parts.offset @ turn_33.T, turn_33 @ parts.turn
            rgba = np.append(cast.colour[index], 1.0).astype(np.float32)
            for asset, offset_3, part_33 in zip(parts.asset, offset_P3, turn_P33, strict=True):
                number = self._n_fixed + len(self._shown)
                geom = self._geoms[number]
                mujoco.mjv_initGeom(
                    geom,
                    mujoco.mjtGeom.mjGEOM_MESH,
                    np.zeros(3),
                    np.zeros(3),
                    part_33.ravel(),
                    rgba,
                )
                geom.category = mujoco.mjtCatBit.mjCAT_DYNAMIC
                geom.dataid = 2 * asset  # even numbers draw the mesh, odd ones its hull
                geom.segid = self._n_fixed + index
                self._shown.append((geom, index, offset_3))
        self._scene.ngeom = self._n_fixed + len(self._shown)
        self._cast = cast

    def expose(self, size: int) -> NDArray[np.uint8]:
        """The scene as it was last arranged, (size, size, 3), through the present camera."""
        self._canvas.context.make_current()
        drawing = self._canvas.drawing
        buffer_size = max(size, FRAME)
        if buffer_size != self._buffer_size:
            mujoco.mjr_resizeOffscreen(buffer_size, buffer_size, drawing)
            self._buffer_size = buffer_size
        view = mujoco.MjrRect(0, 0, size, size)
        image = np.empty((size, size, 3), np.uint8)
        mujoco.mjr_render(view, self._scene, drawing)
        mujoco.mjr_readPixels(image, None, view, drawing)
        return image[::-1].copy()  # OpenGL counts rows from below

    def close(self) -> None:
        """Frees what it draws with."""
        self._canvas.close()


def _compile(mesh_set: MeshSet, more_assets: str, bodies: str) -> Any:
    """The model: world, mount, and every mesh part as an asset."""
    files = {f"mount{i}": surface for i, surface in enumerate(mesh_set.mount)}
    for kind, mesh in enumerate(mesh_set.mesh):
        files |= {f"mesh{kind}-{i}": surface for i, surface in enumerate(mesh.part)}
    assets = "".join(f'<mesh name="{n}" file="{n}.stl" inertia="shell"/>' for n in files)
    mount = ROBOGYM_MOUNT if mesh_set.mount else PLAIN_MOUNT
    xml = WORLD_XML.format(frame=FRAME, assets=assets + more_assets, mount=mount + bodies)
    stl = {f"{name}.stl": write_stl(surface) for name, surface in files.items()}
    return mujoco.MjModel.from_xml_string(xml, stl)


def _find_parts(model: Any, mesh_set: MeshSet) -> list[Parts]:
    """Where each mesh's parts are; MuJoCo re-centres every one of them."""
    found = []
    for kind, mesh in enumerate(mesh_set.mesh):
        names = [f"mesh{kind}-{i}" for i in range(len(mesh.part))]
        asset_P = np.array([model.mesh(name).id for name in names])
        turn_P33 = np.empty((len(names), 3, 3))
        for turn_33, quaternion in zip(turn_P33, model.mesh_quat[asset_P], strict=True):
            flat = np.empty(9)
            mujoco.mju_quat2Mat(flat, quaternion)
            turn_33[:] = flat.reshape(3, 3)
        found.append(Parts(asset_P, model.mesh_pos[asset_P], turn_P33))
    return found


def turn_about_vertical(yaw: float) -> NDArray[np.float64]:
    """The rotation matrix of a yaw."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def reduce(image_HWC: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """A picture made smaller as the authors did: bilinear, without antialiasing.

    For an even factor that is the mean of the middle 2 x 2 pixels of each block, half rounded up.
    """
    before, after = factor // 2 - 1, factor // 2
    wide = image_HWC.astype(np.uint16)
    rows = wide[before::factor] + wide[after::factor]
    total = rows[:, before::factor] + rows[:, after::factor]
    return np.asarray((total + 2) // 4, np.uint8)


AnyStage = TypeVar("AnyStage", bound=Stage)
_ready = threading.local()  # an OpenGL context belongs to one thread


def stage_for(mesh_set: MeshSet) -> Stage:
    """The stage of a mesh set, made once a thread and kept for every world that needs it.

    A forked child makes its own: it shares no drawing context with its parent.
    """
    return keep_stage(Stage, mesh_set)


def keep_stage(kind: type[AnyStage], mesh_set: MeshSet) -> AnyStage:
    """The stage of a kind and a mesh set; the oldest goes where there are too many."""
    if getattr(_ready, "process", None) != os.getpid():
        _ready.process = os.getpid()
        _ready.stages = {}
    stages: dict[tuple[type[Stage], str], Any] = _ready.stages
    key = (kind, mesh_set.hash)
    if key not in stages:
        if len(stages) >= MAX_STAGES:
            stages.pop(next(iter(stages))).close()
        stages[key] = kind(mesh_set)
        atexit.register(close_stages)  # after the display's own farewell, so that it runs before
    stage: AnyStage = stages[key]
    return stage


def close_stages() -> None:
    """Frees this thread's stages; a world that is used again makes a new one."""
    if getattr(_ready, "process", None) == os.getpid():
        while _ready.stages:
            _ready.stages.popitem()[1].close()
