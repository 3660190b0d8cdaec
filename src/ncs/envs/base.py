"""What every rearrangement world shares: spaces, episodes, goals and the count of constraints."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ncs.envs.appearance import Look, check_look, read_look
from ncs.records import ConfigError, GoalKind, Observation, Task, Truth
from ncs.registry import World

IMAGE_SIZE = 64
MAX_RENDER_SIZE = 2048


class Rearrange(gymnasium.Env[Observation, NDArray[np.float32]]):
    """A scene, a goal picture, and one pick-and-move a step. Worlds fill in the rest.

    A subclass says how to draw a task, set it up, move an object, count constraints and take
    pictures; this class runs the episode. Its ``record`` says the rest: name, arena, tolerance and
    how many objects there may be.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012
    record: ClassVar[World]
    world: ClassVar[str]
    max_objects: ClassVar[int]
    tolerance: float  # metres by which a pick or a place may miss
    arena_low: ClassVar[NDArray[np.float64]]  # (3,) metres; z is fixed, its range only a form
    arena_high: ClassVar[NDArray[np.float64]]  # (3,)

    def __init_subclass__(cls, **settings: Any) -> None:
        """Takes over what the world's record says."""
        super().__init_subclass__(**settings)
        record = cls.__dict__.get("record")
        if record is None:
            return
        if None in (record.arena_low, record.arena_high, record.tolerance):
            raise ConfigError(f"{record.name}: its record must have an arena and a tolerance")
        cls.world, cls.max_objects = record.name, record.objects[1]
        cls.tolerance = record.tolerance
        cls.arena_low, cls.arena_high = np.array(record.arena_low), np.array(record.arena_high)

    def __init__(
        self,
        n_objects: int = 4,
        goal: GoalKind = "complete",
        n_constrained: int = 2,
        cap_factor: int = 4,
        render_mode: str | None = None,
        render_size: int = 256,
    ) -> None:
        """Makes the world; see the class for what each setting means."""
        self._check_range("n_objects", n_objects, 1, self.max_objects)
        if goal not in get_args(GoalKind):
            raise ConfigError(f"goal: must be one of {get_args(GoalKind)}, got {goal!r}")
        if goal == "partial":
            self._check_range("n_constrained", n_constrained, 1, n_objects)
        self._check_range("cap_factor", cap_factor, 1, 1000)
        self._check_range("render_size", render_size, 16, MAX_RENDER_SIZE)
        if render_mode not in (None, "rgb_array"):
            raise ConfigError(f"render_mode: must be 'rgb_array' or None, got {render_mode!r}")
        self.n_objects = n_objects
        self.goal: GoalKind = goal
        self.n_constrained = n_constrained
        self.cap_factor = cap_factor
        self.render_mode = render_mode
        self.render_size = render_size
        picture = spaces.Box(0, 255, (IMAGE_SIZE, IMAGE_SIZE, 3), np.uint8)
        pictures = spaces.Dict({"image": picture, "goal": picture})
        self.observation_space = pictures  # type: ignore[assignment]
        reach = self.arena_high - self.arena_low
        self.action_space = spaces.Box(
            np.concatenate([self.arena_low, -reach]).astype(np.float32),
            np.concatenate([self.arena_high, reach]).astype(np.float32),
        )
        self._task: Task | None = None

    @staticmethod
    def _check_range(name: str, value: int, low: int, high: int) -> None:
        """Refuses a setting outside its range, by name."""
        if not isinstance(value, int) or not low <= value <= high:
            raise ConfigError(f"{name}: must be a whole number from {low} to {high}, got {value!r}")

    # What a world fills in.

    @abstractmethod
    def draw_task(self, rng: np.random.Generator) -> Task:
        """A task of this world's settings, drawn at random."""

    @abstractmethod
    def _set_up(self, task: Task) -> None:
        """Puts objects where the task starts."""

    @abstractmethod
    def _move(self, action: NDArray[np.float64]) -> bool:
        """Carries out one pick-and-move, or nothing if it is not legal; whether it did."""

    @abstractmethod
    def _constraints(self) -> Sequence[bool]:
        """Whether each constraint of the goal holds now."""

    @abstractmethod
    def _picture(self, size: int) -> NDArray[np.uint8]:
        """The scene as it is, (size, size, 3)."""

    @abstractmethod
    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        """The goal, (size, size, 3); objects without a constraint are absent."""

    @abstractmethod
    def truth(self) -> Truth:
        """Where everything really is: for scoring and diagnostics only."""

    @abstractmethod
    def segment(self) -> NDArray[np.uint8]:
        """Which object each pixel shows, (H, W): 0 is background, i + 1 is object i."""

    @abstractmethod
    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """An exact pick of one object and a legal place for it, drawn at random."""

    @abstractmethod
    def oracle_action(self) -> NDArray[np.float32]:
        """The next action of a shortest solution, from the ground truth."""

    # The episode.

    @property
    def setup(self) -> str:
        """A hash of what else a scene is made of, such as a mesh set; empty where nothing is."""
        return ""

    @property
    def _look(self) -> Look | None:
        """How the task's scene looks, if it is of a hard style."""
        return read_look(self.task.scene)

    @property
    def _is_lively(self) -> bool:
        """Whether pictures differ even where nothing moved."""
        look = self._look
        return look is not None and look.is_lively

    @property
    def task(self) -> Task:
        """The task under way."""
        if self._task is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")
        return self._task

    @property
    def max_steps(self) -> int:
        """Steps after which the episode is cut off."""
        return self.cap_factor * (self.task.minimum_moves or self.n_objects)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode of ``options["task"]``, or of a task drawn from the seed."""
        super().reset(seed=seed)
        task = (options or {}).get("task") or self.draw_task(self.np_random)
        self._check_task(task)
        self._task = task
        self._set_up(task)
        self._steps = 0
        holds = self._constraints()
        self._unsatisfied_at_start = len(holds) - sum(holds)
        self._image = self._picture(IMAGE_SIZE)
        # Free play has no goal to show; the first image stands in, and saves a rendering.
        self._goal_image = self._image if task.goal == "none" else self._goal_picture(IMAGE_SIZE)
        return self._observe(), self._info()

    def _check_task(self, task: Task) -> None:
        """Refuses a task of another world or another number of objects."""
        if task.world != self.world or task.n_objects != self.n_objects:
            raise ConfigError(
                f"task: is {task.world} with {task.n_objects} objects, this is {self.world} "
                f"with {self.n_objects}: make the world that fits the task"
            )
        check_look(task.scene)

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Moves at most one object; the reward counts the constraints that hold afterwards."""
        values = np.asarray(action, np.float64)
        if values.shape != (6,) or not np.isfinite(values).all():
            raise ConfigError(f"action: must be 6 finite numbers (w, delta w), got {action!r}")
        cap = self.max_steps
        self._steps += 1
        # A picture is dear, and most of what chance tries moves nothing.
        if self._move(values) or self._is_lively:
            self._image = self._picture(IMAGE_SIZE)
        info = self._info()
        terminated = self.task.goal != "none" and info["satisfied"] == info["constraints"]
        truncated = not terminated and self._steps >= cap
        return self._observe(), float(info["satisfied"]), terminated, truncated, info

    def _observe(self) -> Observation:
        """What a policy sees: two pictures and nothing else."""
        return {"image": self._image.copy(), "goal": self._goal_image.copy()}

    def _info(self) -> dict[str, Any]:
        """Counts for the judge."""
        holds = self._constraints()
        return {
            "satisfied": sum(holds),
            "constraints": len(holds),
            "unsatisfied_at_start": self._unsatisfied_at_start,
            "minimum_moves": self.task.minimum_moves,
            "max_steps": self.max_steps,
        }

    def render(self) -> NDArray[np.uint8] | None:
        """The scene at ``render_size`` pixels a side."""
        return None if self.render_mode is None else self._picture(self.render_size)

    def render_goal(self) -> NDArray[np.uint8]:
        """The goal at ``render_size`` pixels a side."""
        if self.task.goal == "none":
            raise ConfigError("goal: free play has none; make the world with a goal to see it")
        return self._goal_picture(self.render_size)
