"""The package's own set is fixed; a folder or NCS_MESHES takes its place."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ncs.envs.tabletop.facts import LONGEST
from ncs.envs.tabletop.mesh_set import choose_meshes, own_meshes
from ncs.envs.tabletop.solids import solids
from ncs.envs.tabletop.stl import write_stl
from ncs.records import DataError

# Tasks carry this hash. A change of any shape changes it, and makes old task suites unusable.
OWN_HASH = "1be664a9569f634b2b235d4a549f4643625a5d995cb68586f1d649f3d6dc3f12"


def test_the_own_set_is_94_meshes_of_one_size() -> None:
    meshes = own_meshes()
    assert len(meshes.mesh) == len(set(meshes.names)) == 94
    assert set(solids()) <= set(meshes.names)
    for mesh in meshes.mesh:
        extent = np.ptp(np.concatenate(mesh.part), axis=(0, 1))
        assert extent.max() == pytest.approx(LONGEST, abs=1e-6), mesh.name
        assert extent.min() > 0.002, mesh.name


def test_the_own_set_is_the_same_in_every_process() -> None:
    code = "from ncs.envs.tabletop.mesh_set import own_meshes; print(own_meshes().hash)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert other.stdout.strip() == own_meshes().hash == OWN_HASH


def test_a_folder_comes_before_the_variable_and_that_before_the_own_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        (tmp_path / name / "geom").mkdir(parents=True)
        cube = write_stl(solids()["cube"].astype(np.float32))
        (tmp_path / name / "geom" / f"{name}.stl").write_bytes(cube)
    monkeypatch.delenv("NCS_MESHES", raising=False)
    assert choose_meshes() is own_meshes()
    monkeypatch.setenv("NCS_MESHES", str(tmp_path / "second"))
    assert choose_meshes().names == ("second",)
    assert choose_meshes(tmp_path / "first").names == ("first",)


def test_a_variable_that_names_no_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCS_MESHES", "/nowhere/at/all")
    with pytest.raises(DataError, match="/nowhere/at/all: is not a folder of meshes"):
        choose_meshes()
