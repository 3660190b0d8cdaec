"""Every hand-set number of block-stacking, and the record by which the package knows it."""

from typing import Literal

from ncs.registry import World

NAME = "block-stacking"
MAX_OBJECTS = 8

# The scene, in metres
PIXELS_PER_METRE = 60  # at 64 pixels a side: cubes and gaps are whole pixels
HALF_PIXEL = 0.5 / PIXELS_PER_METRE  # keeps the edges of cubes off the middles of pixels
CUBE = 10 / PIXELS_PER_METRE  # edge of a cube
EDGE = 0.5  # of the arena, from its middle; keeps every action within one metre
TOLERANCE = CUBE / 2
CAMERA_DISTANCE = 40.0  # so far that a cube looks the same in every cell

# Before a wall: columns in a row, seen from the front
COLUMNS_X = (-0.4, -0.2, 0.0, 0.2, 0.4)
LEVELS = 4
GROUND_GREY = 0.5
WALL_GREY = 0.75
GROUND_PIXELS = 10  # of the ground that are seen below the cubes

# On a table: columns in rows, seen from above at a tilt
TABLE_X = (-0.375, -0.125, 0.125, 0.375)
TABLE_Y = (-0.3, 0.0, 0.3)
TABLE_LEVELS = 3
TABLE_GREY = 0.75
TILT = 60.0  # degrees

# Free play
TRIES = 0.2  # share of moves that aim at any place at all, possible or not
PILED = 0.5  # share of scenes that begin with few columns, and so with high ones

# Free play on a table, where few columns of many would be high by chance
TOWERS = 0.7  # share of scenes that begin with one high tower or two
DIGS = 0.9  # share of moves that take from tops; the others take a cube, buried or not
HIGHEST = 0.5  # share of those that take from the highest
ON_TOP = 0.8  # share of the moves that aim at places where a cube can stand: onto a moved cube
# Tasks
ELSEWHERE = 0.5  # share of starts that do not take up the cells of the goal
UPSIDE_DOWN = 0.25  # share of starts that do, with every column in reverse; the rest are mixed up

Style = Literal["plain", "xyz"]

WORLD = World(
    name=NAME,
    make="ncs.envs.stacking.world:BlockStack",
    summary="coloured cubes that stand on each other, seen from the front",
    gymnasium_id="ncs/BlockStack-v0",
    extra="bullet",
    arena_low=(-EDGE, -EDGE, 0.0),
    arena_high=(EDGE, EDGE, LEVELS * CUBE),
    height=True,
    tolerance=TOLERANCE,
    objects=(1, MAX_OBJECTS),
    styles={"xyz": "towers on a table, seen from above at a tilt"},
    places=len(COLUMNS_X) * LEVELS,
    model="stacking-fast-0",
    graph={"n_nodes": 47},
    most_nodes=64,
)
