"""The hard styles of every world: pictures that a task rebuilds, and tasks that can be solved."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ncs.envs import make_env
from ncs.envs.appearance import HARD_STYLES
from ncs.records import ConfigError, Task

WORLDS = ("block-rearrange", "robogym-rearrange")
ONE_BY_ONE = [style for style in HARD_STYLES if "-" not in style]
NOWHERE = np.array([9.0, 9.0, 0, 0, 0, 0], np.float32)


def begun(world: str, style: str, n_objects: int = 4, seed: int = 0) -> Any:
    env: Any = make_env(world, n_objects=n_objects, style=style)
    env.reset(seed=seed)
    return env


def pictures(env: Any, task: Task) -> list[np.ndarray]:
    """The first picture, the goal, and the picture after the oracle's first move."""
    first, _ = env.reset(options={"task": task})
    after = env.step(env.oracle_action())[0]
    return [first["image"], first["goal"], after["image"]]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", HARD_STYLES)
def test_a_plain_world_rebuilds_a_hard_task_to_the_pixel(world: str, style: str) -> None:
    env = begun(world, style)
    seen = pictures(env, env.task)
    copy = Task(world, env.task.goal, {k: v.copy() for k, v in env.task.scene.items()}, 4)
    begun(world, "real", seed=5)  # another scene comes between
    for one, two in zip(seen, pictures(begun(world, "plain", seed=9), copy), strict=True):
        assert (one == two).all()


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", HARD_STYLES)
def test_a_style_looks_different_from_the_plain_world(world: str, style: str) -> None:
    env = begun(world, style)
    bare = {k: v for k, v in env.task.scene.items() if k not in ("look", "edge", "scale")}
    hard = pictures(env, env.task)
    plain = pictures(env, Task(world, env.task.goal, bare, env.task.minimum_moves))
    assert all((one != two).any() for one, two in zip(hard[:2], plain[:2], strict=True))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", ["wood", "light", "shadow", "tilt", "clutter", "sizes"])
def test_where_nothing_moves_nothing_changes(world: str, style: str) -> None:
    env = begun(world, style)
    before = env.reset(seed=1)[0]["image"]
    assert (env.step(NOWHERE)[0]["image"] == before).all()


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", ["noise", "arm", "real"])
def test_noise_and_arm_are_others_in_every_picture(world: str, style: str) -> None:
    env = begun(world, style)
    before = env.reset(seed=1)[0]["image"]
    assert (env.step(NOWHERE)[0]["image"] != before).any()


@pytest.mark.parametrize("world", WORLDS)
def test_light_differs_between_scene_and_goal(world: str) -> None:
    env = begun(world, "light")
    goal = env.task.goal
    scene = {**env.task.scene, "goal": env.task.scene["start"]}
    first, _ = env.reset(options={"task": Task(world, goal, scene, 0)})
    shift = first["image"].astype(int) - first["goal"]
    assert (np.abs(shift).max(axis=-1) > 3).mean() > 0.3


@pytest.mark.parametrize("world", WORLDS)
def test_pictures_are_the_same_in_another_process(world: str) -> None:
    code = (
        "import zlib; from ncs.envs import make_env\n"
        f"env = make_env({world!r}, style='real')\n"
        "print(zlib.crc32(b''.join(p.tobytes() for p in env.reset(seed=3)[0].values())))"
    )
    run = [sys.executable, "-c", code]
    told = {
        subprocess.run(run, capture_output=True, text=True, check=True, env=os.environ).stdout
        for _ in range(2)
    }
    assert len(told) == 1


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("n_objects", [4, 7])
@pytest.mark.parametrize("style", ONE_BY_ONE)
def test_the_oracle_solves_hard_tasks(world: str, n_objects: int, style: str) -> None:
    env: Any = make_env(world, n_objects=n_objects, style=style)
    env._picture = env._goal_picture = lambda size: np.zeros((size, size, 3), np.uint8)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        done = False
        for _ in range(info["minimum_moves"]):
            done = env.step(env.oracle_action())[2]
        assert done


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", ["arm", "tilt", "real"])
def test_every_object_is_seen_in_free_play(world: str, style: str) -> None:
    for seed in range(4):
        env: Any = make_env(world, n_objects=6, goal="none", style=style)
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for index in range(6):
            assert set(np.unique(env.segment())) == set(range(7))
            env.step(env.random_move(index, rng))


@pytest.mark.parametrize("world", WORLDS)
def test_an_unknown_style_is_refused_by_name(world: str) -> None:
    with pytest.raises(ConfigError, match=r"style: .*wood"):
        make_env(world, style="steel")


@pytest.mark.parametrize("world", WORLDS)
def test_sizes_differ_threefold(world: str) -> None:
    scene = begun(world, "sizes", 6).task.scene
    size = scene.get("edge", scene.get("scale"))
    assert size.max() / size.min() == pytest.approx(3, rel=1e-5)
