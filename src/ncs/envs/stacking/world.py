"""block-stacking: coloured cubes that stand on each other. The class is the spec."""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ncs.envs.base import IMAGE_SIZE, Rearrange
from ncs.envs.stacking.facts import WORLD, Style
from ncs.envs.stacking.layouts import LAYOUTS
from ncs.envs.stacking.play import first_to_move, place_to_try
from ncs.envs.stacking.scene import StackScene, shared_scene
from ncs.envs.stacking.tasks import NO_GOAL, draw_task, is_possible, rules, shortest
from ncs.records import ConfigError, Task, Truth


class BlockStack(Rearrange):
    """Pile cubes up, take piles down, until they stand as the goal picture shows.

    ## Description
    The paper names a *block-stacking* and leaves it to future work. Here up to 8 cubes of any
    colour stand in 5 columns of 4 levels before a grey wall, rendered by PyBullet's software
    renderer. Cubes stand on each other, so what can be done depends on what stands where.

    ## Observation space
    ``Dict(image, goal)``, two 64 x 64 x 3 ``uint8`` pictures from the front: the scene as it is
    and as it should be. A cube is 10 pixels wide and high, the gap between columns 2; there is
    none between a cube and the one on it. Nothing else is observed.

    ## Action space
    ``Box(6)``: a point ``w = (x, y, z)`` and a displacement ``dw``, in metres. x points right and
    z up in the picture: x spans [-0.5, 0.5], z begins at the ground. y, the depth, has no effect
    but in the style ``xyz``.

    ## Dynamics
    ``w`` picks the cube in the cell it lies in, if nothing stands on it. The cube goes to the cell
    that ``w + dw`` lies in, if that is empty and rests on the ground or on a cube. Anything else
    changes nothing and costs a step.

    ## Goals
    * ``complete``: every cube has a goal cell. Goals are one or a few towers, a pyramid, or
      columns in which brightness rises. Half of the starts are drawn anywhere; the others take up
      the very cells of the goal, every column upside down or all cubes mixed up, so that things
      must be dug out, swapped and parked. Some cubes may start on their goals.
    * ``partial``: ``n_constrained`` cubes of such a goal are shown, and the others are absent from
      the goal picture. What is shown may stand in the air: any cube may lie under it.
    * ``none``: free play, for collecting experience; the goal repeats the first image. A buried
      cube is tried all the same, and of the other moves one in five aims at any cell at all. In
      the style ``xyz`` play mostly begins with high towers, takes from tops, half of the time from
      the highest, and puts mostly on cubes that it has moved already, so that towers are taken
      apart and built anew beside themselves and few cubes stay where they are all the clip.

    ## Reward, end of an episode
    The reward of a step is the number of constraints that hold after it: cubes that are in their
    goal cells. An episode terminates when all hold and is truncated after ``cap_factor`` times the
    fewest moves that solve it. ``info`` is as in the other worlds.

    ## Arguments
    ``n_objects`` (1 to 8, default 4), ``goal``, ``n_constrained`` (default 2), ``cap_factor``
    (default 4), ``render_mode``, ``render_size``, and ``style``: ``"plain"``, or ``"xyz"`` for
    towers on a table of 4 x 3 columns with 3 levels, seen from 60 degrees above.
    ``reset(options={"task": task})`` plays a given task, of either style.

    ## Version history
    * v0: first version.
    """

    record = WORLD

    def __init__(self, *arguments: Any, style: Style = "plain", **settings: Any) -> None:
        """Makes the world; see the class for what each setting means."""
        super().__init__(*arguments, **settings)
        if style not in get_args(Style):
            raise ConfigError(f"style: must be one of {get_args(Style)}, got {style!r}")
        self.style: Style = style

    def draw_task(self, rng: np.random.Generator) -> Task:
        """A task of this world's settings, drawn at random."""
        return draw_task(rng, self.n_objects, self.goal, self.n_constrained, self.style)

    def _set_up(self, task: Task) -> None:
        self._layout_index = int(task.scene["layout"][0])
        self._layout = LAYOUTS[self._layout_index]
        self._cells: list[int] = task.scene["start"].tolist()
        self._goals: list[int] = task.scene["goal"].tolist()
        used = self._cells + self._goals
        last = self._layout.n_cells - 1
        if min(used) < NO_GOAL or max(used) > last or NO_GOAL in self._cells:
            raise ConfigError(f"task: cells must lie in 0 to {last}, got {used}")
        if not is_possible(self._layout, self._cells):
            raise ConfigError(f"task: cubes cannot stand at {self._cells}, each needs one below")

    def _move(self, action: NDArray[np.float64]) -> bool:
        pick_3, place_3 = action[:3].tolist(), (action[:3] + action[3:]).tolist()
        picked, target = self._layout.cell_at(*pick_3), self._layout.cell_at(*place_3)
        if picked not in self._cells or target is None:
            return False
        index = self._cells.index(picked)
        if not rules(self._layout).can_move(tuple(self._cells), index, target):
            return False
        self._cells[index] = target
        return True

    def _constraints(self) -> list[bool]:
        pairs = zip(self._cells, self._goals, strict=True)
        return [cell == goal for cell, goal in pairs if goal != NO_GOAL]

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return self._show(self._cells).picture(size)

    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        return self._show(self._goals).picture(size)

    def _show(self, cells: list[int]) -> StackScene:
        scene = shared_scene(self._layout_index)
        scene.show(self.task.scene["colour"], cells)
        return scene

    def segment(self) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (64, 64): 0 is none, i + 1 is cube i."""
        return self._show(self._cells).segment(IMAGE_SIZE)

    def truth(self) -> Truth:
        """Where every cube really is: for scoring and diagnostics only."""
        colour_N3 = np.asarray(self.task.scene["colour"], np.float32)
        position_N3 = self._layout.centres()[self._cells].astype(np.float32)
        return Truth(position_N3, colour_N3, np.zeros(self.n_objects, np.int32))

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """An exact pick of one cube, buried or not, and mostly a place where it can be put."""
        start = self.task.scene["start"].tolist()
        place = place_to_try(rng, self._layout, self._cells, index, start)
        return self._exact_move(index, place)

    def first_of(self, left: list[int], rng: np.random.Generator) -> int:
        """Which cube free play moves first of those left in a clip: on a table, from tops."""
        return first_to_move(rng, self._layout, self._cells, left)

    def oracle_action(self) -> NDArray[np.float32]:
        """The next action of a shortest solution; picks nothing up once all is done."""
        plan = shortest(self._layout, self._cells, self._goals)
        if not plan:
            return np.zeros(6, np.float32)
        return self._exact_move(plan[0].thing, plan[0].place)

    def _exact_move(self, index: int, target: int) -> NDArray[np.float32]:
        """The action from the middle of a cube's cell to the middle of another."""
        here_3, there_3 = self._layout.centres()[[self._cells[index], target]]
        return np.concatenate([here_3, there_3 - here_3]).astype(np.float32)
