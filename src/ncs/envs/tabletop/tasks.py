"""Pure facts of the table: where objects may stand, which tasks there are, what solves them.

Positions are in metres from the middle of the placement area. For an object stands its box, the
smallest along the axes that holds its outline after its yaw. Objects start, and have their goals,
on a lattice of cells that the largest box of the scene sets, each in the low corner of its cell.
Legend: C candidate scenes, N objects, G lattice cells, H outline corners, T target positions,
2 coordinates.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import HARD_STYLES, draw_look
from ncs.envs.tabletop.facts import (
    HALF_AREA,
    HELD_COLOURS,
    HELD_MESHES,
    NAME,
    PALETTE,
    REACH,
    SLACK,
    Style,
)
from ncs.envs.tabletop.meshes import MeshSet
from ncs.envs.tabletop.styles import LEAST_AREA, all_in_sight, draw_scales, eye_for
from ncs.records import ConfigError, GoalKind, Task

CANDIDATES = 8  # scenes drawn at a time until one has cells enough
MAX_BATCHES = 1000

Positions = NDArray[np.float64]


@dataclass(frozen=True)
class Boxes:
    """The boxes of objects about their origins."""

    low: Positions  # (..., N, 2)
    high: Positions  # (..., N, 2)


@dataclass(frozen=True)
class Law:
    """Which tasks are drawn."""

    n_objects: int
    goal: GoalKind
    n_constrained: int  # objects with a goal when the goal is partial
    n_moving: int  # objects whose goal is not their start when it is complete
    style: Style = "plain"  # which meshes and colours
    look: str = ""  # a hard style, or none

    @property
    def features(self) -> frozenset[str]:
        """What is special about how scenes look."""
        return HARD_STYLES[self.look] if self.look else frozenset()

    @property
    def n_goals(self) -> int:
        """Free cells a scene must have, whatever the goal: scenes are alike in play and test."""
        return max(self.n_moving, self.n_constrained if self.goal == "partial" else 0)


def default_moving(n_objects: int) -> int:
    """How many objects move in a complete task: all of up to five, four of more."""
    return n_objects if n_objects < 6 else 4


def draw_kinds(
    rng: np.random.Generator, n_meshes: int, style: Style, size: tuple[int, ...]
) -> NDArray[np.int64]:
    """Meshes of a style, uniformly with replacement."""
    kind = np.arange(n_meshes)
    held = kind % HELD_MESHES == HELD_MESHES - 1
    pool = {"plain": kind, "seen": kind[~held], "unseen": kind[held]}[style]
    return np.asarray(pool[rng.integers(len(pool), size=size)])


def draw_colours(rng: np.random.Generator, n_objects: int, style: Style) -> NDArray[np.int64]:
    """Colours (N,) of a style, without replacement; unseen ones run out after four."""
    order = rng.permutation(len(PALETTE))
    held = np.isin(order, HELD_COLOURS)
    if style == "seen":
        order = order[~held]
    if style == "unseen":
        order = np.concatenate([order[held], order[~held]])
    return order[:n_objects]


def find_boxes(
    mesh_set: MeshSet,
    kind: NDArray[np.integer],
    yaw: NDArray[np.floating],
    scale: NDArray[np.floating] | None = None,
) -> Boxes:
    """The boxes of meshes after their yaw, at their scale; any axes may stand in front of N."""
    outline = mesh_set.shadows[kind]
    if scale is not None:
        outline = outline * scale.astype(np.float64)[..., None, None]
    exact = yaw.astype(np.float64)
    c, s = np.cos(exact)[..., None], np.sin(exact)[..., None]
    turned = np.stack(
        [outline[..., 0] * c - outline[..., 1] * s, outline[..., 0] * s + outline[..., 1] * c],
        axis=-1,
    )
    return Boxes(turned.min(axis=-2), turned.max(axis=-2))


def lattice_shape(boxes: Boxes) -> NDArray[np.int64]:
    """Columns and rows (..., 2) of cells that take any box of a scene."""
    largest = (boxes.high - boxes.low).max(axis=-2)
    shape: NDArray[np.int64] = np.floor(2 * HALF_AREA / largest).astype(np.int64)
    return shape


def lattice_places(boxes: Boxes, shape_2: NDArray[np.int64]) -> Positions:
    """Where each object stands in each cell, (N, G, 2); cells are numbered x fastest."""
    cell = np.arange(shape_2.prod())
    column_row_G2 = np.stack([cell % shape_2[0], cell // shape_2[0]], axis=1)
    corner_G2 = column_row_G2 * (2 * HALF_AREA / shape_2) - HALF_AREA
    places: Positions = corner_G2 - boxes.low[:, None]
    return places


def draw_task(rng: np.random.Generator, mesh_set: MeshSet, law: Law) -> Task:
    """A task with random meshes, colours, yaws, starts and goals.

    Meshes are drawn with replacement, colours without. A scene whose lattice has too few cells
    for the starts and the goals is drawn anew, meshes and all.
    """
    n = law.n_objects
    for _ in range(MAX_BATCHES):
        kind_CN = draw_kinds(rng, len(mesh_set.mesh), law.style, (CANDIDATES, n))
        # Yaws are rounded before anything is measured: what a task stores is what was measured.
        yaw_CN = rng.uniform(0, 2 * np.pi, (CANDIDATES, n)).astype(np.float32)
        has_sizes = "sizes" in law.features
        scale_CN = draw_scales(rng, kind_CN.shape) if has_sizes else None
        shape_C2 = lattice_shape(find_boxes(mesh_set, kind_CN, yaw_CN, scale_CN))
        enough_C = shape_C2.prod(axis=1) >= n + law.n_goals
        if scale_CN is not None:
            enough_C &= (mesh_set.areas[kind_CN] * scale_CN**2 >= LEAST_AREA).all(axis=1)
        if enough_C.any():
            first = int(enough_C.argmax())
            scale_N = None if scale_CN is None else scale_CN[first]
            task = _furnish(rng, mesh_set, law, kind_CN[first], yaw_CN[first], scale_N)
            if task is not None:
                return task
    raise ConfigError(
        f"n_objects: in {MAX_BATCHES * CANDIDATES} scenes of {n} objects none had room for "
        f"{law.n_goals} goals; use fewer objects, a smaller n_moving, or slimmer meshes"
    )


def _furnish(
    rng: np.random.Generator,
    mesh_set: MeshSet,
    law: Law,
    kind_N: NDArray[np.int64],
    yaw_N: NDArray[np.float32],
    scale_N: NDArray[np.float32] | None,
) -> Task | None:
    """The task of a scene that has room.

    None if a goal lies within reach of its start, or if objects hide others from a slanted camera.
    """
    n = law.n_objects
    boxes = find_boxes(mesh_set, kind_N, yaw_N, scale_N)
    places_NG2 = lattice_places(boxes, lattice_shape(boxes))
    colour_N = draw_colours(rng, n, law.style)
    cell = rng.permutation(places_NG2.shape[1])
    start_N2 = places_NG2[np.arange(n), cell[:n]]
    goal_N2 = start_N2.copy()
    n_moving = {"complete": law.n_moving, "partial": law.n_constrained, "none": 0}[law.goal]
    moving = np.arange(n_moving)
    goal_N2[moving] = places_NG2[moving, cell[n : n + n_moving]]
    if n_moving and distance(start_N2, goal_N2)[moving].min() < REACH:
        return None
    n_goals = {"complete": n, "partial": law.n_constrained, "none": 0}[law.goal]
    if "tilt" in law.features:
        height_N = find_heights(mesh_set, kind_N, scale_N)
        if not (in_sight(boxes, height_N, start_N2) and in_sight(boxes, height_N, goal_N2)):
            return None
    scene: dict[str, NDArray[Any]] = {
        "kind": kind_N.astype(np.int16),
        "colour": colour_N.astype(np.int8),
        "yaw": yaw_N,
        "start": start_N2.astype(np.float32),
        "goal": goal_N2.astype(np.float32),
        "constrained": np.arange(n) < n_goals,
        "meshes": np.full(n, mesh_set.stamp, np.int64),
    }
    if scale_N is not None:
        scene["scale"] = scale_N
    if law.look:
        scene["look"] = draw_look(rng, law.look, n)
    return Task(NAME, law.goal, scene, n_moving)


def find_heights(
    mesh_set: MeshSet, kind_N: NDArray[np.integer], scale_N: NDArray[np.floating] | None
) -> NDArray[np.float64]:
    """How high objects stand above the table (N,)."""
    height_N: NDArray[np.float64] = mesh_set.heights[kind_N]
    return height_N if scale_N is None else height_N * scale_N


def in_sight(boxes: Boxes, height_N: NDArray[np.float64], position_N2: Positions) -> bool:
    """Whether the slanted camera sees the middle of every object."""
    return all_in_sight(eye_for(True), position_N2 + boxes.low, position_N2 + boxes.high, height_N)


def distance(a_N2: Positions, b_N2: Positions) -> NDArray[np.float64]:
    """How far apart points lie."""
    length: NDArray[np.float64] = np.hypot(*np.moveaxis(a_N2 - b_N2, -1, 0))
    return length


def pick(position_N2: Positions, point_2: NDArray[np.float64]) -> int | None:
    """The object whose origin is nearest a point, if it is within reach."""
    distance_N = distance(position_N2, point_2)
    nearest = int(distance_N.argmin())
    return nearest if distance_N[nearest] < REACH else None


def fits(
    boxes: Boxes, position_N2: Positions, index: int, target_T2: Positions
) -> NDArray[np.bool_]:
    """Whether each target keeps an object's box in the area and off the other boxes, (T,)."""
    low_T2, high_T2 = target_T2 + boxes.low[index], target_T2 + boxes.high[index]
    inside_T = ((low_T2 > -HALF_AREA - SLACK) & (high_T2 < HALF_AREA + SLACK)).all(axis=-1)
    overlap_TN = _overlap(low_T2[:, None], high_T2[:, None], boxes, position_N2)
    overlap_TN[:, index] = False
    clear: NDArray[np.bool_] = inside_T & ~overlap_TN.any(axis=1)
    return clear


