"""ogbench-cubes: OGBench's visual-cube worlds, by pick-and-move. The class is the spec."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.base import IMAGE_SIZE, Rearrange
from ncs.records import ConfigError, Observation, Task, Truth
from ogbench_cubes.arm import REST, Arm, Feeling, Stopped
from ogbench_cubes.facts import CUBES, HAND_HIGH, HAND_LOW, LIMITS, N_TASKS, NAME, TOWERS
from ogbench_cubes.scenes import (
    draw_scene,
    draw_towers,
    first_top,
    next_move,
    random_place,
    tower_place,
)
from ogbench_cubes.table import Table, shared_table
from ogbench_cubes.tasks import free_task, official_task, random_task

Doubles = NDArray[np.float64]
UNENDING = 10**9


class Cubes(Rearrange):
    """Move cubes with a UR5e until they stand as the goal picture shows.

    ## Description
    OGBench's visual-cube-single, -double, -triple and -quadruple (version 1.2.2), as ``n_objects``
    1 to 4. Simulator, arm, cubes, camera, pictures, tasks, success and time limits are OGBench's.
    Ours is the action: a pick-and-move, which a script carries out with OGBench's 5-D actions by
    what the arm feels of itself; it knows neither where cubes are nor how they are turned.

    ## Observation space
    ``Dict(image, goal)``, two 64 x 64 x 3 ``uint8`` pictures of OGBench's camera. The scene is
    looked at with the arm at rest, before the first move and after each. The goal is OGBench's own
    picture of it: the arm is anywhere in view, and its shadow.

    ## Action space
    ``Box(6)``: a point ``w = (x, y, z)`` and a displacement ``dw``, in metres of OGBench's world.

    ## Dynamics
    The hand closes around ``w``, lifts what it holds, lowers it over ``w + dw`` until it meets
    something, and lets go; then the arm goes to rest. Where the hand closed on nothing the move
    ends. Where what it holds meets something half a cube above or below ``w + dw``, it is brought
    back. What stands on a cube goes along with it.

    ## Goals
    ``complete``: OGBench's five tasks, drawn at random, with OGBench's own randomness (which cube
    goes where, turns, a centimetre of noise, the arm). With ``style="random"`` starts and goals are
    random arrangements instead, towers among them; with ``style="towers"`` goals are mostly one
    high tower. ``none``: free play, for collecting experience; half of the clips have the arm
    anywhere in every picture, and a fifth of the moves aim at any place at all. With
    ``style="towers"`` it begins with high towers, takes from tops and mostly puts on the highest.

    ## Reward, end of an episode
    The reward of a move is the number of cubes within 4 cm of their goals. An episode terminates in
    the control step in which all are, and is truncated after OGBench's 200, 500, 1000 and 1000
    control steps; going to rest before the first picture is among them.
    """

    record = CUBES

    def __init__(self, *arguments: Any, style: str = "plain", **settings: Any) -> None:
        """Makes the world; see the class for what each setting means."""
        super().__init__(*arguments, **settings)
        if self.goal == "partial":
            raise ConfigError(f"goal: {NAME} has OGBench's complete goals, partial ones it has not")
        self.record.check([self.n_objects], style)
        self.style = style
        self.control_steps = 0

    def draw_task(self, rng: np.random.Generator) -> Task:
        """A task of this world's settings, drawn at random."""
        draw = draw_towers if self.style == TOWERS else draw_scene
        if self.goal == "none":
            return free_task(rng, self.n_objects, draw)
        if self.style != "plain":
            return random_task(rng, self.n_objects, draw)
        number = int(rng.integers(N_TASKS)) + 1
        return official_task(self.n_objects, number, int(rng.integers(2**31)))

    @property
    def _simulator(self) -> Table:
        return shared_table(self.n_objects, plays=self.goal == "none")

    @property
    def max_steps(self) -> int:
        """Moves are not limited, control steps are."""
        return UNENDING

    def _set_up(self, task: Task) -> None:
        scene, table = task.scene, self._simulator
        seed, number = int(scene["seed"][0]), int(scene["number"][0])
        ends = table.tasks[number - 1] if number else (scene["start"], scene["goal"])
        opening = table.begin(*ends, seed)
        self._state, self._goal_state = opening.state, opening.goal_state
        self._official_goal = opening.goal_picture
        self._poses = np.random.default_rng(seed)
        self._wanders = task.goal == "none" and bool(scene["wanders"][0])
        self.control_steps, self._limit = 0, LIMITS[self.n_objects]
        if task.goal == "none":
            self._limit = UNENDING
            table.restore(self._state)
            yaw_N = self._poses.uniform(0, 2 * np.pi, task.n_objects)
            self._state = table.put(scene["start"], yaw_N)
        self._drive(None)

    def _drive(self, action: NDArray[np.float64] | None) -> None:
        """Carries out a move, if there is one, and takes the arm out of the way."""
        table = self._simulator
        table.restore(self._state)
        arm = Arm(self._control, table.feel())
        try:
            if action is not None:
                arm.pick_and_move(action[:3], action[:3] + action[3:])
            arm.rest(*self._pose())
        except Stopped:
            pass
        self._state = table.snapshot()
        table.restore(self._state)
        self._places, self._holds = table.places(), table.holds()

    def _pose(self) -> tuple[Doubles, float] | tuple[Doubles]:
        """Where the hand goes after a move."""
        if not self._wanders:
            return (np.array(REST),)
        return self._poses.uniform(HAND_LOW, HAND_HIGH), float(self._poses.uniform(0, np.pi))

    def _control(self, action_5: NDArray[np.float32]) -> Feeling:
        """One control step of OGBench."""
        if self.control_steps >= self._limit:
            raise Stopped
        feeling, solved = self._simulator.act(action_5)
        self.control_steps += 1
        if solved and self._limit < UNENDING:
            raise Stopped
        return feeling

    def _move(self, action: NDArray[np.float64]) -> bool:
        self._drive(action)
        return True

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One move of the arm."""
        observation, reward, terminated, _, info = super().step(action)
        truncated = not terminated and self.control_steps >= self._limit
        return observation, reward, terminated, truncated, info

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "control_steps": self.control_steps}

    def _constraints(self) -> list[bool]:
        return self._holds

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return self._look(self._state, size)

    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        return self._official_goal if size == IMAGE_SIZE else self._look(self._goal_state, size)

    def _look(self, state: Doubles, size: int) -> NDArray[np.uint8]:
        table = shared_table(self.n_objects, size, self.goal == "none")
        table.restore(state)
        return table.picture()

    def segment(self) -> NDArray[np.uint8]:
        """Which cube each pixel shows, (64, 64): 0 is none, i + 1 is cube i."""
        self._simulator.restore(self._state)
        return self._simulator.segment()

    def truth(self) -> Truth:
        """Where every cube really is: for scoring and diagnostics only."""
        colour_N3 = self._simulator.colours().astype(np.float32)
        kind_N = np.zeros(self.n_objects, np.int32)
        return Truth(self._places.astype(np.float32), colour_N3, kind_N)

    def goal_places(self) -> Doubles:
        """Where (N, 3) cubes should be: for diagnostics only."""
        self._simulator.restore(self._state)
        return self._simulator.goals()

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """An exact pick of one cube, buried or not, and a place to try."""
        to_try = tower_place if self.style == TOWERS else random_place
        return _action(self._places[index], to_try(rng, self._places, index))

    def first_of(self, left: list[int], rng: np.random.Generator) -> int:
        """Which cube free play moves first of those left in a clip: with towers, from tops."""
        return first_top(rng, self._places, left) if self.style == TOWERS else left[0]

    def oracle_action(self) -> NDArray[np.float32]:
        """The next action of a shortest solution; picks nothing up once all is done."""
        found = next_move(self._places, self.goal_places())
        if found is None:
            return _action(np.array(REST), np.array(REST))
        return _action(self._places[found.thing], found.place)


def _action(here_3: Doubles, there_3: Doubles) -> NDArray[np.float32]:
    return np.concatenate([here_3, there_3 - here_3]).astype(np.float32)
