"""What travels between rooms: records, the protocols they meet, and the errors a user can cause.

Legend: N objects, K slots, T frames, B lanes, H height, W width, P mask cells,
D type channels, S state channels, M graph nodes.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

GoalKind = Literal["complete", "partial", "none"]
Split = Literal["dev", "test", "fresh"]
Preset = Literal["paper", "best"]  # the paper's settings, or every extension on
Observation = dict[str, NDArray[np.uint8]]
# What changes a terminal or the direction of text, and is seen nowhere.
UNSEEN = r"\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
LONGEST_LINE = 900  # letters of a refusal; of a longer one the middle is left out


def plain(text: str, keep: str = "") -> str:
    """Text that is safe on a terminal: control characters stand there as their codes."""
    return re.sub(
        f"[{UNSEEN}]",
        lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode(),
        text,
    )


class NcsError(Exception):
    """A mistake a user can mend: one line that names the culprit, the limit and the way out."""

    def __init__(self, reason: object = "") -> None:
        """Takes the line; what a file wrote into it can neither break it nor make it endless."""
        line = plain(str(reason))
        half = LONGEST_LINE // 2
        super().__init__(line if len(line) <= 2 * half else f"{line[:half]}...{line[-half:]}")


class ConfigError(NcsError):
    """A setting that is unknown, of the wrong type or out of range."""


class DataError(NcsError):
    """A file that is missing, damaged, foreign or in the way."""


@dataclass(frozen=True)
class Task:
    """A rearrangement problem, whole: enough to rebuild its start and its goal to the pixel."""

    world: str
    goal: GoalKind
    scene: Mapping[str, NDArray[Any]]  # world-specific arrays, the first axis is N
    minimum_moves: int  # fewest actions that satisfy every constraint

    @property
    def n_objects(self) -> int:
        """Objects in the scene, constrained or not."""
        return len(next(iter(self.scene.values())))


@dataclass(frozen=True)
class Truth:
    """Where everything really is: for scoring and diagnostics, never for a model."""

    position: NDArray[np.float32]  # (N, 3) metres
    colour: NDArray[np.float32]  # (N, 3) RGB in [0, 1]
    kind: NDArray[np.int32]  # (N,) which shape


@dataclass(frozen=True)
class Episode:
    """What happened to one task: the score after every step, and frames if they were asked for."""

    task: Task
    action: NDArray[np.float32]  # (T, 6)
    satisfied: NDArray[np.int32]  # (T + 1,) constraints that hold, the start first
    n_constraints: int
    seconds: float
    frame: NDArray[np.uint8] | None = None  # (T + 1, H, W, 3)
    truth: Sequence[Truth] = ()  # T + 1 of them when frames are kept


@dataclass(frozen=True)
class Clips:
    """A batch of experience: all a model may learn from."""

    frame: NDArray[np.uint8]  # (B, T, H, W, 3)
    action: NDArray[np.float32]  # (B, T - 1, 6): w then delta w, metres


@dataclass(frozen=True)
class Entities:
    """One scene, slot by slot."""

    kind: NDArray[np.float32]  # (K, D) what it is, the paper's z; an action never changes it
    state: NDArray[np.float32]  # (K, S) where it is, the paper's s; only the moved slot changes
    mask: NDArray[np.float32]  # (K, P) share of each cell of the image that the slot claims
    presence: NDArray[np.bool_]  # (K,) False for a slot that stands for nothing
    confidence: NDArray[np.float32] = field(  # (K,) how sure, in [0, 1]
        default_factory=lambda: np.zeros(0, np.float32)
    )


@dataclass(frozen=True, eq=False)
class Calibration:
    """What moves tell beyond the paper's graph: read by extensions of control, never by itself."""

    still: float  # a state that changed by no more than this has not moved
    gap: float  # entities are hardly ever nearer to each other than this
    error: float  # median miss of the regression, metres
    outliers: float  # share of moves whose action contradicts the slot that was isolated
    pick: NDArray[np.float32]  # (M, 3) where entities left a node, metres; NaN where none did
    place: NDArray[np.float32]  # (M, 3) where entities arrived at it, metres; NaN where none did
    world: NDArray[np.float64] | None  # (F, 3) regression from a state's features to metres
    offset: NDArray[np.float32]  # (M, 3) what that regression misses near each node
    rules: NDArray[np.float64] | None = None  # (R, 9) what keeps moves from working; None: nothing
    whiten: NDArray[np.float32] | None = None  # (D, D) of older files: part of their hash, unread

    @property
    def near(self) -> float:
        """How close two states are when they claim the same place.

        Half the gap that entities keep from each other: nearer than that, one is in the way.
        """
        return max(self.still, self.gap / 2)


