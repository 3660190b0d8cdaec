"""Every hand-set number of block-rearrange, and the record by which the package knows it."""

from typing import Literal

from ncs.envs.appearance import STYLES_HELP
from ncs.registry import Published, World

NAME = "block-rearrange"

# The grid, in metres
SIDE = 4  # cells
N_CELLS = SIDE * SIDE
SPACING = 0.2  # keeps every action within one metre, as Gymnasium's checker wants
CUBE = 0.16  # edge of a cube
EDGE = SIDE * SPACING / 2  # of the arena, from its middle
TOLERANCE = SPACING / 2  # what is aimed at is the nearest cell
MAX_OBJECTS = 12
NO_GOAL = -1

# The look
FLOOR_GREY = 0.75
CAMERA_HEIGHT = 10.0  # fifty arena widths: a cube's sides stay hidden behind its top

# Styles
NEAR = 0.08  # colours of one family differ by no more than this in each channel
FAINT = 0.03  # and from the floor by no less than this in some channel: eight grey levels
Style = Literal["plain", "lookalike", "faint", "crowded"]

COUNTS = (4, 5, 6, 7)  # of objects in the paper's Table 1
COSTS = {  # seconds of one core, as ``reproduction/costs.json`` explains
    "clip": 0.007,
    "training": {"fast": 0.15, "cpu": 0.16, "paper": 20.0},
    "look": {"fast": 0.025, "cpu": 0.007, "paper": 1.0},
    "episode": {
        "random": 0.007,
        "oracle": 0.03,
        "ncs": 0.051,
        "nf": 0.064,
        "mpc": 0.47,
        "bc": 0.011,
        "iql": 0.012,
        "gcivl": 0.01,
        "ncs, dSLATE": 0.1,
        "mpc, dSLATE": 5.5,
        "nf, dSLATE": 0.071,
    },
}

WORLD = World(
    name=NAME,
    make="ncs.envs.blocks.world:BlockRearrange",
    summary="coloured cubes on a grid, seen from above",
    gymnasium_id="ncs/BlockRearrange-v0",
    extra="bullet",
    arena_low=(-EDGE, -EDGE, 0.0),
    arena_high=(EDGE, EDGE, CUBE),
    tolerance=TOLERANCE,
    objects=(1, MAX_OBJECTS),
    suite_objects=tuple(range(4, MAX_OBJECTS + 1)),
    styles={
        "lookalike": "colours near one another",
        "faint": "colours near the floor's",
        "crowded": "cubes next to each other at the start",
        **STYLES_HELP,
    },
    places=N_CELLS,
    key_step=1 / SIDE,
    goal_editor="ncs.envs.blocks.goals:EDITOR",
    model="blocks-fast-0",
    graph={
        "representation": "alpha",
        "n_nodes": 30,
        "isolate_metric": "cosine",
        "cluster_metric": "iou",
        "bind_metric": "cosine",
    },
    most_nodes=64,
    published=(
        Published("complete", "NCS", COUNTS, (0.94, 0.93, 0.93, 0.89), (0.01, 0.0, 0.0, 0.0)),
        Published("complete", "Rand", COUNTS, (0.06, 0.07, 0.07, 0.08), (0.02, 0.03, 0.03, 0.03)),
        Published("complete", "MPC", COUNTS, (0.16, 0.12, 0.11, 0.1), (0.06, 0.04, 0.04, 0.03)),
        Published("complete", "NF", COUNTS, (0.07, 0.06, 0.07, 0.08), (0.03, 0.02, 0.02, 0.03)),
        Published("complete", "IQL", COUNTS, (0.07, 0.03, 0.02, 0.02), (0.01, 0.0, 0.0, 0.0)),
        Published("complete", "BC", COUNTS, (0.03, 0.02, 0.01, 0.01), (0.0, 0.0, 0.0, 0.0)),
        Published("partial", "NCS", COUNTS, (0.89, 0.86, 0.78, 0.7), (0.01, 0.01, 0.01, 0.01)),
        Published("partial", "Rand", COUNTS, (0.06, 0.08, 0.08, 0.08), (0.02, 0.03, 0.03, 0.03)),
        Published("partial", "MPC", COUNTS, (0.13, 0.11, 0.1, 0.08), (0.05, 0.04, 0.04, 0.03)),
        Published("partial", "NF", COUNTS, (0.06, 0.07, 0.08, 0.07), (0.03, 0.03, 0.03, 0.03)),
        Published("partial", "IQL", COUNTS, (0.01, 0.07, 0.05, 0.05), (0.01, 0.01, 0.01, 0.0)),
        Published("partial", "BC", COUNTS, (0.05, 0.04, 0.03, 0.03), (0.01, 0.0, 0.0, 0.0)),
    ),
    costs=COSTS,
)
