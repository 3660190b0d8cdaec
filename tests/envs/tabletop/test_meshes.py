"""Meshes are normalised, told apart by hash, and refused by name where they are unsound."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncs.envs.tabletop.facts import LONGEST
from ncs.envs.tabletop.meshes import MAX_TRIANGLES, load_folder, make_mesh, make_set
from ncs.envs.tabletop.shapes import extrude, revolve, volume_and_centroid
from ncs.envs.tabletop.solids import solids
from ncs.envs.tabletop.stl import write_stl
from ncs.records import DataError

CUBE = solids()["cube"].astype(np.float32)
ROD = revolve([[0, 0], [1, 0], [1, 8], [0, 8]], 16)


def folder_of(root: Path, files: dict[str, np.ndarray]) -> Path:
    for name, triangles in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(write_stl(np.asarray(triangles, np.float32)))
    return root


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_every_mesh_has_the_same_size_about_its_centre_of_mass(scale: float) -> None:
    mesh = make_mesh("rod", [ROD * scale + [5, -7, 11]])
    surface = mesh.part[0].astype(np.float64)
    assert np.ptp(surface, axis=(0, 1)).max() == pytest.approx(LONGEST, abs=1e-7)
    np.testing.assert_allclose(volume_and_centroid(surface)[1], 0, atol=1e-7)
    assert mesh.bottom == pytest.approx(-0.075, abs=1e-6)


def test_parts_of_one_mesh_stay_together() -> None:
    mesh = make_mesh("two", [CUBE, CUBE + np.float32([3, 0, 0])])
    gap = mesh.part[1].mean(axis=(0, 1)) - mesh.part[0].mean(axis=(0, 1))
    np.testing.assert_allclose(gap, [3 * LONGEST / 4, 0, 0], atol=1e-7)


def test_a_shadow_holds_every_corner_of_its_mesh() -> None:
    mesh = make_mesh("star", [extrude([[2, 0], [0.3, 0.3], [0, 2], [-1, -1]], [[0, 1], [1, 1]])])
    for angle in np.linspace(0, 6, 20):
        way = np.array([np.cos(angle), np.sin(angle)])
        corners = mesh.part[0].reshape(-1, 3)[:, :2].astype(np.float64)
        assert (mesh.shadow @ way).max() == pytest.approx((corners @ way).max())


def test_the_hash_knows_names_shapes_and_nothing_else() -> None:
    both = make_set({"cube": [CUBE], "rod": [ROD]})
    assert both.hash == make_set({"rod": [ROD * 2], "cube": [CUBE]}).hash
    assert both.hash != make_set({"cube": [CUBE], "stick": [ROD]}).hash
    assert both.hash != make_set({"cube": [CUBE], "rod": [ROD * [1, 1, 1.01]]}).hash
    assert -(2**63) <= both.stamp < 2**63


def holed(triangles: np.ndarray) -> np.ndarray:
    return triangles[1:]


def with_nan(triangles: np.ndarray) -> np.ndarray:
    spoilt = triangles.copy()
    spoilt[0, 0, 0] = np.nan
    return spoilt


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (holed, "is not watertight"),
        (with_nan, "holds NaN or infinite"),
        (lambda t: t[:0], "is empty"),
        (lambda t: t[:, ::-1], "inside out"),
        (lambda t: t * np.float32([1, 1, 0]), "encloses no volume|not watertight"),
        (lambda t: t[:, [0, 0, 0]], "not watertight"),
        (lambda t: np.concatenate([t, t[:1]]), "not watertight"),
        (lambda t: t * np.float32(1e6), "measures 1e.06, a mesh may measure"),
        (lambda t: t * np.float32(1e-6), "measures 1e-06, a mesh may measure"),
        (lambda t: np.repeat(t, MAX_TRIANGLES // 12 + 1, axis=0), "a part may have 100000"),
    ],
)
def test_unsound_meshes_are_refused_by_name(
    tmp_path: Path, spoil: Callable[[np.ndarray], np.ndarray], words: str
) -> None:
    folder = folder_of(tmp_path, {"geom/sound.stl": CUBE, "ycb/bad/part.stl": spoil(CUBE)})
    with pytest.raises(DataError, match=f"bad.*({words})"):
        load_folder(folder)
    with pytest.raises(DataError, match=f"bad.*({words})"):
        make_mesh("bad", [spoil(CUBE)])


def test_a_folder_holds_single_and_many_part_meshes_in_order_of_name(tmp_path: Path) -> None:
    files = {"geom/zebra.stl": CUBE, "ycb/apple/b.stl": CUBE + 2, "ycb/apple/a.STL": CUBE}
    folder = folder_of(tmp_path, files)
    (folder / "geom" / "notes.txt").write_text("passed over")
    (folder / "ycb" / ".hidden").mkdir()
    meshes = load_folder(folder)
    assert meshes.names == ("apple", "zebra")
    assert [len(mesh.part) for mesh in meshes.mesh] == [2, 1]
    assert meshes.mount == ()


@pytest.mark.parametrize("link", ["geom/out.stl", "ycb/out/part.stl", "ycb/out"])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, link: str) -> None:
    outside = folder_of(tmp_path / "outside", {"part.stl": CUBE})
    folder = folder_of(tmp_path / "meshes", {"geom/cube.stl": CUBE})
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    target = outside / "part.stl" if link.endswith(".stl") else outside
    (folder / link).symlink_to(target)
    with pytest.raises(DataError, match=r"out.*: leads outside"):
        load_folder(folder)


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"geom/cube.stl": CUBE})
    (folder / "geom" / "same.stl").symlink_to("cube.stl")
    assert load_folder(folder).names == ("cube", "same")


def test_folders_without_meshes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere: is not a folder"):
        load_folder(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds 0 meshes"):
        load_folder(tmp_path)
    (tmp_path / "ycb" / "hollow").mkdir(parents=True)
    with pytest.raises(DataError, match="hollow: holds 0 STL files"):
        load_folder(tmp_path)


def test_one_name_for_two_meshes_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"geom/cube.stl": CUBE, "ycb/cube/a.stl": CUBE})
    with pytest.raises(DataError, match=r"there is a geom/cube\.stl too"):
        load_folder(folder)


def test_a_mount_needs_all_its_parts(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"geom/cube.stl": CUBE, "ur16e/URTable_base_link.stl": CUBE})
    with pytest.raises(DataError, match=r"URTable_backsupport\.stl"):
        load_folder(folder)


def test_robogyms_own_folder_is_read_whole(robogym_meshes: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    meshes = load_folder(robogym_meshes)
    assert len(meshes.mesh) == 94
    assert sum(len(mesh.part) for mesh in meshes.mesh) == 879 + 15
    assert len(meshes.mount) == 3
    mug = next(mesh for mesh in meshes.mesh if mesh.name == "025_mug")
    files = sorted((robogym_meshes / "ycb" / "025_mug").glob("*.stl"))
    whole = trimesh.util.concatenate([trimesh.load(file) for file in files])
    scale = LONGEST / whole.extents.max()
    low = np.concatenate(mug.part).min(axis=(0, 1))
    np.testing.assert_allclose(low, (whole.bounds[0] - whole.center_mass) * scale, atol=1e-6)
