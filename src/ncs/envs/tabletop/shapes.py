"""Closed surfaces from a few numbers: revolve a profile, extrude an outline, sweep a tube.

Every function gives triangles (F, 3, 3) that close exactly: neighbours share their corners to the
last bit. Sines and cosines come from ``math``, so a shape does not depend on how NumPy was built.
Legend: F triangles, P points of a line, L layers, S sides of a ring.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Triangles = NDArray[np.float64]  # (F, 3, 3)
Points = ArrayLike  # (P, 2) or (P, 3)


def volume_and_centroid(triangle_F33: Triangles) -> tuple[float, NDArray[np.float64]]:
    """The volume a closed surface encloses and its centre of mass; negative when inside out."""
    a, b, c = triangle_F33[:, 0], triangle_F33[:, 1], triangle_F33[:, 2]
    volume_F = np.einsum("fi,fi->f", a, np.cross(b, c)) / 6
    volume = float(volume_F.sum())
    moment_3 = ((a + b + c) / 4 * volume_F[:, None]).sum(axis=0)
    return volume, moment_3 / (volume or 1.0)


def outward(triangle_F33: Triangles) -> Triangles:
    """The same surface with its outside outside."""
    volume, _ = volume_and_centroid(triangle_F33 - triangle_F33.mean(axis=(0, 1)))
    return triangle_F33[:, ::-1] if volume < 0 else triangle_F33


def circle(sides: int, phase: float = 0.0) -> NDArray[np.float64]:
    """Points of the unit circle, (S, 2)."""
    angles = [2 * math.pi * (k / sides + phase) for k in range(sides)]
    return np.array([[math.cos(a), math.sin(a)] for a in angles])


def smoothed(points: Points, steps: int, closed: bool = False) -> NDArray[np.float64]:
    """A Catmull-Rom curve through the points, ``steps`` pieces between neighbours."""
    p = np.asarray(points, float)
    if steps < 2:
        return p
    before, after = (p[-1:], p[:2]) if closed else (2 * p[:1] - p[1:2], 2 * p[-1:] - p[-2:-1])
    q = np.concatenate([before, p, after])
    n_pieces = len(p) if closed else len(p) - 1
    t = np.arange(steps)[:, None] / steps
    pieces = []
    for i in range(n_pieces):
        a, b, c, d = q[i : i + 4]
        pieces.append(
            b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
        )
    return np.concatenate(pieces if closed else [*pieces, p[-1:]])


def ribs(ring_PS3: NDArray[np.float64], closed: bool) -> Triangles:
    """Triangles between each ring and the next; a ring shrunk to a point gives a fan."""
    following = np.roll(ring_PS3, -1, axis=0)
    near, far = (ring_PS3, following) if closed else (ring_PS3[:-1], following[:-1])
    near_next, far_next = np.roll(near, -1, axis=1), np.roll(far, -1, axis=1)
    first = np.stack([near, near_next, far_next], axis=2).reshape(-1, 3, 3)
    second = np.stack([near, far_next, far], axis=2).reshape(-1, 3, 3)
    triangle_F33 = np.concatenate([first, second])
    a, b, c = triangle_F33[:, 0], triangle_F33[:, 1], triangle_F33[:, 2]
    thin_F = (a == b).all(axis=1) | (b == c).all(axis=1) | (c == a).all(axis=1)
    kept: Triangles = triangle_F33[~thin_F]
    return kept


def revolve(profile: Points, sides: int = 28) -> Triangles:
    """A profile of (radius, height) points turned about the z axis.

    A profile that starts and ends on the axis makes a solid, with a hollow where it comes back
    inwards; one that never meets the axis is closed into a ring.
    """
    profile_P2 = np.asarray(profile, float)
    ring_PS3 = np.empty((len(profile_P2), sides, 3))
    ring_PS3[..., :2] = profile_P2[:, None, :1] * circle(sides) + 0.0  # no negative zero
    ring_PS3[..., 2] = profile_P2[:, None, 1]
    is_ring = bool(profile_P2[[0, -1], 0].max() > 0)
    return outward(ribs(ring_PS3, is_ring))


def extrude(outline: Points, layers: Points) -> Triangles:
    """An outline (counter-clockwise or not) raised through layers of (height, scale)."""
    outline_P2 = np.asarray(outline, float)
    if area(outline_P2) < 0:
        outline_P2 = outline_P2[::-1]
    height_L, scale_L = np.asarray(layers, float).T
    ring_LP3 = np.empty((len(height_L), len(outline_P2), 3))
    ring_LP3[..., :2] = outline_P2 * scale_L[:, None, None]
    ring_LP3[..., 2] = height_L[:, None]
    cap = clip_ears(outline_P2)
    return outward(
        np.concatenate([ribs(ring_LP3, closed=False), ring_LP3[0][cap[:, ::-1]], ring_LP3[-1][cap]])
    )


def area(outline_P2: NDArray[np.float64]) -> float:
    """The area inside an outline; negative when it runs clockwise."""
    x, y = outline_P2.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def clip_ears(outline_P2: NDArray[np.float64]) -> NDArray[np.int64]:
    """Corners (F, 3) of triangles that fill a counter-clockwise outline, by clipping ears."""
    left = list(range(len(outline_P2)))
    ears: list[tuple[int, int, int]] = []
    while len(left) > 3:
        n = len(left)
        for i in range(n):
            corner = (left[i - 1], left[i], left[(i + 1) % n])
            if _is_ear(outline_P2, corner, left):
                ears.append(corner)
                del left[i]
                break
        else:
            raise ValueError(f"outline of {len(outline_P2)} points crosses itself")
    return np.array([*ears, tuple(left)])


def _is_ear(outline_P2: NDArray[np.float64], corner: tuple[int, int, int], left: list[int]) -> bool:
    """Whether a corner is convex and no other point lies in its triangle."""
    a, b, c = (outline_P2[i] for i in corner)
    if _turn(a, b, c) <= 0:
        return False
    others = outline_P2[[i for i in left if i not in corner]]
    inside = (_turn(a, b, others) >= 0) & (_turn(b, c, others) >= 0) & (_turn(c, a, others) >= 0)
    return not bool(np.any(inside))


def _turn(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[Any]:
    """Twice the signed area of a, b, c: positive where c lies left of a to b."""
    ab, ac = b - a, c - a
    return np.asarray(ab[0] * ac[..., 1] - ab[1] * ac[..., 0])


def sweep(
    path: Points,
    radii: Points,
    sides: int = 10,
    closed: bool = False,
    up: Sequence[float] | None = (0.0, 0.0, 1.0),
) -> Triangles:
    """A tube along a path.

    Args:
        path: Points (P, 3).
        radii: Half-widths (P, 2) across the path: sideways, and along ``up``.
        sides: Sides of the tube.
        closed: Whether the path returns to its start; otherwise its ends are capped.
        up: Which way the second half-width lies; None means away from the origin.
    """
    path_P3, radius_P2 = np.asarray(path, float), np.asarray(radii, float)
    ahead, behind = np.roll(path_P3, -1, axis=0), np.roll(path_P3, 1, axis=0)
    if not closed:
        ahead[-1], behind[0] = path_P3[-1], path_P3[0]
    forward_P3 = _unit(ahead - behind)
    up_P3 = path_P3 if up is None else np.broadcast_to(np.asarray(up, float), path_P3.shape)
    side_P3 = _unit(np.cross(up_P3, forward_P3))
    up_P3 = np.cross(forward_P3, side_P3)
    unit_S2 = circle(sides, 0.5 / sides)
    across = side_P3[:, None] * (radius_P2[:, None, :1] * unit_S2[:, :1])
    along = up_P3[:, None] * (radius_P2[:, None, 1:] * unit_S2[:, 1:])
    ring_PS3 = path_P3[:, None] + across + along
    if closed:
        return outward(ribs(ring_PS3, closed=True))
    fan = clip_ears(unit_S2)
    return outward(
        np.concatenate([ribs(ring_PS3, closed=False), ring_PS3[0][fan[:, ::-1]], ring_PS3[-1][fan]])
    )


def _unit(vector_P3: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors scaled to length one."""
    unit: NDArray[np.float64] = vector_P3 / np.sqrt((vector_P3**2).sum(axis=-1, keepdims=True))
    return unit


def turn(triangle_F33: Triangles, degrees_3: Sequence[float]) -> Triangles:
    """The surface turned about x, then y, then z."""
    for axis, degrees in enumerate(degrees_3):
        if degrees:
            c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            i, j = (axis + 1) % 3, (axis + 2) % 3
            turned = triangle_F33.copy()
            turned[..., i] = c * triangle_F33[..., i] - s * triangle_F33[..., j]
            turned[..., j] = s * triangle_F33[..., i] + c * triangle_F33[..., j]
            triangle_F33 = turned
    return triangle_F33
