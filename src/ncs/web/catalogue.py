"""Takes folders, gives what is in them by name: models, their graphs, results and pictures.

A request names things and never gives paths, so there is no way out of these folders.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ncs.agent import GraphBuilder, Preset, Trained, graph_path
from ncs.agent.build_graph import save_built
from ncs.agent.familiar import load_familiar
from ncs.agent.presets import PRESETS
from ncs.analysis.points import CELLS
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.envs import make_env
from ncs.graph.store import load_graph
from ncs.records import ConfigError, DataError
from ncs.registry import facts_of, find_world, names
from ncs.training.checkpoint import has_checkpoint, read_manifest

PICTURES = {".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg"}
# What graphs with another number of nodes are built from, and slots examined on: enough to see
# sixteen places a dozen times, few enough to be watched while one waits.
CLIPS = 120
MOST_LOADED = 4  # kept in memory
BUFFER_SEED = 90_210  # not that of any buffer a model is trained on


@dataclass(frozen=True)
class Folders:
    """Where the viewer reads, and where it may write."""

    models: tuple[Path, ...]  # model folders
    results: Path | None
    figures: tuple[Path, ...]
    work: Path  # small buffers and graphs that the sliders ask for


def find_folders(models: Sequence[Path], results: Path | None, work: Path) -> Folders:
    """The folders of the clone one stands in, and those that are named; these must be of use."""
    for folder in models:
        if not has_graph(folder):
            raise DataError(
                f"{folder}: holds no trained model with a graph; make them with 'ncs train' and "
                "'ncs graph'"
            )
    if results is not None and not results.is_dir():
        raise DataError(f"{results}: there is no such folder of results")
    bases = (Path.cwd(), *Path(__file__).resolve().parents)
    home = next((base for base in bases if (base / "checkpoints").is_dir()), None)
    found = list(models)
    if home is not None:
        shipped = Path("checkpoints") if home == Path.cwd() else home / "checkpoints"
        found += [f for f in sorted(shipped.iterdir()) if has_checkpoint(f)]
        results = results or (home / "results" if (home / "results").is_dir() else None)
    usable = [folder for folder in found if has_graph(folder)]
    if not usable:
        raise DataError(
            "checkpoints: no trained model with a graph is here; run in a clone of the repository "
            "or name a model folder with --model"
        )
    figures = [home / "docs"] if home is not None else []
    figures += [results] if results is not None else []
    return Folders(tuple(dict.fromkeys(usable)), results, tuple(figures), work)


def has_graph(folder: Path) -> bool:
    """Whether a folder holds a trained model and a graph of it."""
    return has_checkpoint(folder) and any(graph_path(folder, p).exists() for p in PRESETS)


@dataclass
class Catalogue:
    """Models and graphs by name, loaded once; used by the thread that draws, but for building."""

    folders: Folders
    _loaded: dict[tuple[str, str], Trained] = field(default_factory=dict)
    _builders: dict[str, GraphBuilder] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._model_folders = {folder.resolve().name: folder for folder in self.folders.models}

    def folder(self, name: str) -> Path:
        """A model's folder, by its name."""
        if name not in self._model_folders:
            raise DataError(
                f"model: there is no {name!r}, choose from {', '.join(self._model_folders)}"
            )
        return self._model_folders[name]

    @functools.cached_property
    def models(self) -> list[dict[str, Any]]:
        """Every model as the page lists it."""
        found = [self._describe(name, folder) for name, folder in self._model_folders.items()]
        return sorted(found, key=first_to_show)

    def _describe(self, name: str, folder: Path) -> dict[str, Any]:
        try:
            manifest = read_manifest(folder)
        except DataError as error:  # one damaged model does not hide the others
            return {"name": name, "error": str(error)}
        world = str(manifest["buffer"]["world"])
        presets = [preset for preset in PRESETS if graph_path(folder, preset).exists()]
        return {
            "name": name,
            "world": world,
            "kind": manifest["config"]["model"],
            "most_objects": max_objects(world),
            "key_step": facts_of(world).key_step,
            "presets": presets,
            "shape": picture_shape(folder),
        }

    def load_first(self) -> None:
        """Loads the first model, so that the first click need not wait for it."""
        for model in self.models:
            if "error" not in model:
                self.trained(model["name"], model["presets"][0])
                return

    def trained(self, name: str, preset: Preset, nodes: int | None = None) -> Trained:
        """A model with its own graph, or with one of so many nodes."""
        if (name, preset) not in self._loaded:
            if len(self._loaded) >= MOST_LOADED:
                self._loaded.pop(next(iter(self._loaded)))
            self._loaded[name, preset] = Trained.load(self.folder(name), preset)
        trained = self._loaded[name, preset]
        if nodes is None:
            return trained
        graph = load_graph(self.graph_file(name, preset, nodes), trained.graph.checkpoint)
        return replace(trained, graph=graph)

    def graph_file(self, name: str, preset: Preset, nodes: int) -> Path:
        """Where a graph of so many nodes is kept, by the weights it belongs to."""
        weights = self.trained(name, preset).graph.checkpoint[:12]
        return self.folders.work / f"graph-{preset}-{nodes}-{weights}.safetensors"

    def builder(self, name: str, preset: Preset) -> GraphBuilder:
        """What builds graphs of a model and a small buffer, and keeps what it saw."""
        key = f"{name}-{preset}"
        if key not in self._builders:
            buffer = open_buffer(self.buffer(self.trained(name, preset).world))
            self._builders[key] = GraphBuilder(self.folder(name), buffer)
        return self._builders[key]

    def buffer(self, world: str) -> Path:
        """The folder of a small buffer of a world, collected if it is not there."""
        folder = self.buffer_folder(world)
        config = CollectConfig(world=world, episodes=CLIPS, seed=BUFFER_SEED)
        for _ in collect(make_env, config, folder):
            pass
        return folder

    def model_and_buffer(self, name: str) -> tuple[Path, Path]:
        """A model's folder and that of a small buffer of its world."""
        folder = self.folder(name)
        return folder, self.buffer(str(read_manifest(folder)["buffer"]["world"]))

    def buffer_folder(self, world: str) -> Path:
        """Where a small buffer of a world is kept."""
        return self.folders.work / f"buffer-{world}"

    def graph_commands(self, name: str, preset: Preset, nodes: int) -> list[str]:
        """The commands that make the graph of so many nodes."""
        world = self.trained(name, preset).world
        folder = self.buffer_folder(world)
        return [
            f"ncs collect {world} --out {folder} --episodes {CLIPS} --seed {BUFFER_SEED}",
            f"ncs graph --model {self.folder(name)} --buffer {folder} --preset {preset} "
            f"--nodes {nodes} --nodes-from-data False "
            f"--out {self.graph_file(name, preset, nodes)}",
        ]


