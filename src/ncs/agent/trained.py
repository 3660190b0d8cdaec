"""What was trained: a model folder's weights, and the graph that belongs to them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ncs.agent.perceive import Eye
from ncs.agent.presets import Preset
from ncs.control.config import ControlConfig
from ncs.control.policy import GraphPolicy
from ncs.envs import arena_of
from ncs.graph.arena import Arena
from ncs.graph.store import graph_hash, load_graph
from ncs.model.contract import WorldModel, trained_slots
from ncs.records import DataError, Graph
from ncs.training.checkpoint import checkpoint_hash, has_checkpoint, load_model, read_manifest

PAPER_SPARE = 1  # slots beyond the number of objects, the paper's convention


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
    shelf = _shelf(name)
    if shelf is not None:
        return shelf / name
    raise DataError(
        f"checkpoints/{name}: is not here; run in a clone of the repository or name a model folder"
    )


def _shelf(name: str = "") -> Path | None:
    """The repository's folder of models, if it is near and has the one that is asked for."""
    bases = (Path.cwd(), *Path(__file__).resolve().parents)
    shelves = (base / "checkpoints" for base in bases)
    return next((shelf for shelf in shelves if (shelf / name).is_dir()), None)


def default_model(world: str) -> Path:
    """The folder of the model that is used in a world where none is named.

    Of those that come with the repository it is the first by name that was trained on the world
    and has a graph with every extension.
    """
    shelf = _shelf()
    folders = sorted(shelf.iterdir()) if shelf is not None else ()
    usable = (f for f in folders if has_checkpoint(f) and graph_path(f, "best").exists())
    for folder in usable:
        if read_manifest(folder)["buffer"]["world"] == world:
            return folder
    raise DataError(f"model: none comes with ncs for {world}; train one and name its folder")


def graph_path(folder: Path, preset: str) -> Path:
    """Where a model folder keeps the graph of a preset."""
    return folder / f"graph-{preset}.safetensors"


def graph_slots(model: WorldModel, n_objects: int, preset: Preset) -> int:
    """Slots with which clips of so many objects are looked at to build a preset's graph."""
    return n_objects + PAPER_SPARE if preset == "paper" else trained_slots(model.config)


def arena(world: str) -> Arena:
    """Where random actions may reach in a world."""
    low_3, high_3 = arena_of(world)
    return Arena(low_3[:2], high_3[:2], float(low_3[2] + high_3[2]) / 2)
