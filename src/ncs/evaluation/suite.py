"""Task suites: frozen tasks with a hash, and fresh ones that stand in no suite.

A suite file holds, for every goal kind and object count, the scene arrays of 10 seeds x 100 tasks
as ``goal/objects/name`` (1000, N, ...), task ``seed * 100 + episode``.
"""

import functools
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.data.seeds import stream
from ncs.records import DataError, Env, GoalKind, Split, Task
from ncs.registry import facts_of
from ncs.storage import canonical, digest, digest_content, read_arrays, read_json, write_json

SEEDS = 10
EPISODES = 100
GOALS: tuple[GoalKind, ...] = ("complete", "partial")
HASHES = "hashes.json"


def suite_folder(world: str) -> Path:
    """Where a world's frozen suites stand: with the judge, unless its record says otherwise."""
    return facts_of(world).suites or Path(str(resources.files("ncs.evaluation"))) / "suites"


def suite_name(world: str, split: str) -> str:
    """File name of a world's suite."""
    return f"{world}.{split}.safetensors"


@functools.cache
def load_suite(world: str, split: str) -> dict[str, NDArray[Any]]:
    """The arrays of a frozen suite; refuses one whose content is not the published one."""
    path = suite_folder(world) / suite_name(world, split)
    published = published_hash(world, split)
    arrays, _ = read_arrays(path)
    if published != digest_content(arrays):
        raise DataError(f"{path}: is not the published suite; reinstall what it came with")
    return arrays


def published_hash(world: str, split: str) -> str:
    """The hash of a suite's content; refuses a world that has no such suite."""
    if not has_suite(world, split):
        raise DataError(f"{world} has no frozen {split} tasks; use --split fresh")
    return str(_published(world)[suite_name(world, split)])


def has_suite(world: str, split: str) -> bool:
    """Whether tasks of a world are frozen."""
    return suite_name(world, split) in _published(world)


def _published(world: str) -> dict[str, Any]:
    path = suite_folder(world) / HASHES
    return read_json(path) if path.exists() else {}


def publish(path: Path, content: str) -> None:
    """Puts the hash of a suite's content beside it, so that it counts as a world's own."""
    known = path.with_name(HASHES)
    others = read_json(known) if known.exists() else {}
    write_json(known, {**others, path.name: content})


def suite_hash(world: str, split: str) -> str:
    """Twelve hex digits naming a suite's content."""
    return published_hash(world, split)[:12]


def frozen_task(world: str, split: str, goal: GoalKind, objects: int, number: int) -> Task:
    """Task ``number`` (seed * 100 + episode) of a frozen suite."""
    arrays = load_suite(world, split)
    prefix = f"{goal}/{objects}/"
    names = [name for name in arrays if name.startswith(prefix)]
    if not names:
        raise DataError(
            f"{suite_name(world, split)}: has no {goal} tasks with {objects} objects; use "
            "--split fresh"
        )
    scene = {name.removeprefix(prefix): arrays[name][number] for name in names}
    minimum = int(scene.pop("minimum_moves"))
    return Task(world, goal, scene, minimum)


def fresh_task(env: Env, draw: int, goal: GoalKind, objects: int, number: int) -> Task:
    """A task nobody has seen, the same for everybody who names the same draw."""
    return env.draw_task(stream("fresh", draw, GOALS.index(goal), objects, number))


def draw_suite(
    make_env: Callable[..., Env], world: str, split: Split, counts: tuple[int, ...]
) -> dict[str, NDArray[Any]]:
    """The arrays of a new suite, drawn from the split's own random stream."""
    arrays: dict[str, NDArray[Any]] = {}
    for goal in GOALS:
        for objects in counts:
            env = make_env(world, n_objects=objects, goal=goal)
            rngs = [
                stream(split, GOALS.index(goal), objects, number)
                for number in range(SEEDS * EPISODES)
            ]
            tasks = [env.draw_task(rng) for rng in rngs]
            for name in tasks[0].scene:
                arrays[f"{goal}/{objects}/{name}"] = np.stack([t.scene[name] for t in tasks])
            arrays[f"{goal}/{objects}/minimum_moves"] = np.array(
                [t.minimum_moves for t in tasks], np.int16
            )
            env.close()
    return arrays


def task_hash(task: Task) -> str:
    """Twelve hex digits naming a task."""
    label = canonical([task.world, task.goal, task.minimum_moves])
    return digest((label + digest_content(task.scene)).encode())[:12]
