"""Goals of the table set by hand.

Legend: N objects, 2 or 3 coordinates.
"""

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import read_look
from ncs.envs.goal_editing import Camera, GoalEditor, Point, spell
from ncs.envs.tabletop.facts import GRIP
from ncs.envs.tabletop.mesh_set import choose_meshes
from ncs.envs.tabletop.styles import eye_for
from ncs.envs.tabletop.tasks import Boxes, find_boxes, fits, next_move
from ncs.records import ConfigError, Task

MOST_MOVES = 100  # the oracle needs at most two an object


def camera(task: Task) -> Camera:
    """The camera of the task's style."""
    look = read_look(task.scene)
    return Camera(eye_for(look is not None and "tilt" in look), GRIP)


def constrained(task: Task) -> NDArray[np.bool_]:
    """Which objects have a goal (N,)."""
    return np.asarray(task.scene["constrained"], bool)


def points(task: Task) -> NDArray[np.float64]:
    """Where goals are on the table (N, 2); of no meaning for an object that has none."""
    return task.scene["goal"].astype(np.float64)


def put(task: Task, index: int, point_2: Point) -> Task:
    """The task with one goal elsewhere, if the object fits there."""
    scene = dict(task.scene)
    kind_N = scene["kind"].astype(np.int64)
    boxes = find_boxes(choose_meshes(None), kind_N, scene["yaw"], scene.get("scale"))
    shown_N = constrained(task)
    goal_N2 = scene["goal"].astype(np.float64)
    goals = Boxes(boxes.low[shown_N], boxes.high[shown_N])
    place = int(shown_N[:index].sum())  # among the objects that the goal shows
    if not fits(goals, goal_N2[shown_N], place, point_2[None])[0]:
        raise ConfigError(f"place: at {spell(point_2)} it would stick out or stand in another")
    goal_N2[index] = point_2
    scene["goal"] = goal_N2.astype(task.scene["goal"].dtype)
    start_N2 = scene["start"].astype(np.float64)
    return Task(task.world, task.goal, scene, _count_moves(boxes, start_N2, goal_N2, shown_N))


def _count_moves(
    boxes: Boxes,
    position_N2: NDArray[np.float64],
    goal_N2: NDArray[np.float64],
    shown_N: NDArray[np.bool_],
) -> int:
    """Moves of the oracle's solution, which is a shortest one unless objects are in the way."""
    position_N2 = position_N2.copy()
    for count in range(MOST_MOVES):
        move = next_move(boxes, position_N2, goal_N2, shown_N)
        if move is None:
            return count
        position_N2[move[0]] = move[1]
    return MOST_MOVES


EDITOR = GoalEditor(camera, constrained, points, put)
