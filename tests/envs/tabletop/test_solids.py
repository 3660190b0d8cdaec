"""The 15 solids are the ones their names promise."""

from pathlib import Path

import numpy as np
import pytest

from ncs.envs.tabletop.meshes import load_folder, make_mesh
from ncs.envs.tabletop.shapes import volume_and_centroid
from ncs.envs.tabletop.solids import solids

FACES = {
    **{"cube": 12, "dodeca": 36, "hexprism": 20, "icosa": 20, "octa": 8, "pyramid": 6},
    **{"sphere1280": 1280, "sphere320": 320, "sphere80": 80, "tetra": 4, "triprism": 8},
}


@pytest.mark.parametrize("name", FACES)
def test_flat_faced_solids_have_their_number_of_triangles(name: str) -> None:
    assert len(solids()[name]) == FACES[name]


@pytest.mark.parametrize("name", ["sphere80", "sphere320", "sphere1280", "icosa"])
def test_corners_of_spheres_lie_on_a_sphere(name: str) -> None:
    reach = np.linalg.norm(solids()[name].reshape(-1, 3), axis=1)
    np.testing.assert_allclose(reach, reach[0])


@pytest.mark.parametrize("name", ["dodeca", "icosa", "octa"])
def test_regular_solids_have_equal_edges(name: str) -> None:
    triangles = solids()[name]
    edges = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2)
    lengths = np.unique(edges.round(9))
    assert len(lengths) == (2 if name == "dodeca" else 1)  # a pentagon's diagonals are longer


def test_the_solids_are_robogyms(robogym_meshes: Path) -> None:
    theirs = {mesh.name: mesh for mesh in load_folder(robogym_meshes).mesh}
    for name, surface in solids().items():
        ours = make_mesh(name, [surface])
        volumes = [
            volume_and_centroid(mesh.part[0].astype(np.float64))[0] for mesh in (ours, theirs[name])
        ]
        assert volumes[0] == pytest.approx(volumes[1], rel=5e-3), name
        assert ours.bottom == pytest.approx(theirs[name].bottom, abs=2e-4), name
        for end in (np.min, np.max):
            np.testing.assert_allclose(
                end(ours.part[0], axis=(0, 1)), end(theirs[name].part[0], axis=(0, 1)), atol=4e-4
            )