def _overlap(
    low: Positions, high: Positions, boxes: Boxes, position_N2: Positions
) -> NDArray[np.bool_]:
    """Whether a box meets each object's, by more than the slack."""
    apart = (high < position_N2 + boxes.low + SLACK) | (low > position_N2 + boxes.high - SLACK)
    return np.asarray(~apart.any(axis=-1))


def next_move(
    boxes: Boxes, position_N2: Positions, goal_N2: Positions, constrained_N: NDArray[np.bool_]
) -> tuple[int, Positions] | None:
    """The next move of a solution as (object, target); None when there is nothing to do.

    From a task's start every goal is free, so each misplaced object moves once and the solution is
    a shortest one. Where earlier moves left an object in the way, that object goes aside first.
    """
    misplaced = np.flatnonzero(constrained_N & (distance(position_N2, goal_N2) >= REACH))
    for index in misplaced.tolist():
        if fits(boxes, position_N2, index, goal_N2[index : index + 1])[0]:
            return index, goal_N2[index]
    for index in misplaced.tolist():
        low_2, high_2 = goal_N2[index] + boxes.low[index], goal_N2[index] + boxes.high[index]
        meets_N = _overlap(low_2, high_2, boxes, position_N2)
        meets_N[index] = False
        for blocker in np.flatnonzero(meets_N):
            target_2 = _aside(boxes, position_N2, goal_N2, constrained_N, int(blocker))
            if target_2 is not None:
                return int(blocker), target_2
    return None


def _aside(
    boxes: Boxes,
    position_N2: Positions,
    goal_N2: Positions,
    constrained_N: NDArray[np.bool_],
    index: int,
) -> Positions | None:
    """A place for an object that is in the way, off the others' goals if there is one."""
    line = np.linspace(-1, 1, 41)
    grid_T2 = np.stack(np.meshgrid(*(line[:, None] * HALF_AREA).T), axis=-1).reshape(-1, 2)
    target_T2 = np.concatenate([goal_N2[index : index + 1], grid_T2])
    target_T2 = target_T2[fits(boxes, position_N2, index, target_T2)]
    other = constrained_N & (np.arange(len(position_N2)) != index)
    goals = Boxes(boxes.low[other], boxes.high[other])
    low_T2, high_T2 = target_T2 + boxes.low[index], target_T2 + boxes.high[index]
    clear_T = ~_overlap(low_T2[:, None], high_T2[:, None], goals, goal_N2[other]).any(axis=1)
    if clear_T.any():
        return np.asarray(target_T2[clear_T.argmax()])
    return np.asarray(target_T2[-1]) if len(target_T2) else None
