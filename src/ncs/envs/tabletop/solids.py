"""The 15 geometric solids of robogym, built from their definitions, in units of their width.

Legend: F triangles.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ncs.envs.tabletop.shapes import Triangles, circle, extrude, outward, revolve

GOLDEN = (1 + math.sqrt(5)) / 2
SIDES = 48  # of round things that have no triangle count in their name


def solids() -> dict[str, Triangles]:
    """The surface of every solid, by name."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    dome = _dome()
    capsule = np.concatenate([dome[::-1] * [1, -1], dome + np.array([0, 1])])
    top = [[0, 1], [1, 1]]
    hexagon, triangle = circle(6) / 2, circle(3, 0.25) / math.sqrt(3)
    return {
        "capsule": revolve(capsule, SIDES),
        "cone": revolve([[0.0, 0.0], [0.5, 0.0], [0.0, 1.0]], 2 * SIDES),
        "cube": extrude(square, top),
        "cylinder": revolve([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [0.0, 1.0]], 2 * SIDES),
        "dodeca": dodecahedron(),
        "halfsphere": revolve(np.concatenate([np.zeros((1, 2)), dome]), SIDES),
        "hexprism": extrude(hexagon, top),
        "icosa": icosahedron(),
        "octa": octahedron(),
        "pyramid": pyramid(square),
        "sphere1280": icosphere(3),
        "sphere320": icosphere(2),
        "sphere80": icosphere(1),
        "tetra": pyramid(triangle),
        "triprism": extrude(triangle, top),
    }


def _dome() -> NDArray[np.float64]:
    """A quarter circle of radius one half from the equator to the pole, as (radius, height)."""
    quarter = circle(SIDES)[: SIDES // 4 + 1] / 2
    quarter[-1, 0] = 0.0
    return quarter


def pyramid(base_P2: NDArray[np.float64]) -> Triangles:
    """A base, counter-clockwise, and an apex at height one above the middle of its extent."""
    base_P3 = np.column_stack([base_P2, np.zeros(len(base_P2))])
    apex = (base_P3.min(axis=0) + base_P3.max(axis=0)) / 2 + [0.0, 0.0, 1.0]
    following = np.roll(base_P3, -1, axis=0)
    walls = [np.stack([a, b, apex]) for a, b in zip(base_P3, following, strict=True)]
    floor = [base_P3[[0, i + 1, i]] for i in range(1, len(base_P3) - 1)]
    return outward(np.stack([*walls, *floor]))


def icosahedron() -> Triangles:
    """Twenty equal triangles, corners on three golden rectangles."""
    corner_V3 = _golden_rectangles(1.0, GOLDEN)
    return outward(_equal_faces(corner_V3, edge=2.0) / (2 * GOLDEN))


def octahedron() -> Triangles:
    """Eight equal triangles, corners on the axes."""
    corner_V3 = np.concatenate([np.eye(3), -np.eye(3)])
    return outward(_equal_faces(corner_V3, edge=math.sqrt(2)) / 2)


def dodecahedron() -> Triangles:
    """Twelve pentagons, three triangles each."""
    cube_V3 = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    corner_V3 = np.concatenate([cube_V3, _golden_rectangles(1 / GOLDEN, GOLDEN)])
    faces = []
    for normal in _golden_rectangles(GOLDEN, 1.0):  # a pentagon faces every icosahedron corner
        reach = corner_V3 @ normal
        pentagon = corner_V3[reach > reach.max() - 1e-9]
        side = np.cross(normal, pentagon[0])
        front = np.cross(side, normal)
        ordered = pentagon[np.argsort(np.arctan2(pentagon @ side, pentagon @ front))]
        faces += [ordered[[0, i, i + 1]] for i in (1, 2, 3)]
    return _face_outward(np.stack(faces)) / (2 * GOLDEN)


def icosphere(halvings: int) -> Triangles:
    """An icosahedron whose triangles are cut in four again and again, pushed onto a sphere."""
    triangle_F33 = icosahedron()
    for _ in range(halvings):
        a, b, c = triangle_F33[:, 0], triangle_F33[:, 1], triangle_F33[:, 2]
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangle_F33 = np.concatenate([np.stack(corners, axis=1) for corners in quarters])
        triangle_F33 /= 2 * np.sqrt((triangle_F33**2).sum(axis=2, keepdims=True))
    return triangle_F33


def _golden_rectangles(short: float, long: float) -> NDArray[np.float64]:
    """Corners (0, +-short, +-long) and their cyclic shifts, (12, 3)."""
    flat = np.array([[0.0, s * short, t * long] for s in (-1, 1) for t in (-1, 1)])
    return np.concatenate([np.roll(flat, shift, axis=1) for shift in range(3)])


def _equal_faces(corner_V3: NDArray[np.float64], edge: float) -> Triangles:
    """All triangles whose three edges have the given length."""
    n = len(corner_V3)
    near = np.abs(np.linalg.norm(corner_V3[:, None] - corner_V3, axis=2) - edge) < 1e-9
    triples = [
        (i, j, k)
        for i in range(n)
        for j in range(i + 1, n)
        for k in range(j + 1, n)
        if near[i, j] and near[j, k] and near[i, k]
    ]
    return _face_outward(corner_V3[np.array(triples)])


def _face_outward(triangle_F33: Triangles) -> Triangles:
    """Triangles around the origin, each turned to face away from it."""
    a, b, c = triangle_F33[:, 0], triangle_F33[:, 1], triangle_F33[:, 2]
    inward_F = np.einsum("fi,fi->f", a, np.cross(b, c)) < 0
    triangle_F33[inward_F] = triangle_F33[inward_F][:, ::-1]
    return triangle_F33
