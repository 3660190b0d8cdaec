"""Goals of the grid set by hand.

Legend: N objects, 2 or 3 coordinates.
"""

import numpy as np
from numpy.typing import NDArray

from ncs.envs.blocks.facts import CAMERA_HEIGHT, EDGE, NO_GOAL
from ncs.envs.blocks.tasks import cell_centres, make_task, nearest_cell
from ncs.envs.goal_editing import Camera, GoalEditor, Point, spell
from ncs.records import ConfigError, Task

CAMERA = Camera(np.array([0, 0, CAMERA_HEIGHT]), np.eye(3), EDGE / CAMERA_HEIGHT, np.zeros(3))


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
    return make_task(task.goal, task.scene["colour"], start_N, goal_N)


EDITOR = GoalEditor(CAMERA, constrained, points, put)
