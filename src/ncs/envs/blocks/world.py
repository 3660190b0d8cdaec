"""block-rearrange: coloured cubes on a 4 x 4 grid, seen from above. The class is the spec."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import GOAL, HARD_STYLES
from ncs.envs.base import IMAGE_SIZE, Rearrange
from ncs.envs.blocks.dressed import Blocks, dressed_scene
from ncs.envs.blocks.facts import CUBE, N_CELLS, NO_GOAL, WORLD, Style
from ncs.envs.blocks.scene import BlockScene, shared_scene
from ncs.envs.blocks.styles import check_edges, dress
from ncs.envs.blocks.tasks import (
    cube_centres,
    draw_task,
    exact_move,
    free_cells,
    nearest_cell,
    next_move,
)
from ncs.records import ConfigError, Task, Truth


class BlockRearrange(Rearrange):
    """Move coloured cubes on a grid until they stand as the goal picture shows.

    ## Description
    The paper's *block-rearrange*, rendered by PyBullet's software renderer: up to 12 cubes of equal
    size, shape and orientation on 16 cells, each of a colour drawn uniformly from RGB [0, 1]^3,
    on a grey floor. A colour may happen to lie near another's or the floor's.

    ## Observation space
    ``Dict(image, goal)``, two 64 x 64 x 3 ``uint8`` pictures from straight above: the scene as it
    is and as it should be. A cube is 13 pixels wide, the gap between neighbours 3. Nothing else
    is observed: positions are known to the judge alone.

    ## Action space
    ``Box(6)``: a point ``w = (x, y, z)`` and a displacement ``dw``, in metres. The arena spans
    [-0.4, 0.4] in x and y; x points right and y up in the picture. z is fixed: it takes part in
    the space as in the paper, and has no effect.

    ## Dynamics
    ``w`` picks the cube within half the cell spacing (0.1 m along each axis), that is, the cube in
    the cell it lies in. The cube snaps to the cell nearest ``w + dw``. An empty pick, an occupied
    target or one outside the arena changes nothing and costs a step.

    ## Goals
    * ``complete``: every cube has a goal cell, none of which is occupied at the start. From nine
      cubes on the grid has too few free cells; a goal may then be the start of another cube, so
      that order matters and a cycle needs a spare cell. No cube starts on its own goal.
    * ``partial``: only ``n_constrained`` cubes have a goal (free at the start); the others stay in
      the scene and are absent from the goal picture.
    * ``none``: free play, for collecting experience; the goal repeats the first image.

    ## Reward, end of an episode
    The reward of a step is the number of constraints that hold after it. An episode terminates
    when all hold and is truncated after ``cap_factor`` times the fewest moves that solve it (four
    times, as in the paper). ``info`` carries ``satisfied``, ``constraints``,
    ``unsatisfied_at_start``, ``minimum_moves`` and ``max_steps``; fractional success is
    (satisfied now - satisfied at the start) / unsatisfied at the start.

    ## Arguments
    ``n_objects`` (1 to 12, default 4), ``goal``, ``n_constrained`` (default 2), ``cap_factor``
    (default 4), ``render_mode`` (``"rgb_array"``) and ``render_size`` (default 256). ``style``
    makes tasks hard on purpose: ``"lookalike"`` (colours near one another), ``"faint"`` (colours
    near the floor's) or ``"crowded"`` (cubes next to each other at the start), or hard to see:

    * ``"wood"``: the floor is one of 48 textures, drawn by scene; ``"wood-unseen"``: one of 32 of
      other kinds.
    * ``"light"``: direction, strength and tint are drawn by scene, and anew for the goal picture.
    * ``"noise"``: every picture has Gaussian noise of its own, 0.02 of full scale.
    * ``"shadow"``: cubes cast shadows.
    * ``"tilt"``: the camera stands 40 degrees off the vertical, the same in every scene.
    * ``"arm"``: a robot arm is in the picture, in another pose every time, the goal's included; it
      leaves the middle of every cube in sight, touches nothing and is no object.
    * ``"clutter"``: dull things lie around the grid and never move; the picture shows a wider view.
    * ``"sizes"``: edges from 0.056 to 0.168 m, the ends in every scene. Any cube fits its cell, so
      what is legal stays the same.
    * ``"real"``: all of these; ``"real-unseen"``: all, on the other textures.

    What a hard scene looks like is part of its task, so that a world of any style shows it.
    ``reset(options={"task": task})`` plays a given task.

    ## Version history
    * v0: first version.
    """

    record = WORLD

    def __init__(self, *arguments: Any, style: str = "plain", **settings: Any) -> None:
        """Makes the world; see the class for what each setting means."""
        super().__init__(*arguments, **settings)
        choices = (*get_args(Style), *HARD_STYLES)
        if style not in choices:
            raise ConfigError(f"style: must be one of {', '.join(choices)}, got {style!r}")
        self.style = style

    def draw_task(self, rng: np.random.Generator) -> Task:
        """A task of this world's settings, drawn at random."""
        is_hard = self.style in HARD_STYLES
        kind: Any = "plain" if is_hard else self.style
        task = draw_task(rng, self.n_objects, self.goal, self.n_constrained, kind)
        return dress(task, rng, self.style) if is_hard else task

    def _check_task(self, task: Task) -> None:
        super()._check_task(task)
        check_edges(task.scene)

    def _set_up(self, task: Task) -> None:
        # Plain lists: at a dozen numbers they are quicker than arrays.
        self._cells: list[int] = task.scene["start"].tolist()
        self._goals: list[int] = task.scene["goal"].tolist()
        self._edge_N = task.scene.get("edge", np.full(task.n_objects, CUBE, np.float32))
        used = self._cells + self._goals
        if min(used) < NO_GOAL or max(used) >= N_CELLS or NO_GOAL in self._cells:
            raise ConfigError(f"task: cells must lie in 0 to {N_CELLS - 1}, got {used}")

    def _move(self, action: NDArray[np.float64]) -> bool:
        x, y, _, dx, dy, _ = action.tolist()
        picked, target = nearest_cell(x, y), nearest_cell(x + dx, y + dy)
        if picked not in self._cells or target is None or target in self._cells:
            return False
        self._cells[self._cells.index(picked)] = target
        return True

    def _constraints(self) -> list[bool]:
        pairs = zip(self._cells, self._goals, strict=True)
        return [cell == goal for cell, goal in pairs if goal != NO_GOAL]

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return self._take(self._cells, self._steps, size)

    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        return self._take(self._goals, GOAL, size)

    def _take(self, cells: Sequence[int], moment: int, size: int) -> NDArray[np.uint8]:
        """The picture of cubes in these cells."""
        look = self._look
        if look is None:
            return self._show(cells).picture(size)
        return dressed_scene().picture(look, self._blocks(cells), moment, size)

    def _blocks(self, cells: Sequence[int]) -> Blocks:
        return Blocks(cells, self.task.scene["colour"], self._edge_N)

    def _show(self, cells: Sequence[int]) -> BlockScene:
        scene = shared_scene(self.max_objects)
        scene.paint(self.task.scene["colour"])
        scene.arrange(cells)
        return scene

    def segment(self) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (64, 64): 0 is floor, i + 1 is cube i."""
        look = self._look
        if look is None:
            return self._show(self._cells).segment(IMAGE_SIZE)
        return dressed_scene().segment(look, self._blocks(self._cells), self._steps, IMAGE_SIZE)

    def truth(self) -> Truth:
        """Where every cube really is: for scoring and diagnostics only."""
        colour_N3 = np.asarray(self.task.scene["colour"], np.float32)
        kind_N = np.zeros(self.n_objects, np.int32)
        position_N3 = cube_centres()[self._cells]
        position_N3[:, 2] = self._edge_N / 2
        return Truth(position_N3, colour_N3, kind_N)

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """An exact pick of one cube and a random free cell to put it."""
        free = free_cells(self._cells)
        return self._action(index, free[rng.integers(len(free))])

    def oracle_action(self) -> NDArray[np.float32]:
        """The next action of a shortest solution; picks nothing up once all is done."""
        move = next_move(np.array(self._cells), np.array(self._goals))
        if move is None:
            return np.zeros(6, np.float32)
        return self._action(*move)

    def _action(self, index: int, target: int) -> NDArray[np.float32]:
        """The exact pick-and-move of one cube to a cell."""
        action = exact_move(self._cells[index], target)
        action[2] = self._edge_N[index] / 2
        return action
