"""Goals of the grid set by hand.

Legend: N objects, 2 or 3 coordinates.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import read_look
from ncs.envs.blocks.facts import NO_GOAL
from ncs.envs.blocks.styles import eye_for
from ncs.envs.blocks.tasks import cell_centres, make_task, nearest_cell
from ncs.envs.goal_editing import Camera, GoalEditor, Point, spell
from ncs.records import ConfigError, Task


def camera(task: Task) -> Camera:
    """The camera of the task's style."""
    look = read_look(task.scene)
    return Camera(
        eye_for(look is not None and "tilt" in look, look is not None and "clutter" in look)
    )


def constrained(task: Task) -> NDArray[np.bool_]:
    """Which objects have a goal (N,)."""
    return np.asarray(task.scene["goal"] != NO_GOAL)


def points(task: Task) -> NDArray[np.float64]:
    """Where goals are on the floor (N, 2); of no meaning for an object that has none."""
    return cell_centres()[task.scene["goal"].astype(np.int64)]


def put(task: Task, index: int, point_2: Point) -> Task:
    """The task with one goal in the cell nearest a point, if no other goal is there."""
    cell = nearest_cell(float(point_2[0]), float(point_2[1]))
    goal_N = task.scene["goal"].astype(np.int64)
    if cell is None:
        raise ConfigError(f"place: {spell(point_2)} lies outside the arena")
    if cell in np.delete(goal_N, index):
        raise ConfigError(f"place: {spell(point_2)} is the goal of another object already")
    goal_N[index] = cell
    start_N = task.scene["start"].astype(np.int64)
    moved = make_task(task.goal, task.scene["colour"], start_N, goal_N)
    return replace(moved, scene={**task.scene, **moved.scene})


EDITOR = GoalEditor(camera, constrained, points, put)
