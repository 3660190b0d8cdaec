"""Numbers of the hard styles of block-rearrange: sizes, cameras, the arm's build, clutter's spots.

Metres and the picture's axes: x to the right, y up, z towards the viewer.
Legend: N objects, 2 or 3 coordinates.
"""

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import GOAL, HARD_STYLES, Look, draw_look
from ncs.envs.arm import Arm
from ncs.envs.blocks.facts import CAMERA_HEIGHT, EDGE
from ncs.envs.clutter import ring
from ncs.envs.sight import Eye, look_from
from ncs.records import ConfigError, Task

ROUNDING = 1e-6  # metres

# Threefold in nine steps. From the slanted camera a cube of the first size still shows more than
# half of the top of one of the last size in the cell behind it.
EDGES = 0.168 * 3.0 ** (-np.arange(9) / 8)

TILT_DISTANCE = 5.0
TILT_ANGLE = 40.0  # degrees from the vertical; one for all scenes, so that places can be learned
HALF_VIEW = {  # half of what the picture spans, by (tilt, clutter)
    (False, False): EDGE,
    (False, True): 0.49,
    (True, False): 0.44,
    (True, True): 0.5,
}
CLUTTER_SPOTS = ring(np.array([0.445, 0.445]), 4)
ARM = Arm(
    base=np.zeros(3),
    shoulder=0.3,
    upper=0.5,
    fore=0.48,
    hand=0.07,
    thick=0.035,
    area=np.array([[-0.36, -0.36], [0.36, 0.36]]),
    height=(0.34, 0.44),
)
ARM_BASES = np.array([[-0.62, 0.1, 0.0], [0.62, 0.1, 0.0], [-0.2, 0.66, 0.0], [0.2, 0.66, 0.0]])


@functools.cache
def eye_for(tilt: bool, clutter: bool) -> Eye:
    """The camera of a style."""
    half, distance = HALF_VIEW[tilt, clutter], TILT_DISTANCE if tilt else CAMERA_HEIGHT
    angle = np.radians(TILT_ANGLE if tilt else 0.0)
    away_3 = distance * np.array([0.0, -np.sin(angle), np.cos(angle)])
    at_3 = np.array([0.0, 0.0, 0.05 if tilt else 0.0])
    return look_from(at_3 + away_3, at_3, np.array([0.0, 1.0, 0.0]), half / distance)


def arm_for(look: Look) -> Arm:
    """The arm of a scene, at one of its stands."""
    stand = look.rng("arm", GOAL + 1).integers(len(ARM_BASES))
    return replace(ARM, base=ARM_BASES[stand])


def draw_edges(rng: np.random.Generator, n_objects: int) -> NDArray[np.float32]:
    """Edges of cubes (N,), the largest and the smallest among them where there are two."""
    step_N = rng.integers(len(EDGES), size=n_objects)
    step_N[:2] = [0, len(EDGES) - 1][: len(step_N[:2])]
    return np.asarray(EDGES[rng.permutation(step_N)], np.float32)


def dress(task: Task, rng: np.random.Generator, style: str) -> Task:
    """The task in a hard style."""
    scene = {**task.scene, "look": draw_look(rng, style, task.n_objects)}
    if "sizes" in HARD_STYLES[style]:
        scene["edge"] = draw_edges(rng, task.n_objects)
    return replace(task, scene=scene)


def check_edges(scene: Mapping[str, NDArray[Any]]) -> None:
    """Refuses cubes that do not fit their cells or cannot be seen."""
    edge_N = scene.get("edge")
    if edge_N is None:
        return
    if edge_N.dtype.kind != "f" or edge_N.ndim != 1 or not within(edge_N, EDGES.min(), EDGES.max()):
        raise ConfigError(f"task: edges must be {EDGES.min():.3f} to {EDGES.max():.3f} metres")
    if "look" not in scene:
        raise ConfigError("task: has edges but no look; draw it with a style that has sizes")


def within(value: NDArray[np.floating], low: float, high: float) -> bool:
    """Whether all values lie between bounds, but for rounding; NaN does not."""
    return bool(((value >= low - ROUNDING) & (value <= high + ROUNDING)).all())
