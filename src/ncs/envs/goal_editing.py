"""A goal set by hand: where its objects stand in the picture, and what it is once one is moved.

A world that allows it names a ``GoalEditor`` in its record. Points of a picture are shares of its
width and height, from its upper left corner.
Legend: N objects, 2 or 3 coordinates.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.envs.sight import Eye
from ncs.records import ConfigError, Task
from ncs.registry import find_world, resolve

Point = NDArray[np.float64]  # (2,) metres on the floor


@dataclass(frozen=True)
class Handle:
    """An object of the goal and where it stands in the goal picture."""

    index: int
    x: float
    y: float


@dataclass(frozen=True)
class Camera:
    """A camera that looks at a floor."""

    eye: Eye
    floor: float = 0.0  # height of the points that it shows, in the eye's frame

    def project(self, point_2: Point) -> tuple[float, float]:
        """Where a point of the floor is in the picture."""
        right, up = self.eye.project(np.append(point_2, self.floor))
        return 0.5 + right / 2, 0.5 - up / 2

    def unproject(self, x: float, y: float) -> Point:
        """The point of the floor (2,) that a point of the picture shows."""
        eye = self.eye
        ray_3 = eye.unproject(np.array([2 * x - 1, 1 - 2 * y]), np.array(1.0)) - eye.position
        distance = (self.floor - eye.position[2]) / ray_3[2]
        return np.asarray((eye.position + distance * ray_3)[:2])


@dataclass(frozen=True)
class GoalEditor:
    """What a world knows about its goals that a hand needs."""

    camera: Callable[[Task], Camera]  # whose pictures show a task
    constrained: Callable[[Task], NDArray[np.bool_]]  # which objects have a goal, (N,)
    points: Callable[[Task], NDArray[np.float64]]  # where goals are, (N, 2)
    put: Callable[[Task, int, Point], Task]  # one goal elsewhere; refuses what is taken or outside


def editor_of(world: str) -> GoalEditor:
    """What sets goals by hand in a world."""
    record = find_world(world)
    if not record.goal_editor:
        raise ConfigError(f"place: goals of {world} cannot be set by hand")
    editor: GoalEditor = resolve(record.goal_editor)
    return editor


def can_edit(world: str) -> bool:
    """Whether goals of a world can be set by hand."""
    return bool(find_world(world).goal_editor)


def camera_of(task: Task) -> Camera:
    """The camera whose pictures show a task."""
    return editor_of(task.world).camera(task)


def handles(task: Task) -> list[Handle]:
    """Every object that the goal picture shows, with its place there; none in some worlds."""
    if not can_edit(task.world):
        return []
    editor = editor_of(task.world)
    camera, goals_N2 = editor.camera(task), editor.points(task)
    return [
        Handle(index, *(float(share) for share in camera.project(goals_N2[index])))
        for index in np.flatnonzero(editor.constrained(task)).tolist()
    ]


def put_goal(task: Task, index: int, point_2: Point) -> Task:
    """The task with one object's goal elsewhere; refuses a place that is taken or outside."""
    editor = editor_of(task.world)
    shown_N = editor.constrained(task)
    if not 0 <= index < task.n_objects or not shown_N[index]:
        shown = np.flatnonzero(shown_N).tolist()
        raise ConfigError(f"place: object {index} has no goal here, choose one of {shown}")
    return editor.put(task, index, point_2)


def spell(point_2: Point) -> str:
    """A point in words."""
    return f"({point_2[0]:.3f}, {point_2[1]:.3f})"


def write_place(index: int, point_2: NDArray[np.float64]) -> str:
    """A goal set by hand as text that ``read_place`` reads, such as '2:0.100,-0.300'."""
    return f"{index}:{point_2[0]:.4f},{point_2[1]:.4f}"


def read_place(text: str) -> tuple[int, NDArray[np.float64]]:
    """The object and the point that a text like '2:0.1,-0.3' names."""
    try:
        index, _, point = text.partition(":")
        point_2 = np.array([float(number) for number in point.split(",")])
        if point_2.shape == (2,) and np.isfinite(point_2).all():
            return int(index), point_2
    except ValueError:
        pass
    raise ConfigError(f"place: must be OBJECT:X,Y such as 2:0.1,-0.3, got {text[:40]!r}")


def put_goals(task: Task, places: tuple[str, ...]) -> Task:
    """The task with goals set by hand, one after another."""
    for text in places:
        task = put_goal(task, *read_place(text))
    return task
