"""Meshes of one size about their centre of mass: checked, normalised, or refused by name.

A mesh is one body of one or more closed parts. Whatever its units, it is scaled to a longest
extent of 0.15 m and shifted so that its centre of mass is the origin, as in robogym.

Legend: F triangles, M meshes, H corners of a shadow.
"""

import functools
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from ncs.envs.tabletop.facts import LONGEST
from ncs.envs.tabletop.shapes import volume_and_centroid
from ncs.envs.tabletop.stl import read_stl
from ncs.records import DataError
from ncs.storage import canonical

EXTENT_LIMITS = (1e-4, 1e4)  # in the file's units: millimetres and metres both fit easily
MAX_TRIANGLES = 100_000  # of one part; MuJoCo takes twice that
MAX_PARTS = 256  # of one mesh; the largest of robogym has 52
MAX_MESHES = 2000
HASH_GRID = 2.0**17  # steps a metre: geometry is compared to 8 micrometres, not to the last bit
MOUNT_FILES = ("URTable_base_link", "URTable_backsupport", "URTable_topmount_LPLP")

Surface = NDArray[np.float32]  # (F, 3, 3)


@dataclass(frozen=True)
class Mesh:
    """One kind of object, in metres about its centre of mass."""

    name: str
    part: tuple[Surface, ...]
    shadow: NDArray[np.float64]  # (H, 2) corners of its outline seen from above, made convex
    bottom: float  # z of its lowest point


