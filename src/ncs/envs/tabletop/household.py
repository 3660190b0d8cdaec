"""Builds the 79 household shapes from the recipes in ``household.toml``.

A recipe is a list of parts, in millimetres, z up, each a table with one of these keys:

* ``revolve``: profile of [radius, height]
* ``extrude``: outline of [x, y], with ``height`` or ``layers`` of [height, scale]
* ``box``: [x, y, z], or ``slab``: [x, y, z, corner radius], standing on z = 0
* ``can``: [radius, height], standing on z = 0
* ``ball``: [x, y, z] half-axes about the origin
* ``tube``: path of [x, y, z] with ``radius``: one number, one a point, or [side, up] a point;
  ``closed`` and ``up`` as in ``sweep``; ``sphere`` lifts the path onto a ball of that radius

``smooth`` rounds a line off, ``sides`` sets the fineness, ``soft`` bevels upper and lower edges of
a box, slab or can. Then ``stretch`` (factors along x, y, z), ``turn`` (degrees about x, y, z),
``at``, ``copies`` (a list of offsets) and ``ring`` (copies turned about z) put the part in place.
"""

import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

import numpy as np

from ncs.envs.tabletop.shapes import (
    Triangles,
    circle,
    extrude,
    revolve,
    smoothed,
    sweep,
    turn,
)

Part = Mapping[str, Any]


def household() -> dict[str, list[Triangles]]:
    """The parts of every household shape, by name."""
    text = resources.files("ncs.envs.tabletop").joinpath("household.toml").read_text("utf-8")
    return {name: build(recipe["parts"]) for name, recipe in tomllib.loads(text).items()}


def build(parts: list[Part]) -> list[Triangles]:
    """The surfaces of a recipe, in place."""
    return [surface for part in parts for surface in _place(_make(part), part)]


def _make(part: Part) -> Triangles:
    """The surface of one part, before it is put in its place."""
    for key, make in MAKERS.items():
        if key in part:
            return make(part)
    raise ValueError(f"part has none of the keys {', '.join(MAKERS)}: {dict(part)}")


def _place(triangle_F33: Triangles, part: Part) -> list[Triangles]:
    """The part turned, shifted and copied."""
    stretched = triangle_F33 * np.array(part.get("stretch", (1, 1, 1)))
    here = turn(stretched, part.get("turn", (0, 0, 0))) + np.array(part.get("at", (0, 0, 0)))
    copies = [here + np.array(offset) for offset in part.get("copies", [(0, 0, 0)])]
    n_ring = part.get("ring", 1)
    return [turn(copy, (0, 0, 360 * k / n_ring)) for copy in copies for k in range(n_ring)]


def _revolve(part: Part) -> Triangles:
    profile = smoothed(part["revolve"], part.get("smooth", 1))
    profile[:, 0] = np.maximum(profile[:, 0], 0.0)  # a smoothed line may swing past the axis
    return revolve(profile, part.get("sides", 28))


def _extrude(part: Part) -> Triangles:
    outline = smoothed(part["extrude"], part.get("smooth", 1), closed=True)
    layers = part.get("layers") or _bevelled(part["height"], outline, part.get("soft", 0))
    return extrude(outline, layers)


def _bevelled(height: float, outline_P2: Any, soft: float) -> list[list[float]]:
    """Layers of a straight wall whose edges are cut back by ``soft`` millimetres."""
    if not soft:
        return [[0.0, 1.0], [height, 1.0]]
    inset = 1 - soft / float(np.abs(outline_P2).max())
    return [[0.0, inset], [soft, 1.0], [height - soft, 1.0], [height, inset]]


def _box(part: Part) -> Triangles:
    x, y, z = part["box"]
    outline = np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) / 2
    return extrude(outline, _bevelled(z, outline, part.get("soft", 0)))


def _slab(part: Part) -> Triangles:
    x, y, z, corner = part["slab"]
    quarter = circle(24)[:7] * corner
    outline = []
    for quadrant, (sx, sy) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        centre = np.array([sx * (x / 2 - corner), sy * (y / 2 - corner)])
        turned = quarter if quadrant % 2 == 0 else quarter[::-1]
        outline.append(centre + turned * [sx, sy])
    points = np.concatenate(outline)
    return extrude(points, _bevelled(z, points, part.get("soft", 0)))


def _can(part: Part) -> Triangles:
    radius, height = part["can"]
    soft = part.get("soft", 0)
    profile = [[0, 0], [radius - soft, 0], [radius, soft]]
    profile += [[radius, height - soft], [radius - soft, height], [0, height]]
    return revolve(profile, part.get("sides", 28))


def _ball(part: Part) -> Triangles:
    rings = part.get("rings", 12)
    arc = circle(2 * rings, 0.75)[: rings + 1]
    arc[[0, -1], 0] = 0.0
    surface: Triangles = revolve(arc, part.get("sides", 24)) * np.array(part["ball"], float)
    return surface


def _tube(part: Part) -> Triangles:
    closed = part.get("closed", False)
    n_points = len(part["tube"])
    radius = part.get("radius", 1.0)
    radii = radius if isinstance(radius, list) else [radius] * n_points
    pairs = [r if isinstance(r, list) else [r, r] for r in radii]
    line = smoothed(
        [[*p, *r] for p, r in zip(part["tube"], pairs, strict=True)], part.get("smooth", 1), closed
    )
    path, widths = line[:, :3], np.maximum(line[:, 3:], 0.05)
    up = part.get("up", (0.0, 0.0, 1.0))
    if "sphere" in part:
        path = path / np.sqrt((path**2).sum(axis=1, keepdims=True)) * part["sphere"]
        up = None
    return sweep(path, widths, part.get("sides", 10), closed, up)


MAKERS: dict[str, Callable[[Part], Triangles]] = {
    "revolve": _revolve,
    "extrude": _extrude,
    "box": _box,
    "slab": _slab,
    "can": _can,
    "ball": _ball,
    "tube": _tube,
}
