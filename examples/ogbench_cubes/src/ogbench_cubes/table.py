"""OGBench's own simulator: its arm, its tasks, its pictures, taken only when they are looked at.

Legend: N cubes, 3 coordinates, metres.
"""

import functools
import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ncs.envs.tabletop.offscreen import choose_backend, load_mujoco
from ogbench_cubes.arm import Feeling
from ogbench_cubes.facts import VARIANTS

os.environ.setdefault("LP_NUM_THREADS", "0")  # Mesa's threads gain nothing at this size
if backend := choose_backend():
    os.environ["MUJOCO_GL"] = backend  # read when MuJoCo is imported
mujoco = load_mujoco()

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of libraries, about their own futures
    from ogbench.manipspace import lie
    from ogbench.manipspace.envs.cube_env import CubeEnv

Doubles = NDArray[np.float64]
SIZE = 64  # pixels of a side of OGBench's pictures
PLAY_SHADOWS = 2048  # cells of a side of the shadow map; OGBench's 4096 cost twice the time
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class OfficialCubes(CubeEnv):  # type: ignore[misc]
    """OGBench's world, unchanged but for pictures nobody looks at: those are not drawn."""

    def __init__(self, variant: str, size: int = SIZE, plays: bool = False) -> None:
        super().__init__(variant, ob_type="pixels", width=size, height=size, visualize_info=False)
        self.shown: list[Any] = []  # what a reset showed: the goal first
        self._steps_blindly = False
        self._plays = plays  # there is no goal to look at, and pictures may be drawn sooner

    def compile_model_and_data(self) -> None:
        """As OGBench does; shadows of free play are drawn a little less fine."""
        super().compile_model_and_data()
        if self._plays:
            self._model.vis.quality.shadowsize = PLAY_SHADOWS

    @property
    def action_space(self) -> Any:
        """As OGBench has it, but drawing from the seed of the reset."""
        return spaces.Box(-1.0, 1.0, (5,), np.float32, seed=int(self.np_random.integers(2**31)))

    def step(self, action: NDArray[np.float32]) -> Any:
        """One control step without a picture."""
        self._steps_blindly = True
        try:
            return super().step(action)
        finally:
            self._steps_blindly = False

    def compute_observation(self) -> NDArray[np.uint8]:
        """A reset's goal; a blank wherever nobody looks."""
        if self._steps_blindly:
            return np.zeros((SIZE, SIZE, 3), np.uint8)
        self.shown.append(self.snapshot())
        first = len(self.shown) == 1 and not self._plays
        return self.render() if first else np.zeros((SIZE, SIZE, 3), np.uint8)

    def snapshot(self) -> Doubles:
        """All of the state that the future depends on."""
        state = np.empty(mujoco.mj_stateSize(self._model, STATE))
        mujoco.mj_getState(self._model, self._data, state, STATE)
        return state

    def restore(self, state: Doubles) -> None:
        """Goes on from a snapshot."""
        mujoco.mj_setState(self._model, self._data, state, STATE)
        mujoco.mj_forward(self._model, self._data)


@dataclass(frozen=True)
class Opening:
    """How an episode begins."""

    state: Doubles
    goal_state: Doubles
    goal_picture: NDArray[np.uint8]  # (64, 64, 3)


class Table:
    """One simulator for all episodes of a process: each hands in its state and takes it away."""

    def __init__(self, n_cubes: int, size: int, plays: bool) -> None:
        self.n_cubes = n_cubes
        self._env = OfficialCubes(VARIANTS[n_cubes], size, plays)

    @property
    def tasks(self) -> list[tuple[Doubles, Doubles]]:
        """Starts and goals (N, 3) of OGBench's tasks."""
        return [(info["init_xyzs"], info["goal_xyzs"]) for info in self._env.task_infos]

    def begin(self, start_N3: Doubles, goal_N3: Doubles, seed: int) -> Opening:
        """An episode of OGBench's own making: who goes where, turns and the arm by the seed."""
        self._env.shown.clear()
        task = {"task_name": "", "init_xyzs": np.array(start_N3), "goal_xyzs": np.array(goal_N3)}
        _, info = self._env.reset(seed=seed, options={"task_info": task})
        goal_state, state = self._env.shown
        return Opening(state, goal_state, info["goal"])

    def put(self, place_N3: Doubles, yaw_N: Doubles) -> Doubles:
        """The state with cubes at places, everything else as it is."""
        data = self._env.data
        for index, (place_3, yaw) in enumerate(zip(place_N3, yaw_N, strict=True)):
            joint = data.joint(f"object_joint_{index}")
            joint.qpos[:3], joint.qpos[3:] = place_3, lie.SO3.from_z_radians(yaw).wxyz
            joint.qvel[:] = 0
        return self._env.snapshot()

    def restore(self, state: Doubles) -> None:
        """Goes on from a snapshot."""
        self._env.restore(state)

    def snapshot(self) -> Doubles:
        """All of the state that the future depends on."""
        return self._env.snapshot()

    def feel(self) -> Feeling:
        """What the arm feels of itself."""
        return _feeling(self._env.compute_ob_info())

    def act(self, action_5: NDArray[np.float32]) -> tuple[Feeling, bool]:
        """One control step, and whether OGBench says that all cubes are at their goals."""
        *_, info = self._env.step(action_5)
        return _feeling(info), bool(info["success"])

    def holds(self) -> list[bool]:
        """Whether each cube is at its goal, as OGBench has it."""
        return [bool(near) for near in self._env._compute_successes()]

    def places(self) -> Doubles:
        """Where (N, 3) cubes are."""
        data = self._env.data
        return np.array([data.joint(f"object_joint_{i}").qpos[:3] for i in range(self.n_cubes)])

    def goals(self) -> Doubles:
        """Where (N, 3) they should be."""
        data, ids = self._env.data, self._env._cube_target_mocap_ids
        return np.array([data.mocap_pos[i] for i in ids])

    def colours(self) -> Doubles:
        """The colour (N, 3) of each cube."""
        return np.asarray(self._env._cube_colors[: self.n_cubes, :3])

    def picture(self, camera: str = "front_pixels") -> NDArray[np.uint8]:
        """What OGBench's camera sees."""
        return np.asarray(self._env.render(camera=camera))

    def segment(self) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (H, W): 0 is none, i + 1 is cube i."""
        seen_HW2 = self._env.render(camera="front_pixels", segmentation=True)
        is_geom = seen_HW2[..., 1] == int(mujoco.mjtObj.mjOBJ_GEOM)
        owner = np.zeros(self._env.model.ngeom + 1, np.uint8)
        for index, ids in enumerate(self._env._cube_geom_ids_list):
            owner[ids] = index + 1
        return np.asarray(owner[np.where(is_geom, seen_HW2[..., 0], -1)])


def _feeling(info: dict[str, Any]) -> Feeling:
    return Feeling(
        position=np.array(info["proprio/effector_pos"], np.float64),
        yaw=float(info["proprio/effector_yaw"][0]),
        opening=float(info["proprio/gripper_opening"][0]),
    )


@functools.cache
def shared_table(n_cubes: int, size: int = SIZE, plays: bool = False) -> Table:
    """The simulator all episodes with so many cubes share in a process."""
    table = Table(n_cubes, size, plays)
    table.begin(*table.tasks[0], seed=0)  # OGBench builds its model at the first reset
    return table
