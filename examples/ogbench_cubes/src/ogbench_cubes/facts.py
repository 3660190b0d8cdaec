"""Every hand-set number of the world, and the record by which NCS knows it."""

from pathlib import Path

from ncs.registry import World

NAME = "ogbench-cubes"
VARIANTS = {1: "single", 2: "double", 3: "triple", 4: "quadruple"}  # OGBench's, by cubes
LIMITS = {1: 200, 2: 500, 3: 1000, 4: 1000}  # OGBench's, control steps an episode
N_TASKS = 5  # OGBench's, of each variant
# Fewest moves of OGBench's tasks: what is out of place, and one more for a ring
MOVES = {1: (1, 1, 1, 1, 1), 2: (1, 2, 2, 3, 2), 3: (1, 3, 3, 4, 3), 4: (2, 4, 4, 5, 4)}

CUBE = 0.04  # edge, metres
NEAR = 0.04  # OGBench's: a cube so near its goal is there
# OGBench's bounds: of cubes that are drawn, and of the hand
CUBES_LOW, CUBES_HIGH = (0.30, -0.30), (0.55, 0.30)
HAND_LOW, HAND_HIGH = (0.25, -0.35, 0.20), (0.60, 0.35, 0.35)  # where a hand may start

# Free play
PILED = 0.5  # share of scenes that begin with towers
CLOSE = 0.3  # share of scenes in which cubes may touch
APART, TOUCHING = 0.08, 0.045  # metres between cubes at the start
TRIES = 0.2  # share of moves that aim at any place at all, possible or not
ON_TOP = 0.4  # share of the other moves that go on top of another cube
ROOM = 0.065  # metres to other cubes that the rest keeps
WANDERS = 0.5  # share of clips in which the hand is anywhere in every picture
TOWERS = "towers"  # the style of scenes and moves that are about high towers
TALL = 0.7  # share of its scenes that begin with a tower of all cubes but one, or of all
HIGHEST = 0.7  # share of its moves that take from, and that put on, the highest tower there is

CUBES = World(
    name=NAME,
    make="ogbench_cubes.world:Cubes",
    summary="OGBench's cubes, moved by its arm; 1 to 4 are its single to quadruple",
    arena_low=(0.25, -0.35, 0.02),
    arena_high=(0.60, 0.35, 0.16),
    height=True,
    tolerance=0.015,
    objects=(1, 4),
    suite_objects=(1, 2, 3, 4),
    suites=Path(__file__).parent / "suites",
    styles={
        "random": "random arrangements instead of OGBench's five tasks, towers among them",
        TOWERS: "high towers, built and taken apart, in free play and as tasks",
    },
    model=Path(__file__).parent / "model",
    most_nodes=128,
)
