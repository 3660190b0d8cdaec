"""Worlds are made by their names, and a name and a factory are enough."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from ncs.envs import WORLDS, arena_of, make_env
from ncs.records import ConfigError
from ncs.registry import World, register


class Bare(gymnasium.Env[Any, Any]):
    """A world that says no more than Gymnasium asks for."""

    def __init__(self, n_objects: int, goal: str) -> None:
        self.n_objects, self.goal = n_objects, goal
        low, high = np.array([0, 0, 0, -3, -4, 0]), np.array([3, 4, 0, 3, 4, 0])
        self.action_space = gymnasium.spaces.Box(np.float32(low), np.float32(high))


def absent(**_: object) -> Bare:
    raise ModuleNotFoundError("No module named 'physics'", name="physics")


@pytest.mark.parametrize("world", WORLDS.values(), ids=lambda world: world.name)
def test_a_world_agrees_with_its_record(world: World) -> None:
    env = make_env(world.name, n_objects=world.objects[0])
    assert (env.world, env.max_objects) == (world.name, world.objects[1])
    assert env.tolerance == world.tolerance
    low_3, high_3 = arena_of(world.name)
    np.testing.assert_array_equal(env.action_space.low[:3], low_3.astype(np.float32))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(env.action_space.high[:3], high_3.astype(np.float32))  # type: ignore[attr-defined]
    assert gymnasium.spec(world.gymnasium_id).entry_point == world.make


@pytest.mark.parametrize("world", WORLDS.values(), ids=lambda world: world.name)
def test_every_style_of_a_record_can_be_drawn_and_no_other(world: World) -> None:
    for style in world.styles:
        env = make_env(world.name, n_objects=3, style=style)
        assert env.reset(seed=0)[0]["image"].std() > 0
    with pytest.raises(ConfigError, match="style"):
        make_env(world.name, style="baroque")


def test_a_name_and_a_factory_are_enough() -> None:
    register("world", "bare", World(name="bare", make=Bare))
    env = make_env("bare", n_objects=2, goal="partial")
    assert (env.n_objects, env.goal) == (2, "partial")
    low_3, high_3 = arena_of("bare")
    assert low_3.tolist() == [0, 0, 0]
    assert high_3.tolist() == [3, 4, 0]


@pytest.mark.parametrize(("extra", "way"), [("sim", r"pip install 'ncs\[sim\]'"), ("", "install")])
def test_a_package_that_is_missing_is_named_with_the_way_to_get_it(extra: str, way: str) -> None:
    register("world", "bare", World(name="bare", make=absent, extra=extra))
    with pytest.raises(ConfigError, match=f"bare needs the package physics: {way}"):
        make_env("bare")


def test_an_unknown_world_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=f"no 'mars', choose one of {next(iter(WORLDS))}"):
        make_env("mars")
