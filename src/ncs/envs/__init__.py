"""Room 1 of 12. Takes actions, gives pixels.

Importing this room registers its worlds with Gymnasium; ``make_env`` makes one by its name.
"""

from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import register

from ncs.records import ConfigError, GoalKind

if TYPE_CHECKING:
    from ncs.envs.base import Rearrange

WORLDS = {
    "block-rearrange": "ncs/BlockRearrange-v0",
    "robogym-rearrange": "ncs/RobogymRearrange-v0",
}
EXTRAS = {"block-rearrange": "bullet", "robogym-rearrange": "mujoco"}

register(id=WORLDS["block-rearrange"], entry_point="ncs.envs.blocks.world:BlockRearrange")
register(id=WORLDS["robogym-rearrange"], entry_point="ncs.envs.tabletop.world:RobogymRearrange")


def make_env(
    world: str, n_objects: int = 4, goal: GoalKind = "complete", **settings: Any
) -> "Rearrange":
    """The world of that name, unwrapped."""
    if world not in WORLDS:
        raise ConfigError(f"world: there is no {world!r}, choose one of {', '.join(WORLDS)}")
    settings = {"n_objects": n_objects, "goal": goal, **settings}
    try:
        env = gymnasium.make(WORLDS[world], disable_env_checker=True, **settings)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{world} needs the package {error.name}: pip install 'ncs[{EXTRAS[world]}]'"
        ) from None
    return env.unwrapped  # type: ignore[return-value]