@dataclass(frozen=True, eq=False)
class MeshSet:
    """All kinds of object a scene may hold, in the order of their names."""

    mesh: tuple[Mesh, ...]
    mount: tuple[Surface, ...] = ()  # robogym's table mount; without it a plain one stands there

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Names in order; a task's ``kind`` counts along them."""
        return tuple(mesh.name for mesh in self.mesh)

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 over names and geometry: two sets with one hash give the same scenes."""
        total = hashlib.sha256()
        for label, surfaces in [*((m.name, m.part) for m in self.mesh), ("mount", self.mount)]:
            total.update(canonical([label, [len(surface) for surface in surfaces]]).encode())
            for surface in surfaces:
                total.update(np.rint(surface * HASH_GRID).astype("<i4").tobytes())
        return total.hexdigest()

    @functools.cached_property
    def stamp(self) -> int:
        """The hash as a number that fits an array: every task carries that of its set."""
        return int.from_bytes(bytes.fromhex(self.hash)[:8], "little", signed=True)

    @functools.cached_property
    def heights(self) -> NDArray[np.float64]:
        """How high every mesh stands (M,)."""
        tops = [max(float(part[..., 2].max()) for part in mesh.part) for mesh in self.mesh]
        return np.array(tops) - [mesh.bottom for mesh in self.mesh]

    @functools.cached_property
    def areas(self) -> NDArray[np.float64]:
        """The area of every shadow (M,), square metres."""
        return np.array([ConvexHull(mesh.shadow).volume for mesh in self.mesh])

    @functools.cached_property
    def shadows(self) -> NDArray[np.float64]:
        """Every shadow (M, H, 2), filled up to equal length with its first corner."""
        most = max(len(mesh.shadow) for mesh in self.mesh)
        return np.stack(
            [
                np.concatenate(
                    [mesh.shadow, np.repeat(mesh.shadow[:1], most - len(mesh.shadow), 0)]
                )
                for mesh in self.mesh
            ]
        )


def make_set(parts: dict[str, Sequence[NDArray[np.floating]]]) -> MeshSet:
    """A mesh set from surfaces in any units, by name."""
    return MeshSet(tuple(make_mesh(name, parts[name]) for name in sorted(parts)))


def make_mesh(name: str, parts: Sequence[NDArray[np.floating]]) -> Mesh:
    """A mesh from its closed parts, normalised; refuses what has no sound volume."""
    surfaces = [_closed(f"mesh {name}", np.asarray(part, np.float64)) for part in parts]
    if not surfaces:
        raise DataError(f"mesh {name}: has no parts")
    return _normalise(name, surfaces)


def _sound(label: str, triangle_F33: NDArray[np.float64]) -> NDArray[np.float64]:
    """A surface that can be drawn; refuses one that is empty, too large or not of numbers."""
    if len(triangle_F33) == 0:
        raise DataError(f"{label}: is empty, it has no triangles")
    if len(triangle_F33) > MAX_TRIANGLES:
        raise DataError(
            f"{label}: has {len(triangle_F33)} triangles, a part may have {MAX_TRIANGLES}"
        )
    if not np.isfinite(triangle_F33).all():
        raise DataError(f"{label}: holds NaN or infinite coordinates")
    return triangle_F33


def _closed(label: str, triangle_F33: NDArray[np.float64]) -> NDArray[np.float64]:
    """A part without triangles that are mere lines; refuses one that is not a closed surface."""
    face_F3 = _number_corners(_sound(label, triangle_F33))
    proper_F = (face_F3 != np.roll(face_F3, 1, axis=1)).all(axis=1)
    if not _is_watertight(face_F3[proper_F]):
        raise DataError(f"{label}: is not watertight, so it has no volume; mend its holes")
    surface: NDArray[np.float64] = triangle_F33[proper_F]
    if volume_and_centroid(surface - surface[0, 0])[0] <= 0:
        raise DataError(f"{label}: encloses no volume or is inside out; flip its triangles")
    return surface


def _number_corners(triangle_F33: NDArray[np.float64]) -> NDArray[np.int64]:
    """A number for each corner (F, 3), equal where corners coincide."""
    corner_V3 = triangle_F33.reshape(-1, 3)
    order_V = np.lexsort(corner_V3.T)
    is_new_V = (np.diff(corner_V3[order_V], axis=0, prepend=np.nan) != 0).any(axis=1)
    number_V = np.empty(len(corner_V3), np.int64)
    number_V[order_V] = np.cumsum(is_new_V)
    return number_V.reshape(-1, 3)


def _is_watertight(face_F3: NDArray[np.int64]) -> bool:
    """Whether there are faces and every edge is run once each way."""
    start, end = face_F3.ravel(), np.roll(face_F3, -1, axis=1).ravel()
    n_corners = face_F3.max(initial=0) + 1
    there, back = np.sort(start * n_corners + end), np.sort(end * n_corners + start)
    return bool(len(there) and (np.diff(there) > 0).all() and (there == back).all())


def _normalise(name: str, surfaces: Sequence[NDArray[np.float64]]) -> Mesh:
    """The mesh at its standard size and place."""
    corner_V3 = np.concatenate([surface.reshape(-1, 3) for surface in surfaces])
    low_3, high_3 = corner_V3.min(axis=0), corner_V3.max(axis=0)
    longest = float((high_3 - low_3).max())
    if not EXTENT_LIMITS[0] <= longest <= EXTENT_LIMITS[1]:
        raise DataError(
            f"mesh {name}: measures {longest:g}, a mesh may measure "
            f"{EXTENT_LIMITS[0]:g} to {EXTENT_LIMITS[1]:g}"
        )
    scale = LONGEST / longest
    _, centre_3 = volume_and_centroid(np.concatenate(surfaces) - low_3)
    parts = tuple(((surface - low_3 - centre_3) * scale).astype(np.float32) for surface in surfaces)
    seen_V3 = np.concatenate([part.reshape(-1, 3) for part in parts]).astype(np.float64)
    flat_V2 = seen_V3[:, :2]
    return Mesh(name, parts, flat_V2[ConvexHull(flat_V2).vertices], float(seen_V3[:, 2].min()))


def load_folder(folder: Path) -> MeshSet:
    """The meshes of a folder in robogym's layout.

    ``geom/<name>.stl`` holds a mesh of one part, ``ycb/<name>/*.stl`` one of several; the three
    parts of the table mount in ``ur16e/`` are optional.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: is not a folder of meshes (geom/*.stl, ycb/<name>/*.stl)")
    files = {path.stem: [path] for path in _stl_files(folder, folder / "geom")}
    for inner in _entries(folder, folder / "ycb"):
        if inner.is_dir():
            if inner.name in files:
                raise DataError(f"{inner}: there is a geom/{inner.name}.stl too; rename one")
            files[inner.name] = _stl_files(folder, inner)
            if not 1 <= len(files[inner.name]) <= MAX_PARTS:
                raise DataError(
                    f"{inner}: holds {len(files[inner.name])} STL files, a mesh has 1 to "
                    f"{MAX_PARTS} parts"
                )
    if not 1 <= len(files) <= MAX_MESHES:
        raise DataError(f"{folder}: holds {len(files)} meshes, a set has 1 to {MAX_MESHES}")
    meshes = tuple(
        _normalise(name, [_load(path) for path in files[name]]) for name in sorted(files)
    )
    return MeshSet(meshes, _load_mount(folder))


def _load(path: Path) -> NDArray[np.float64]:
    """One part from its file."""
    return _closed(str(path), read_stl(path).astype(np.float64))


def _load_mount(folder: Path) -> tuple[Surface, ...]:
    """The parts of robogym's table mount, in metres as they are; none if the folder has none."""
    home = folder / "ur16e"
    if not home.is_dir():
        return ()
    paths = [_inside(folder, home / f"{name}.stl") for name in MOUNT_FILES]
    for path in paths:
        _sound(str(path), read_stl(path).astype(np.float64))
    return tuple(read_stl(path) for path in paths)


def _stl_files(folder: Path, inner: Path) -> list[Path]:
    """The STL files of an inner folder, in order of name."""
    return [path for path in _entries(folder, inner) if path.suffix.lower() == ".stl"]


def _entries(folder: Path, inner: Path) -> list[Path]:
    """What an inner folder holds, in order of name; hidden files are passed over."""
    if not inner.is_dir():
        return []
    names = sorted(name for name in os.listdir(inner) if not name.startswith("."))
    return [_inside(folder, inner / name) for name in names]


def _inside(folder: Path, path: Path) -> Path:
    """The path, unless a link leads it out of the folder."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(f"{path}: leads outside {folder}; copy the file into the folder")
    return path
