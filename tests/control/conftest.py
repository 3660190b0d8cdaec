"""A grid world without pixels: entities come from the ground truth, blurred where asked."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from ncs.control import ControlConfig, Problem, Steps, decide
from ncs.graph import Arena, Experience
from ncs.records import Calibration, Entities, Graph

SIDE, SPACING = 4, 0.2
N_CELLS = SIDE * SIDE
ARENA = Arena(low=np.array([-0.4, -0.4, 0.07]), high=np.array([0.4, 0.4, 0.07]))
CENTRE_C2 = np.stack(
    [(np.arange(N_CELLS) % SIDE - 1.5) * SPACING, (np.arange(N_CELLS) // SIDE - 1.5) * SPACING], 1
)

DRIFT_C3 = np.random.default_rng(5).normal(size=(N_CELLS, 3))


@dataclass(frozen=True)
class Eyes:
    """A stand-in for a model: state is the place in [-1, 1]^2, type the colour."""

    place_noise: float = 0.0
    type_noise: float = 0.0
    type_drift: float = 0.0  # how much a colour seems to change from place to place
    n_empty: int = 0  # surplus slots that stand for nothing
    background: bool = False  # a slot for the floor, as the paper's model has
    miss: float = 0.0  # probability of overlooking an object

    def see(self, cells, colours, rng: np.random.Generator) -> Entities:
        """The entities of a scene, in random slots; a cell below 0 is not in the picture."""
        shown = cells >= 0
        cells, colours = cells[shown], colours[shown]
        kept = rng.random(len(cells)) >= self.miss
        cells, colours = cells[kept], colours[kept]
        n = len(cells)
        kind = (
            colours + DRIFT_C3[cells] * self.type_drift + rng.normal(size=(n, 3)) * self.type_noise
        )
        state = CENTRE_C2[cells] / 0.4 + rng.normal(size=(n, 2)) * self.place_noise
        mask = np.full((n, N_CELLS), 0.02)
        mask[np.arange(n), cells] = 0.9
        if self.background:
            kind = np.concatenate([kind, np.full((1, 3), -1.0)])
            state = np.concatenate([state, np.zeros((1, 2))])
            mask = np.concatenate([mask, 1 - mask.sum(0, keepdims=True).clip(0, 0.98)])
        live = len(kind)
        kind = np.concatenate([kind, rng.random((self.n_empty, 3))])
        state = np.concatenate([state, rng.uniform(-1, 1, (self.n_empty, 2))])
        mask = np.concatenate([mask, np.full((self.n_empty, N_CELLS), 0.01)])
        order = rng.permutation(len(kind))
        return Entities(
            kind=kind[order].astype(np.float32),
            state=state[order].astype(np.float32),
            mask=mask[order].astype(np.float32),
            presence=(np.arange(len(kind)) < live)[order],
        )


@dataclass
class Grid:
    """Cells and colours with the dynamics of block-rearrange."""

    cells: np.ndarray
    goals: np.ndarray  # -1 where an object has no goal
    colours: np.ndarray

    @staticmethod
    def draw(n: int, goal: str, rng: np.random.Generator) -> "Grid":
        """A task: goals are free at the start as long as the grid has room for that."""
        start = rng.permutation(N_CELLS)[:n]
        if goal == "complete" and 2 * n > N_CELLS:
            end = rng.permutation(N_CELLS)[:n]
            while (end == start).any():
                end = rng.permutation(N_CELLS)[:n]
        else:
            end = np.full(n, -1)
            m = n if goal == "complete" else 2
            end[:m] = rng.permutation(np.setdiff1d(np.arange(N_CELLS), start))[:m]
        return Grid(start, end, rng.random((n, 3)))

    def step(self, action) -> None:
        picked, placed = nearest_cell(action[:2]), nearest_cell(action[:2] + action[3:5])
        if picked >= 0 and placed >= 0 and placed not in self.cells:
            self.cells = np.where(self.cells == picked, placed, self.cells)

    def unmet(self) -> int:
        return int(((self.goals >= 0) & (self.goals != self.cells)).sum())


def nearest_cell(xy) -> int:
    distance_C = np.abs(CENTRE_C2 - xy).max(1)
    return int(distance_C.argmin()) if distance_C.min() <= SPACING / 2 else -1


def move_action(cell: int, target: int) -> np.ndarray:
    here, there = CENTRE_C2[cell], CENTRE_C2[target]
    return np.array([*here, ARENA.height, *(there - here), 0.0], np.float32)


def collect(n_clips: int, eyes: Eyes, rng: np.random.Generator) -> Experience:
    """Clips of four objects, each moved once; slots keep their entity within a clip."""
    seen, actions = [], []
    steady = replace(eyes, miss=0.0)
    for _ in range(n_clips):
        cells, colours = rng.permutation(N_CELLS)[:4], rng.random((4, 3))
        order_seed = int(rng.integers(2**31))
        frames, clip_actions = [], []
        for t in range(5):
            frames.append(in_fixed_slots(steady, cells, colours, rng, order_seed))
            if t < 4:
                target = int(rng.choice(np.setdiff1d(np.arange(N_CELLS), cells)))
                clip_actions.append(move_action(cells[t], target))
                cells = np.where(np.arange(4) == t, target, cells)
        seen.append(frames)
        actions.append(clip_actions)

    def stack(name):
        return np.array([[getattr(frame, name) for frame in frames] for frames in seen])

    return Experience(
        kind=stack("kind"),
        state=stack("state"),
        mask=stack("mask"),
        presence=stack("presence"),
        action=np.array(actions, np.float32),
    )


def in_fixed_slots(eyes, cells, colours, rng, order_seed) -> Entities:
    """As ``see``, with the shuffle of slots replaced by one that depends on the clip alone."""

    class Fixed:
        random, normal, uniform = rng.random, rng.normal, rng.uniform

        @staticmethod
        def permutation(n):
            return np.random.default_rng(order_seed).permutation(n)

    return eyes.see(cells, colours, Fixed)


def play(grid: Grid, eyes: Eyes, graph, config: ControlConfig, rng, factor: int = 4):
    """Fractional success after at most ``factor`` times as many steps as are needed at least."""
    goal = eyes.see(grid.goals, grid.colours, rng)
    steps, unmet_at_start, decisions = config.steps(), grid.unmet(), []
    for _ in range(factor * unmet_at_start):
        now = eyes.see(grid.cells, grid.colours, rng)
        decisions.append(decide(Problem(now, goal, graph, ARENA, rng), steps))
        grid.step(decisions[-1].action)
        if grid.unmet() == 0:
            break
    return 1 - grid.unmet() / unmet_at_start, decisions


@dataclass(frozen=True)
class Simulator:
    """What the tests use of this file."""

    Eyes = Eyes
    Grid = Grid
    arena = ARENA
    centre = CENTRE_C2
    collect = staticmethod(collect)
    play = staticmethod(play)
    move_action = staticmethod(move_action)
    pose = staticmethod(lambda *arguments: pose(*arguments))
    answer = staticmethod(lambda *arguments: answer(*arguments))


@pytest.fixture(scope="session")
def sim() -> Simulator:
    return Simulator()


def hand_graph(**changes) -> Graph:
    """Four nodes at the corners of a square of side 2, seen edges 0 to 1 to 2 only.

    The world is the state divided by ten, at height 0.07.
    """
    node = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    world = np.concatenate([node / 10, np.full((4, 1), ARENA.height)], 1).astype(np.float32)
    action = np.full((4, 4, 6), np.nan, np.float32)
    count = np.zeros((4, 4), np.int64)
    for i, j in ((0, 1), (1, 2)):
        action[i, j] = [*world[i], *(world[j] - world[i])]
        count[i, j] = 3
    values = {"node": node, "action": action, "count": count, "mask": np.eye(4, dtype=np.float32)}
    known = Calibration(
        pick=world,
        place=world,
        world=np.array([[0, 0, ARENA.height], [0.1, 0, 0], [0, 0.1, 0]], np.float64),
        offset=np.zeros((4, 3), np.float32),
        still=0.1,
        gap=1.0,
        error=0.0,
        outliers=0.0,
    )
    for name in {field.name for field in fields(Calibration)} & set(changes):
        known = replace(known, **{name: changes.pop(name)})
    return Graph(**{**values, "calibration": known, **changes})


EMPTY = {
    "node": np.zeros((0, 2), np.float32),
    "action": np.zeros((0, 0, 6), np.float32),
    "count": np.zeros((0, 0), np.int64),
    "mask": np.zeros((0, 4), np.float32),
    **dict.fromkeys(("pick", "place", "offset"), np.zeros((0, 3), np.float32)),
    "world": None,
    "still": 0.0,
    "gap": 0.0,
}


def pose(graph: Graph, now: Entities, goal: Entities, seed: int = 0) -> Problem:
    """A problem with a fresh generator."""
    return Problem(now, goal, graph, ARENA, np.random.default_rng(seed))


def answer(graph: Graph, now: Entities, goal: Entities, config: ControlConfig | Steps):
    """The first decision of an episode."""
    return decide(pose(graph, now, goal), config if isinstance(config, Steps) else config.steps())


def entities(state, kind=None, presence=None) -> Entities:
    """Entities with given states; entity k has type k unless told otherwise."""
    state = np.asarray(state, np.float32).reshape(-1, 2)
    kind = np.arange(len(state)) if kind is None else kind
    kind = np.repeat(np.asarray(kind, np.float32)[:, None] * 10, 3, 1)
    presence = np.ones(len(state), bool) if presence is None else np.asarray(presence)
    return Entities(kind, state, np.zeros((len(state), 4), np.float32), presence)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def square():
    return hand_graph


@pytest.fixture(scope="session")
def empty():
    return hand_graph(**EMPTY)


@pytest.fixture(scope="session")
def scene():
    return entities
