"""Takes a world's record, gives a line a check: what holds, and what is missing and where.

What Gymnasium's ``check_env`` is to an environment, this is to a world: every promise that the
rooms above rest on is tried out on a few tasks. A check that fails keeps none of the others from
being made.

Legend: N objects, H height, W width.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast, get_args

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from ncs.data.rollout import Start, rollout
from ncs.data.seeds import stream
from ncs.data.workers import spread
from ncs.records import Env, GoalKind, Policy, Task
from ncs.registry import World
from ncs.storage import brief, digest_content

MakeEnv = Callable[..., Env]
TASKS = 8  # that a promise is tried out on
FREE_PLAY_MOVES = 24
LEAST_CHANGED = 0.3  # share of random moves after which the picture must differ; some may fail
ACTION_NUMBERS = 6


class MissingError(Exception):
    """What a world lacks, and where to put it."""


@dataclass(frozen=True)
class Check:
    """One promise, and whether it is kept."""

    name: str
    ok: bool
    line: str  # what was found, or what is missing


@dataclass(frozen=True)
class Subject:
    """A world that is looked at."""

    name: str  # under which it is asked for
    record: World
    make_env: MakeEnv

    @property
    def n_objects(self) -> int:
        """Objects in the scenes that are tried: four, or as near as the world comes to it."""
        low, high = self.record.objects
        return min(max(4, low), high)

    def make(self, goal: GoalKind, **settings: Any) -> Env:
        """The world with a goal kind, as the judge makes it."""
        n_constrained = {"n_constrained": min(2, self.n_objects)} if goal == "partial" else {}
        given = {"n_objects": self.n_objects, "goal": goal, **n_constrained, **settings}
        return self.make_env(self.name, **given)

    def tasks(self, env: Env) -> list[Task]:
        """A few tasks, the same every time."""
        return [env.draw_task(stream("fresh", 0, number)) for number in range(TASKS)]


def check_world(subject: Subject) -> Iterator[Check]:
    """Every check, one after another."""
    for check in CHECKS:
        name = check.__name__.removeprefix("_").replace("_", " ")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                yield Check(name, True, check(subject))
            except MissingError as error:
                yield Check(name, False, str(error))
            except Exception as error:  # whatever a stranger's world raises
                line = f"raises {type(error).__name__}: {brief(error)}"
                yield Check(name, False, f"{line} ({(check.__doc__ or '').rstrip('.')})")


def need(holds: object, missing: str) -> None:
    """Fails a check unless something holds."""
    if not holds:
        raise MissingError(missing)


def _makes(subject: Subject) -> str:
    """It is made with n_objects, goal, cap_factor, n_constrained, and each of its styles."""
    for goal in get_args(GoalKind):
        subject.make(goal, cap_factor=4).close()
    for style in subject.record.styles:
        subject.make("complete", style=style).close()
    return (
        f"with {subject.n_objects} objects, three goal kinds, {len(subject.record.styles)} styles"
    )


def _spaces(subject: Subject) -> str:
    """Actions are six numbers, observations two pictures of one size."""
    env = cast(gymnasium.Env[Any, Any], subject.make("complete"))
    space: Any = env.action_space
    need(
        isinstance(space, gymnasium.spaces.Box) and space.shape == (ACTION_NUMBERS,),
        f"action_space must be a Box of {ACTION_NUMBERS}: pick, then by how much; is {space}",
    )
    record = subject.record
    if record.arena_low is not None and record.arena_high is not None:
        corners = np.concatenate([record.arena_low, record.arena_high])
        own = np.concatenate([space.low[:3], space.high[:3]])
        need(np.allclose(corners, own, atol=1e-6), f"the record's arena is not the space's {own}")
    held: Any = env.observation_space
    names = set(held.spaces) if isinstance(held, gymnasium.spaces.Dict) else set()
    need({"image", "goal"} <= names, "observation_space must be a Dict with image and goal")
    for name in ("image", "goal"):
        shape, dtype = held[name].shape, held[name].dtype
        good = len(shape) == 3 and shape[2] == 3 and dtype == np.uint8
        need(good, f"observation {name} must be uint8 (H, W, 3), is {dtype} {shape}")
    need(held["image"].shape == held["goal"].shape, "image and goal must be of one size")
    return f"pictures {held['image'].shape[1]} x {held['image'].shape[0]}, actions of 6"


def _gymnasium(subject: Subject) -> str:
    """Gymnasium's own check_env passes."""
    check_env(cast(gymnasium.Env[Any, Any], subject.make("complete")), None, True, True)
    return "check_env passes"


