"""Where actions may reach in each world, known without starting its simulator."""

import numpy as np
from numpy.typing import NDArray

from ncs.envs.blocks import tasks as block_tasks
from ncs.envs.tabletop import tasks as tabletop_tasks
from ncs.envs.tabletop.meshes import LONGEST
from ncs.records import ConfigError

Corner = NDArray[np.float64]  # (3,) metres


def arena_of(world: str) -> tuple[Corner, Corner]:
    """The low and the high corner of a world's arena; z is fixed, its range only a form."""
    if world == block_tasks.WORLD:
        edge = block_tasks.SIDE * block_tasks.SPACING / 2
        return np.array([-edge, -edge, 0.0]), np.array([edge, edge, block_tasks.CUBE])
    if world == tabletop_tasks.WORLD:
        half = tabletop_tasks.HALF_AREA
        return np.array([*-half, 0.0]), np.array([*half, LONGEST])
    raise ConfigError(f"world: there is no {world!r}")
