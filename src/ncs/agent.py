"""The agent, whole: a trained model, its graph and control, for library users and commands.

Legend: B lanes or pictures, T frames, H height, W width, C channels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.control.config import ControlConfig
from ncs.control.decision import Decision
from ncs.control.policy import GraphPolicy
from ncs.data.buffer import Buffer
from ncs.envs.arenas import arena_of
from ncs.graph.arena import Arena
from ncs.graph.build import GraphConfig
from ncs.graph.isolate import Experience
from ncs.graph.store import load_graph
from ncs.model.checkpoint import checkpoint_hash, load_model, read_manifest
from ncs.model.run import trained_slots
from ncs.model.world import Slots, WorldModel
from ncs.records import DataError, Entities, Graph
from ncs.storage import digest_content

Preset = Literal["paper", "best"]
FOLLOW_BATCH = 20
PAPER_SPARE = 1  # slots beyond the number of objects, the paper's convention


class Eye:
    """Turns pictures into entities; graph and control see through it and know no network."""

    def __init__(self, model: WorldModel, n_slots: int, seed: int = 0) -> None:
        self._model = model
        self._n_slots = n_slots
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, image_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[Entities]:
        """The entities of each picture."""
        with torch.no_grad():
            frame = torch.from_numpy(np.ascontiguousarray(image_BHWC))
            slots = self._model.encode(frame, self._n_slots, self._generator)
        arrays = as_arrays(slots)
        return [
            Entities(**{name: array[row] for name, array in arrays.items()})
            for row in range(len(image_BHWC))
        ]


def as_arrays(slots: Slots) -> dict[str, NDArray[np.float32]]:
    """A record of slots as arrays, by name."""
    names = ("kind", "state", "mask", "presence", "confidence")
    return {name: getattr(slots, name).detach().cpu().numpy() for name in names}


def watch(
    model: WorldModel, buffer: Buffer, index_B: NDArray[np.int64], n_slots: int, seed: int = 0
) -> Iterator[Experience]:
    """Clips of a buffer as the graph sees them, a batch at a time."""
    generator = torch.Generator().manual_seed(seed)
    for first in range(0, len(index_B), FOLLOW_BATCH):
        clips = buffer.clips(index_B[first : first + FOLLOW_BATCH])
        with torch.no_grad():
            slots = model.follow(
                torch.from_numpy(clips.frame), torch.from_numpy(clips.action), n_slots, generator
            )
        arrays = as_arrays(slots)
        arrays.pop("confidence")
        yield Experience(**arrays, action=clips.action)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Mind:
    """What a model folder holds: weights, and a graph that belongs to them."""

    world: str
    model: WorldModel
    graph: Graph
    checkpoint: str  # hash of weights and graph together
    spare: int  # slots beyond the number of objects in training

    @classmethod
    def load(cls, folder: Path, preset: Preset = "best", graph: Path | None = None) -> Self:
        """Reads a folder made by 'ncs train' and 'ncs graph'; refuses parts of different models."""
        path = graph or graph_path(folder, preset)
        manifest = read_manifest(folder)
        if not path.exists():
            raise DataError(f"{path}: there is no graph yet; make it with 'ncs graph'")
        weights = checkpoint_hash(folder)
        loaded = load_graph(path, weights)
        model = load_model(folder)
        trained_on = manifest["buffer"]
        spare = trained_slots(model.config) - int(trained_on["objects"])
        name = f"{weights[:12]}+{graph_hash(loaded)[:8]}"
        return cls(trained_on["world"], model.eval(), loaded, name, spare)

    def slots_for(self, n_objects: int, preset: Preset = "best") -> int:
        """Slots of a picture: as many to spare as in training, or as the paper has."""
        return n_objects + (PAPER_SPARE if preset == "paper" else self.spare)

    def policy(self, config: ControlConfig, n_slots: int, seed: int = 0) -> GraphPolicy:
        """A player for the judge."""
        return GraphPolicy(Eye(self.model, n_slots, seed), self.graph, config, arena(self.world))


def shipped_model(name: str) -> Path:
    """The folder of a model that comes with the repository."""
    for base in (Path.cwd(), *Path(__file__).resolve().parents):
        if (folder := base / "checkpoints" / name).is_dir():
            return folder
    raise DataError(
        f"checkpoints/{name}: is not here; run in a clone of the repository or name a model folder"
    )


def graph_path(folder: Path, preset: str) -> Path:
    """Where a model folder keeps the graph of a preset."""
    return folder / f"graph-{preset}.safetensors"


def graph_slots(model: WorldModel, n_objects: int, preset: Preset) -> int:
    """Slots with which clips of so many objects are looked at to build a preset's graph."""
    return n_objects + PAPER_SPARE if preset == "paper" else trained_slots(model.config)


def graph_hash(graph: Graph) -> str:
    """A hash of a graph's arrays."""
    values = {field.name: getattr(graph, field.name) for field in fields(Graph)}
    return digest_content({n: v for n, v in values.items() if isinstance(v, np.ndarray)})


def arena(world: str) -> Arena:
    """Where random actions may reach in a world."""
    low_3, high_3 = arena_of(world)
    return Arena(low_3[:2], high_3[:2], float(low_3[2] + high_3[2]) / 2)


class Agent:
    """One episode's player: show it two pictures, get an action and the reason for it."""

    def __init__(self, policy: GraphPolicy, seed: int = 0) -> None:
        self._policy = policy
        self.begin(seed)

    @classmethod
    def load(
        cls, folder: Path | str, preset: Preset = "best", n_slots: int = 16, seed: int = 0
    ) -> Self:
        """The agent of a model folder.

        Args:
            folder: made by 'ncs train' and 'ncs graph', such as one under ``checkpoints/``.
            preset: ``"best"`` with every extension, or ``"paper"``.
            n_slots: at least as many as there may be objects; surplus ones do no harm.
            seed: of its random choices.
        """
        mind = Mind.load(Path(folder), preset)
        return cls(mind.policy(control_preset(preset), n_slots, seed), seed)

    def begin(self, seed: int = 0) -> None:
        """Forgets the episode so far."""
        self._policy.begin([(seed,)])

    def act(self, image: NDArray[np.uint8], goal: NDArray[np.uint8]) -> Decision:
        """What to do now, and why: ``decision.action`` (6,) and ``decision.reason``."""
        self._policy.act(image[None], goal[None], [0])
        return self._policy.decisions[0]


def control_preset(preset: Preset) -> ControlConfig:
    """The control settings of a preset."""
    return ControlConfig.paper() if preset == "paper" else ControlConfig.best()


def graph_preset(preset: Preset, world: str) -> GraphConfig:
    """The graph settings of a preset."""
    return GraphConfig.paper(world) if preset == "paper" else GraphConfig.best(world)