def build_graph(builder: GraphBuilder, preset: Preset, nodes: int, path: Path) -> None:
    """Writes the graph of so many nodes, if it is not there; on the thread of slow jobs."""
    if not path.exists():
        plan = builder.plan(preset, clips=CLIPS, n_nodes=nodes, nodes_from_data=False)
        save_built(builder.build(plan), path)


def first_to_show(model: Mapping[str, Any]) -> tuple[bool, int, bool]:
    """Sorts models: by world as worlds are listed, those with every extension first."""
    if "error" in model:
        return True, 0, True
    listed = names("world")
    place = listed.index(model["world"]) if model["world"] in listed else len(listed)
    return False, place, "best" not in model["presets"]


def picture_shape(folder: Path) -> float:
    """Width over height of the pictures a model knows."""
    known = load_familiar(folder)
    return 1.0 if known is None else float(known.size[1] / known.size[0])


@functools.cache
def max_objects(world: str) -> int:
    """The most objects a world holds; 0 where the world or the package it needs is missing."""
    try:
        make_env(world)
        return find_world(world).objects[1]
    except ConfigError:
        return 0


def pictures(folders: Folders) -> dict[str, Path]:
    """Pictures of results by name; links that lead elsewhere are left out."""
    found: dict[str, Path] = {}
    for folder in folders.figures:
        root = folder.resolve()
        for path in sorted(folder.rglob("*")):
            inside = path.is_file() and path.resolve().is_relative_to(root)
            if inside and path.suffix.lower() in PICTURES:
                found.setdefault(str(path.relative_to(folder)).replace("/", "--"), path)
    return found


def result_files(folders: Folders) -> dict[str, Path]:
    """Result files by name; of an 'ncs reproduce' the file that holds its cells."""
    if folders.results is None:
        return {}
    found = [*folders.results.glob("*.jsonl"), *folders.results.glob("*.jsonl.gz")]
    runs = {path.parent.name: path for path in folders.results.glob(f"*/{CELLS}")}
    return dict(sorted(runs.items())) | {path.name: path for path in sorted(found)}