def _tasks(subject: Subject) -> str:
    """A task is drawn from the given generator alone, and holds arrays of N."""
    env = subject.make("complete")
    first, again = subject.tasks(env), subject.tasks(env)
    for one, other in zip(first, again, strict=True):
        need(same_task(one, other), "draw_task must draw from the generator it is given alone")
        need(one.world == subject.record.name, f"draw_task names the world {one.world!r}")
        need(one.goal == "complete", f"draw_task gives a {one.goal} goal where complete was asked")
        need(one.minimum_moves >= 1, "minimum_moves must be the fewest moves, at least 1")
        for name, array in one.scene.items():
            good = isinstance(array, np.ndarray) and array.dtype != object
            need(good, f"scene[{name!r}] must be an array of numbers, is {type(array).__name__}")
            need(len(array) == subject.n_objects, f"scene[{name!r}] must have N as its first axis")
    need(not same_task(first[0], first[1]), "draw_task gives the same task twice")
    return f"{TASKS} drawn twice, the same; the fewest moves are known"


def _starts(subject: Subject) -> str:
    """No task starts solved, and its start is as the task says, to the pixel."""
    for goal in ("complete", "partial"):
        env, other = subject.make(goal), subject.make(goal)
        for task in subject.tasks(env):
            seen, info = env.reset(options={"task": task})
            again, _ = other.reset(options={"task": task})
            for key in ("satisfied", "constraints"):
                need(key in info, f"reset's info must have {key!r}, for the judge")
            need(info["constraints"] > 0, f"a {goal} task has no constraint")
            need(info["satisfied"] < info["constraints"], f"a {goal} task starts solved")
            for name in ("image", "goal"):
                alike = np.array_equal(seen[name], again[name])
                need(alike, f"two worlds show another {name} for one task; reset must obey 'task'")
            need(not np.array_equal(seen["image"], seen["goal"]), "the goal looks like the start")
    return f"2 x {TASKS} tasks: none starts solved, the same to the pixel in two worlds"


def _oracle(subject: Subject) -> str:
    """oracle_action solves every task in its fewest moves."""
    for goal in ("complete", "partial"):
        env = subject.make(goal)
        for task in subject.tasks(env):
            (episode,) = rollout([env], _OwnOracle(env), [Start(task, (0,))])
            solved = episode.satisfied[-1] == episode.n_constraints
            need(solved, f"oracle_action leaves a {goal} task unsolved when the episode ends")
            moves = len(episode.action)
            need(
                moves == task.minimum_moves,
                f"oracle_action takes {moves} moves where minimum_moves says {task.minimum_moves}",
            )
    return f"2 x {TASKS} tasks solved in the fewest moves; episodes end when solved"


def _episodes_end(subject: Subject) -> str:
    """An episode is cut off after cap_factor times the fewest moves."""
    env = subject.make("complete", cap_factor=2)
    task = subject.tasks(env)[0]
    env.reset(options={"task": task})
    nothing = np.zeros(ACTION_NUMBERS, np.float32)
    limit = 2 * task.minimum_moves
    for step in range(1, limit + 1):
        _, _, terminated, truncated, info = env.step(nothing)
        need(not terminated, "an action that moves nothing ends the episode as solved")
        need("satisfied" in info, "step's info must have 'satisfied', for the judge")
        need(truncated == (step == limit), f"step {step} of {limit}: truncated is {truncated}")
    return f"cut off after {limit} steps"