@dataclass(frozen=True, eq=False)
class Graph:
    """States as nodes, actions on edges: the paper's factorised transition graph."""

    node: NDArray[np.float32]  # (M, S) centroids
    action: NDArray[np.float32]  # (M, M, 6) the action of edge [i, j]; NaN where there is none
    count: NDArray[np.int64]  # (M, M) transitions seen from node i to node j
    mask: NDArray[np.float32]  # (M, P) mean mask of the states in each node
    representation: str = "state"  # which field of Entities a node stands for: "alpha" is the mask
    isolate_metric: str = "euclidean"  # how a change of state is measured
    bind_metric: str = "euclidean"  # how the nearest node is found
    checkpoint: str = ""  # hash of the weights whose states these are; "" where there are none
    spread: NDArray[np.float32] | None = None
    # (M, M) how far the actions of an edge lie from its own, metres: 0 is a pure edge
    calibration: Calibration | None = None  # None for a graph that was made without moves


@dataclass(frozen=True)
class Checkpoint:
    """Short hashes of what a method reads; empty where it reads nothing of a kind."""

    weights: str = ""
    graph: str = ""
    sets: str = ""  # the scenes of the non-factorised rival

    def __str__(self) -> str:
        """All of them as one word."""
        return "+".join(part for part in (self.weights, self.graph, self.sets) if part) or "none"


@dataclass(frozen=True)
class Result:
    """One judged episode: a line of a results file."""

    method: str
    world: str
    goal: str
    objects: int
    seed: int
    episode: int
    split: str
    task: str  # hash of the task
    config: str  # hash of the method's and the judge's settings
    code: str  # package version
    minimum_moves: int
    steps: int
    unsatisfied: int  # constraints that did not hold at the start
    final: float  # fractional success at the end
    best: float  # the highest it ever was
    seconds: float
    cap_factor: int = 4  # steps allowed, times the fewest needed
    noise: float = 0.0  # spread of what was added to actions, as a share of the tolerance
    n_constrained: int = 2  # constraints of a partial goal
    label: str = ""  # what tables call the method
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)  # of the method
    weights: str = ""  # short hashes of what it reads, empty where there is nothing of the kind
    graph: str = ""
    sets: str = ""
    commit: str = ""  # of the package's checkout, or its version

    @functools.cached_property
    def checkpoint(self) -> str:
        """The hashes of weights, graph and sets as one word."""
        return str(Checkpoint(self.weights, self.graph, self.sets))

    @property
    def moves(self) -> float:
        """Steps taken, times the fewest needed."""
        return self.steps / max(1, self.minimum_moves)


@dataclass(frozen=True)
class EnvFacts:
    """What a policy may know of the worlds it is made for, before it sees a picture."""

    world: str
    n_objects: int
    lanes: int  # episodes played side by side
    low: NDArray[np.float64]  # (3,) low corner of where actions may reach, metres
    high: NDArray[np.float64]  # (3,)
    tolerance: float  # metres by which a pick or a place may miss
    model: Path | None = None  # the folder that was named with --model


class Env(Protocol):
    """A world as the rooms above see it: Gymnasium's interface and a door for judge and oracle."""

    action_space: Any
    n_objects: int
    tolerance: float  # metres by which a pick or a place may miss

    @property
    def setup(self) -> str:
        """A hash of what else a scene is made of, such as a mesh set; empty where nothing is."""
        ...

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode; ``options={"task": Task}`` sets which."""
        ...

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Moves at most one object."""
        ...

    def draw_task(self, rng: np.random.Generator) -> Task:
        """A task of this world's settings."""
        ...

    def truth(self) -> Truth:
        """Where everything really is."""
        ...

    def segment(self) -> NDArray[np.uint8]:
        """Which object each pixel shows, (H, W): 0 is background, i + 1 is object i."""
        ...

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """An exact pick of one object and a legal place drawn at random."""
        ...

    def oracle_action(self) -> NDArray[np.float32]:
        """The next action of a shortest solution, from the ground truth."""
        ...

    def close(self) -> None:
        """Frees the simulator."""
        ...


class Policy(Protocol):
    """Anything that can be judged. It plays several episodes side by side, one a lane."""

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Forgets the past and starts one episode per lane, each with its own random stream."""
        ...

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action (B, 6) for each of the given lanes; all it may see is the two pictures."""
        ...
