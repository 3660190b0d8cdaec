"""Room 1 of 12. Takes actions, gives pixels.

Importing this room registers its worlds with Gymnasium; ``make_env`` makes any world by its name,
those of plug-ins too.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import register
from numpy.typing import NDArray

from ncs.envs.blocks.facts import WORLD as BLOCKS
from ncs.envs.stacking.facts import WORLD as STACKING
from ncs.envs.tabletop.facts import WORLD as TABLETOP
from ncs.records import ConfigError, GoalKind
from ncs.registry import World, find_world, resolve

if TYPE_CHECKING:
    from ncs.envs.base import Rearrange

WORLDS = {world.name: world for world in (BLOCKS, TABLETOP, STACKING)}  # the first is the default
Corner = NDArray[np.float64]  # (3,) metres

for _world in WORLDS.values():
    register(id=_world.gymnasium_id, entry_point=str(_world.make))


@contextlib.contextmanager
def packages_of(world: World) -> Iterator[None]:
    """Says in one line which package a world lacks, and how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        way = f"pip install 'ncs[{world.extra}]'" if world.extra else f"install {error.name}"
        raise ConfigError(f"{world.name} needs the package {error.name}: {way}") from None


def make_env(
    world: str, n_objects: int = 4, goal: GoalKind = "complete", **settings: Any
) -> "Rearrange":
    """The world of that name, unwrapped."""
    record = find_world(world)
    settings = {"n_objects": n_objects, "goal": goal, **settings}
    with packages_of(record):
        if record.gymnasium_id:
            env = gymnasium.make(record.gymnasium_id, disable_env_checker=True, **settings)
        else:
            env = resolve(record.make)(**settings)
    return env.unwrapped  # type: ignore[return-value]


def arena_of(world: str) -> tuple[Corner, Corner]:
    """The low and the high corner of a world's arena; z is fixed, its range only a form."""
    record = find_world(world)
    if record.arena_low is not None and record.arena_high is not None:
        return np.array(record.arena_low), np.array(record.arena_high)
    space: Any = make_env(world).action_space
    return space.low[:3].astype(np.float64), space.high[:3].astype(np.float64)
