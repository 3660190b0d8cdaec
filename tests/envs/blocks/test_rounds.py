"""Rods and balls: closed, of the right size, and lit from outside."""

from collections import Counter

import numpy as np
import pytest

from ncs.envs.blocks.rounds import Surface, ball, rod


@pytest.mark.parametrize("surface", [rod(0.1, 0.4), rod(0.2, 0.01, 12)])
def test_every_edge_of_a_rod_is_run_once_each_way(surface: Surface) -> None:
    _, place = np.unique(surface.corner.round(9), axis=0, return_inverse=True)
    face = place[surface.triangle]
    edges = Counter((int(a), int(b)) for t in face for a, b in zip(t, np.roll(t, -1), strict=True))
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)


@pytest.mark.parametrize("surface", [rod(0.1, 0.4), ball(0.3)])
def test_triangles_and_normals_look_outwards(surface: Surface) -> None:
    corner = surface.corner[surface.triangle]
    across = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    solid = np.linalg.norm(across, axis=1) > 1e-12  # a ball's poles have triangles that are lines
    outward = (across * surface.normal[surface.triangle].mean(axis=1)).sum(axis=1)
    assert (outward[solid] > 0).all()
    np.testing.assert_allclose(np.linalg.norm(surface.normal, axis=1), 1)


def test_sizes() -> None:
    np.testing.assert_allclose(np.ptp(rod(0.1, 0.4).corner, axis=0), [0.2, 0.2, 0.8])
    np.testing.assert_allclose(np.linalg.norm(ball(0.3).corner, axis=1), 0.3)
