"""A goal set by hand: where its objects stand in the picture, and what it is once one is moved.

Points of a picture are shares of its width and height, from its upper left corner.
Legend: N objects, 2 or 3 coordinates.
"""

import functools
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from ncs.envs.blocks import tasks as block_tasks
from ncs.envs.tabletop import tasks as tabletop_tasks
from ncs.records import ConfigError, Task

MOST_MOVES = 100  # of a hand-made tabletop goal; the oracle needs at most two an object
GRIP = 0.03  # metres above the table: about the middle of an object, where a hand takes it


@dataclass(frozen=True)
class Handle:
    """An object of the goal and where it stands in the goal picture."""

    index: int
    x: float
    y: float


@dataclass(frozen=True)
class Camera:
    """A pinhole that looks at a floor."""

    position: NDArray[np.float64]  # (3,)
    axes: NDArray[np.float64]  # (3, 3) columns: right, up, backwards
    reach: float  # half of the picture's height at distance 1
    origin: NDArray[np.float64]  # (3,) where the floor's coordinates begin

    def project(self, point_2: NDArray[np.float64]) -> tuple[float, float]:
        """Where a point of the floor is in the picture."""
        world_3 = self.origin + np.append(point_2, 0.0)
        right, up, back = (world_3 - self.position) @ self.axes
        return 0.5 + right / -back / self.reach / 2, 0.5 - up / -back / self.reach / 2

    def unproject(self, x: float, y: float) -> NDArray[np.float64]:
        """The point of the floor (2,) that a point of the picture shows."""
        ray_3 = self.axes @ [(2 * x - 1) * self.reach, (1 - 2 * y) * self.reach, -1.0]
        distance = (self.origin[2] - self.position[2]) / ray_3[2]
        point_2: NDArray[np.float64] = (self.position + distance * ray_3 - self.origin)[:2]
        return point_2


@functools.cache
def camera_of(world: str) -> Camera:
    """The camera whose pictures a world shows."""
    if world == block_tasks.WORLD:
        from ncs.envs.blocks.scene import CAMERA_HEIGHT

        reach = block_tasks.SIDE * block_tasks.SPACING / 2 / CAMERA_HEIGHT
        return Camera(np.array([0, 0, CAMERA_HEIGHT]), np.eye(3), reach, np.zeros(3))
    return _tabletop_camera()


def _tabletop_camera() -> Camera:
    """Robogym's camera, from the numbers that its pictures are drawn with."""
    from ncs.envs.tabletop.scene import ORIGIN, WORLD_XML

    root = ElementTree.fromstring(WORLD_XML)
    body = root.find("worldbody/body")
    lens = root.find("worldbody/body/camera")
    assert body is not None
    assert lens is not None
    turn_33 = _turn(body.attrib["quat"])
    position_3 = _numbers(body.attrib["pos"]) + turn_33 @ _numbers(lens.attrib["pos"])
    grip_3 = ORIGIN + np.array([0.0, 0.0, GRIP])
    reach = float(np.tan(np.radians(float(lens.attrib["fovy"])) / 2))
    return Camera(position_3, turn_33 @ _turn(lens.attrib["quat"]), reach, grip_3)


def _numbers(text: str) -> NDArray[np.float64]:
    return np.array([float(word) for word in text.split()])


def _turn(text: str) -> NDArray[np.float64]:
    """The rotation matrix of a quaternion, scalar first."""
    quaternion = _numbers(text)
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def handles(task: Task) -> list[Handle]:
    """Every object that the goal picture shows, with its place there."""
    camera, goals_N2 = camera_of(task.world), goal_points(task)
    return [
        Handle(index, *(float(share) for share in camera.project(goals_N2[index])))
        for index in np.flatnonzero(constrained(task)).tolist()
    ]


def constrained(task: Task) -> NDArray[np.bool_]:
    """Which objects have a goal (N,)."""
    if task.world == block_tasks.WORLD:
        return np.asarray(task.scene["goal"] != block_tasks.NO_GOAL)
    return np.asarray(task.scene["constrained"], bool)


def goal_points(task: Task) -> NDArray[np.float64]:
    """Where goals are on the floor (N, 2); of no meaning for an object that has none."""
    if task.world == block_tasks.WORLD:
        return block_tasks.cell_centres()[task.scene["goal"].astype(np.int64)]
    return task.scene["goal"].astype(np.float64)


def put_goal(task: Task, index: int, point_2: NDArray[np.float64]) -> Task:
    """The task with one object's goal elsewhere; refuses a place that is taken or outside."""
    if not 0 <= index < task.n_objects or not constrained(task)[index]:
        shown = np.flatnonzero(constrained(task)).tolist()
        raise ConfigError(f"place: object {index} has no goal here, choose one of {shown}")
    edit = _put_block if task.world == block_tasks.WORLD else _put_on_table
    return edit(task, index, point_2)


def _put_block(task: Task, index: int, point_2: NDArray[np.float64]) -> Task:
    cell = block_tasks.nearest_cell(float(point_2[0]), float(point_2[1]))
    goal_N = task.scene["goal"].astype(np.int64)
    if cell is None:
        raise ConfigError(f"place: {_spell(point_2)} lies outside the arena")
    if cell in np.delete(goal_N, index):
        raise ConfigError(f"place: {_spell(point_2)} is the goal of another object already")
    goal_N[index] = cell
    start_N = task.scene["start"].astype(np.int64)
    return block_tasks.make_task(task.goal, task.scene["colour"], start_N, goal_N)


def _put_on_table(task: Task, index: int, point_2: NDArray[np.float64]) -> Task:
    from ncs.envs.tabletop.mesh_set import choose_meshes

    scene = dict(task.scene)
    boxes = tabletop_tasks.find_boxes(
        choose_meshes(None), scene["kind"].astype(np.int64), scene["yaw"]
    )
    shown_N = constrained(task)
    goal_N2 = scene["goal"].astype(np.float64)
    goals = tabletop_tasks.Boxes(boxes.low[shown_N], boxes.high[shown_N])
    place = int(shown_N[:index].sum())  # among the objects that the goal shows
    if not tabletop_tasks.fits(goals, goal_N2[shown_N], place, point_2[None])[0]:
        raise ConfigError(f"place: at {_spell(point_2)} it would stick out or stand in another")
    goal_N2[index] = point_2
    scene["goal"] = goal_N2.astype(task.scene["goal"].dtype)
    start_N2 = scene["start"].astype(np.float64)
    return Task(task.world, task.goal, scene, _count_moves(boxes, start_N2, goal_N2, shown_N))


def _count_moves(
    boxes: tabletop_tasks.Boxes,
    position_N2: NDArray[np.float64],
    goal_N2: NDArray[np.float64],
    shown_N: NDArray[np.bool_],
) -> int:
    """Moves of the oracle's solution, which is a shortest one unless objects are in the way."""
    position_N2 = position_N2.copy()
    for count in range(MOST_MOVES):
        move = tabletop_tasks.next_move(boxes, position_N2, goal_N2, shown_N)
        if move is None:
            return count
        position_N2[move[0]] = move[1]
    return MOST_MOVES


def _spell(point_2: NDArray[np.float64]) -> str:
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