def _random_moves(subject: Subject) -> str:
    """random_move picks an object where it is, and its picture changes."""
    env = subject.make("none")
    rng = stream("fresh", 1)
    changed = 0
    for number in range(FREE_PLAY_MOVES):
        if number % subject.n_objects == 0:
            before, _ = env.reset(options={"task": env.draw_task(rng)})
        index = number % subject.n_objects
        here = env.truth().position[index]
        action = env.random_move(index, rng)
        good = np.shape(action) == (ACTION_NUMBERS,) and np.isfinite(action).all()
        need(good, f"random_move must give {ACTION_NUMBERS} finite numbers, gave {action!r}")
        miss = float(np.linalg.norm(action[:2] - here[:2]))
        need(miss <= env.tolerance, f"random_move picks {miss:.3g} m beside object {index}")
        after, *_ = env.step(action)
        changed += not np.array_equal(before["image"], after["image"])
        before = after
    share = changed / FREE_PLAY_MOVES
    need(share >= LEAST_CHANGED, f"only {share:.0%} of random moves change the picture")
    return f"{share:.0%} of {FREE_PLAY_MOVES} change the picture"


def _truth(subject: Subject) -> str:
    """What truth and segment say fits the scene: N objects, each of them in view."""
    env, n = subject.make("complete"), subject.n_objects
    space: Any = env.action_space
    for task in subject.tasks(env):
        seen, _ = env.reset(options={"task": task})
        truth, index_HW = env.truth(), env.segment()
        shapes = (truth.position.shape, truth.colour.shape, truth.kind.shape)
        need(shapes == ((n, 3), (n, 3), (n,)), f"truth must be (N, 3), (N, 3), (N,), is {shapes}")
        slack = 1e-4 + env.tolerance
        inside = (truth.position[:, :2] >= space.low[:2] - slack).all()
        inside &= (truth.position[:, :2] <= space.high[:2] + slack).all()
        need(inside, "an object stands outside the arena")
        size = seen["image"].shape[:2]
        need(index_HW.shape == size, f"segment is {index_HW.shape}, the picture {size}")
        need(index_HW.max() <= n, f"segment names object {index_HW.max()} of {n}")
        hidden = [i for i in range(n) if not (index_HW == i + 1).any()]
        need(not hidden, f"object {hidden[:1]} is nowhere in view")
    return f"{TASKS} scenes, every object in view and in the arena"


def _pictures(subject: Subject) -> str:
    """It draws itself larger, for 'ncs solve' and the viewer."""
    env: Any = subject.make("complete", render_mode="rgb_array", render_size=128)
    env.reset(options={"task": subject.tasks(env)[0]})
    for name in ("render", "render_goal"):
        need(hasattr(env, name), f"{name} is missing")
        picture = getattr(env, name)()
        good = isinstance(picture, np.ndarray) and picture.shape == (128, 128, 3)
        need(good and picture.dtype == np.uint8, f"{name} must give uint8 (128, 128, 3)")
    return "render and render_goal at 128 pixels"


def _workers(subject: Subject) -> str:
    """Other processes know it, and see the same."""
    here = first_picture(subject)
    for there in spread(first_picture, [subject, subject], 2):
        need(there == here, "another process shows another picture for the same task")
    return "two processes see the same"


CHECKS: tuple[Callable[[Subject], str], ...] = (
    _makes, _spaces, _gymnasium, _tasks, _starts, _oracle, _episodes_end, _random_moves, _truth,
    _pictures, _workers,
)  # fmt: skip


class _OwnOracle(Policy):
    """Plays what the world itself says is best."""

    def __init__(self, env: Env) -> None:
        self._env = env

    def begin(self, seed_B: Any) -> None:
        """Nothing is remembered."""

    def act(self, image_BHWC: Any, goal_BHWC: Any, lane_B: Any) -> NDArray[np.float32]:
        """The one world's next action."""
        return self._env.oracle_action()[None]


def same_task(one: Task, other: Task) -> bool:
    """Whether two tasks are the same in every number."""
    return (
        (one.world, one.goal, one.minimum_moves) == (other.world, other.goal, other.minimum_moves)
        and one.scene.keys() == other.scene.keys()
        and all(np.array_equal(one.scene[name], other.scene[name]) for name in one.scene)
    )


def first_picture(subject: Subject) -> str:
    """A hash of how a task looks at its start."""
    env = subject.make("complete")
    seen, _ = env.reset(options={"task": subject.tasks(env)[0]})
    return digest_content(dict(seen))
