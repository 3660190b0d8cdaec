"""robogym-rearrange: meshes of many kinds on a table, seen from above. The class is the spec."""

import os
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ncs.envs.appearance import GOAL, HARD_STYLES
from ncs.envs.base import IMAGE_SIZE, Rearrange
from ncs.envs.tabletop.dressed import dressed_stage_for
from ncs.envs.tabletop.facts import HALF_AREA, PALETTE, REACH, SLACK, WORLD, Style
from ncs.envs.tabletop.mesh_set import choose_meshes
from ncs.envs.tabletop.scene import Cast, stage_for
from ncs.envs.tabletop.styles import check_scales
from ncs.envs.tabletop.tasks import (
    Law,
    default_moving,
    distance,
    draw_task,
    find_boxes,
    find_heights,
    fits,
    in_sight,
    lattice_places,
    lattice_shape,
    next_move,
    pick,
)
from ncs.records import ConfigError, Task, Truth

ARRAYS = {  # of a task's scene: name, kind of number, shape after N
    "kind": ("i", ()),
    "colour": ("i", ()),
    "yaw": ("f", ()),
    "start": ("f", (2,)),
    "goal": ("f", (2,)),
    "constrained": ("b", ()),
    "meshes": ("i", ()),
}


class RobogymRearrange(Rearrange):
    """Move meshes on a table until they lie as the goal picture shows.

    ## Description
    The paper's *robogym-rearrange*, rebuilt on MuJoCo's own Python package: up to 8 objects, each
    of a mesh drawn uniformly, with replacement, from 94, of one of 13 colours drawn without
    replacement, and of a random yaw that never changes. Every mesh has a longest extent of
    0.15 m. The table, camera, lights and materials are robogym's. Objects are set where they go:
    nothing falls, slides or settles.

    ## Observation space
    ``Dict(image, goal)``, two 64 x 64 x 3 ``uint8`` pictures by a camera above the table, 15
    degrees off the vertical: the scene as it is and as it should be. They are reduced from 256
    pixels by taking the mean of the middle 2 x 2 of every 4 x 4. A pixel is about 15 mm. Nothing
    else is observed: positions are known to the judge alone.

    ## Action space
    ``Box(6)``: a point ``w = (x, y, z)`` and a displacement ``dw``, in metres from the middle of
    the placement area, z from the table top. The area spans [-0.30375, 0.30375] in x and
    [-0.29089, 0.29089] in y; x points left and y down in the picture. robogym's world frame is
    this one plus (1.4508, 0.68114, 0.48624). z takes part in the space as in the paper, and has
    no effect.

    ## Dynamics
    ``w`` picks the object whose centre of mass is nearest in x and y, if it is less than 0.05 m
    away. The object moves by ``dw`` from where it is, not from ``w``. Its axis-aligned bounding
    box must stay in the placement area and off every other object's; otherwise nothing changes
    and a step is spent. A micrometre of slack absorbs the rounding of float32 actions.

    ## Tasks
    The area is cut into as many equal cells as the largest bounding box of the scene allows; an
    object starts in the low corner of a random cell. Goals are other cells, free at the start. A
    scene with too few cells is drawn anew. So positions are continuous, but in practice lie on a
    few lattices.

    ## Goals
    * ``complete``: every object is constrained. Up to five objects all move; of six and more the
      first four do, and the rest are where they should be (``n_moving`` sets another number).
    * ``partial``: only the first ``n_constrained`` objects have a goal; the others stay in the
      scene and are absent from the goal picture.
    * ``none``: free play, for collecting experience; the goal repeats the first image.

    A constraint holds while the object is less than 0.05 m from its goal in x and y.

    ## Reward, end of an episode
    The reward of a step is the number of constraints that hold after it. An episode terminates
    when all hold and is truncated after ``cap_factor`` times the fewest moves that solve it (four
    times, as in the paper), which is the number of constraints that do not hold at the start.
    ``info`` carries ``satisfied``, ``constraints``, ``unsatisfied_at_start``, ``minimum_moves``
    and ``max_steps``; fractional success is (satisfied now - satisfied at the start) /
    unsatisfied at the start.

    ## Meshes
    By default the package's own 94, made from data without any download: the 15 geometric solids
    of robogym and 79 household shapes. ``meshes`` names a folder in robogym's layout instead
    (``geom/*.stl``, ``ycb/<name>/*.stl`` with one convex part a file, optionally ``ur16e/`` with
    the table mount), and so does the environment variable ``NCS_MESHES``. A task remembers a hash
    of its mesh set and is refused with any other.

    ## Arguments
    ``n_objects`` (1 to 8, default 4), ``goal``, ``n_constrained`` (default 2), ``cap_factor``
    (default 4), ``render_mode`` (``"rgb_array"``), ``render_size`` (default 256), ``meshes``,
    ``n_moving`` and ``style``: ``"plain"`` draws from every mesh and colour, ``"seen"`` leaves a
    third of the meshes and four colours out, and ``"unseen"`` draws from these alone (beyond four
    objects from the other colours too). The others are hard to see:

    * ``"wood"``: the table is one of 48 textures, drawn by scene; ``"wood-unseen"``: one of 32 of
      other kinds.
    * ``"light"``: direction, strength and tint are drawn by scene, and anew for the goal picture.
    * ``"noise"``: every picture has Gaussian noise of its own, 0.02 of full scale.
    * ``"shadow"``: objects cast shadows.
    * ``"tilt"``: the camera stands 40 degrees off the vertical, the same in every scene. Tasks and
      free play keep the middle of every object in sight.
    * ``"arm"``: a robot arm is in the picture, in another pose every time, the goal's included; it
      leaves the middle of every object in sight, touches nothing and is no object.
    * ``"clutter"``: dull things lie around the placement area and never move.
    * ``"sizes"``: objects are 0.37 to 1.1 times their plain size, the ends in every scene; boxes,
      lattice and what is legal go by the true sizes.
    * ``"real"``: all of these; ``"real-unseen"``: all, on the other textures.

    What a hard scene looks like is part of its task, so that a world of any style shows it.
    ``reset(options={"task": task})`` plays a given task.

    ## Rendering
    Needs no GPU and no screen: EGL, or OSMesa where EGL is missing. All worlds of a thread draw
    on one stage, which stays ready after ``close``. Pictures are the same to the bit from one
    process to the next on one machine; other drivers may differ in the last digit.

    ## Version history
    * v0: first version.
    """

    record = WORLD

    def __init__(
        self,
        *args: Any,
        meshes: str | os.PathLike[str] | None = None,
        n_moving: int | None = None,
        style: str = "plain",
        **settings: Any,
    ) -> None:
        """Makes the world; see the class for what each setting means."""
        super().__init__(*args, **settings)
        if n_moving is not None:
            self._check_range("n_moving", n_moving, 1, self.n_objects)
        choices = (*get_args(Style), *HARD_STYLES)
        if style not in choices:
            raise ConfigError(f"style: must be one of {', '.join(choices)}, got {style!r}")
        is_hard = style in HARD_STYLES
        kinds: Any = "plain" if is_hard else style
        if not isinstance(meshes, str | os.PathLike | None):
            raise ConfigError(f"meshes: must be the path of a folder, got {meshes!r}")
        self._law = Law(
            self.n_objects,
            self.goal,
            self.n_constrained,
            n_moving or default_moving(self.n_objects),
            kinds,
            style if is_hard else "",
        )
        self.mesh_set = choose_meshes(meshes)

    @property
    def setup(self) -> str:
        """The hash of the mesh set."""
        return self.mesh_set.hash

    def draw_task(self, rng: np.random.Generator) -> Task:
        """A task of this world's settings, drawn at random."""
        return draw_task(rng, self.mesh_set, self._law)

    def _check_task(self, task: Task) -> None:
        super()._check_task(task)
        for name, (number, shape) in ARRAYS.items():
            array = task.scene.get(name)
            if array is None or array.dtype.kind != number or array.shape[1:] != shape:
                raise ConfigError(f"task: its scene has no proper array {name!r}")
        if (task.scene["meshes"] != self.mesh_set.stamp).any():
            raise ConfigError(
                "task: was drawn for another mesh set; give the world that one (meshes=PATH or "
                "NCS_MESHES), or draw new tasks"
            )
        kind_N, colour_N = task.scene["kind"], task.scene["colour"]
        if min(kind_N.min(), colour_N.min()) < 0 or kind_N.max() >= len(self.mesh_set.mesh):
            raise ConfigError(f"task: there is no mesh {kind_N.tolist()}")
        if colour_N.max() >= len(PALETTE):
            raise ConfigError(f"task: colours must lie in 0 to {len(PALETTE) - 1}")
        places = np.stack([task.scene["start"], task.scene["goal"]])
        if not (np.abs(places) <= HALF_AREA + SLACK).all():  # NaN fails too
            raise ConfigError("task: a start or a goal lies outside the placement area")
        if not np.isfinite(task.scene["yaw"]).all():
            raise ConfigError("task: a yaw is not a number")
        check_scales(task.scene)

    def _set_up(self, task: Task) -> None:
        scene = task.scene
        kind_N, yaw_N = scene["kind"].astype(np.int64), scene["yaw"].astype(np.float64)
        self._position_N2 = scene["start"].astype(np.float64)
        self._goal_N2 = scene["goal"].astype(np.float64)
        self._constrained_N = scene["constrained"]
        scale_N = scene["scale"].astype(np.float64) if "scale" in scene else None
        self._boxes = find_boxes(self.mesh_set, kind_N, yaw_N, scale_N)
        self._cast = Cast(kind_N, PALETTE[scene["colour"]], yaw_N, scale_N)
        self._goal_cast = self._cast.only(self._constrained_N)

    def _move(self, action: NDArray[np.float64]) -> bool:
        index = pick(self._position_N2, action[:2])
        if index is None:
            return False
        target_2 = self._position_N2[index] + action[3:5]
        if not fits(self._boxes, self._position_N2, index, target_2[None])[0]:
            return False
        self._position_N2[index] = target_2
        return True

    def _constraints(self) -> list[bool]:
        near_N = distance(self._position_N2, self._goal_N2) < REACH
        return [bool(near) for near in near_N[self._constrained_N]]

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return self._take(self._cast, self._position_N2, self._steps, size)

    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        return self._take(self._goal_cast, self._goal_N2[self._constrained_N], GOAL, size)

    def _take(
        self, cast: Cast, position_N2: NDArray[np.float64], moment: int, size: int
    ) -> NDArray[np.uint8]:
        """The picture of objects in these places."""
        look = self._look
        if look is None:
            return stage_for(self.mesh_set).picture(cast, position_N2, size)
        stage = dressed_stage_for(self.mesh_set)
        return stage.dressed_picture(look, cast, position_N2, moment, size)

    def segment(self) -> NDArray[np.uint8]:
        """Which object each pixel shows, (64, 64): 0 is background, i + 1 is object i."""
        cast, position_N2, look = self._cast, self._position_N2, self._look
        if look is None:
            return stage_for(self.mesh_set).segment(cast, position_N2, IMAGE_SIZE)
        stage = dressed_stage_for(self.mesh_set)
        return stage.dressed_segment(look, cast, position_N2, self._steps, IMAGE_SIZE)

    def truth(self) -> Truth:
        """Where every object's centre of mass really is: for scoring and diagnostics only."""
        kind_N = self._cast.kind
        height_N = np.array([-self.mesh_set.mesh[kind].bottom for kind in kind_N])
        if self._cast.scale is not None:
            height_N *= self._cast.scale
        position_N3 = np.column_stack([self._position_N2, height_N])
        return Truth(
            position_N3.astype(np.float32),
            self._cast.colour.astype(np.float32),
            kind_N.astype(np.int32),
        )

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """An exact pick of one object and a random cell of the scene's lattice to put it.

        The cell is free and was no object's start, as in the authors' data; where none is left,
        any other free cell; where there is none either, the object stays.
        """
        place_NG2 = lattice_places(self._boxes, lattice_shape(self._boxes))
        here_2, start_N2 = self._position_N2[index], self.task.scene["start"]
        was_start_G = (distance(place_NG2, start_N2[:, None]) < SLACK).any(axis=0)
        other_G = distance(place_NG2[index], here_2) > SLACK
        free_G = other_G & fits(self._boxes, self._position_N2, index, place_NG2[index])
        look = self._look
        if look is not None and "tilt" in look:
            free_G = self._seen_places(index, place_NG2[index], free_G)
        fresh_G = free_G & ~was_start_G
        cell = np.flatnonzero(fresh_G if fresh_G.any() else free_G)
        return self._action(index, place_NG2[index, rng.choice(cell)] if len(cell) else here_2)

    def _seen_places(
        self, index: int, place_G2: NDArray[np.float64], free_G: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Free places (G,) that hide no object from a slanted camera; all where there are none."""
        height_N = find_heights(self.mesh_set, self._cast.kind, self._cast.scale)
        seen_G = free_G.copy()
        for cell in np.flatnonzero(free_G):
            position_N2 = self._position_N2.copy()
            position_N2[index] = place_G2[cell]
            seen_G[cell] = in_sight(self._boxes, height_N, position_N2)
        return seen_G if seen_G.any() else free_G

    def oracle_action(self) -> NDArray[np.float32]:
        """The next action of a shortest solution; changes nothing once all is done."""
        move = next_move(self._boxes, self._position_N2, self._goal_N2, self._constrained_N)
        return np.zeros(6, np.float32) if move is None else self._action(*move)

    def _action(self, index: int, target_2: NDArray[np.float64]) -> NDArray[np.float32]:
        """The exact pick-and-move of one object to a place."""
        here_3 = self.truth().position[index]
        shift_2 = target_2 - self._position_N2[index]
        return np.array([*here_3, *shift_2, 0.0], np.float32)
