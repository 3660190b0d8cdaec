"""What was trained: a model folder's weights, and the graph that belongs to them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ncs.agent.perceive import Perception
from ncs.agent.policy import SeeingPolicy
from ncs.agent.presets import PRESETS, graph_preset
from ncs.control.config import ControlConfig
from ncs.control.policy import GraphPolicy
from ncs.envs import arena_of
from ncs.graph.arena import Arena
from ncs.graph.config import GraphConfig
from ncs.graph.store import graph_hash, load_config, load_graph
from ncs.model.contract import WorldModel
from ncs.records import Checkpoint, DataError, Graph, Preset
from ncs.registry import facts_of
from ncs.training.checkpoint import (
    check_world,
    checkpoint_hash,
    load_model,
    read_manifest,
    trained_worlds,
)


@dataclass(frozen=True)
class TrainedModel:
    """The world model of a folder."""

    world: str  # where it is used: one of those it was trained on
    model: WorldModel
    weights: str  # their hash
    objects: int | None  # in each scene of its training; None where nobody counted
    arena: Arena  # where actions may reach
    unit: str = "m"  # in which its user counts

    @classmethod
    def load(cls, folder: Path, world: str | None = None) -> Self:
        """Reads a folder made by 'ncs train'; refuses a world it has never seen."""
        if world is not None:
            check_world(folder, world)
        buffer = read_manifest(folder)["buffer"]
        place = world or trained_worlds(folder)[0]
        return cls(
            world=place,
            model=load_model(folder).eval(),
            weights=checkpoint_hash(folder),
            objects=buffer["objects"],
            arena=measured_arena(buffer["arena"]) if buffer.get("arena") else arena(place),
            unit=buffer.get("unit") or "m",
        )

    def slots_for(self, n_objects: int | None, preset: Preset = "best") -> int:
        """Slots of a picture: as many to spare as in training, or as the paper has."""
        return self.model.slots_for(n_objects, self.objects, like_paper=preset == "paper")

    def seeing(self, additions: Collection[str]) -> Self:
        """The same model with only those additions to the paper's way of inferring slots."""
        return replace(self, model=self.model.seeing(additions))


@dataclass(frozen=True)
class Trained:
    """A world model and a graph that belongs to its weights: all that control needs."""

    seen: TrainedModel
    graph: Graph

    @classmethod
    def load(
        cls,
        folder: Path,
        preset: Preset = "best",
        graph: Path | None = None,
        world: str | None = None,
    ) -> Self:
        """Reads a folder made by 'ncs train' and 'ncs graph'; refuses parts of different models."""
        path = graph or graph_path(folder, preset)
        read_manifest(folder)
        if not path.exists():
            raise DataError(f"{path}: there is no graph yet; make it with 'ncs graph'")
        loaded = load_graph(path, checkpoint_hash(folder))
        seen = TrainedModel.load(folder, world)
        if path == graph_path(folder, preset):
            _check_preset(path, preset, seen.world)
        return cls(seen, loaded)

    def seeing(self, additions: Collection[str]) -> Self:
        """The same with only those additions to the paper's way of inferring slots."""
        return replace(self, seen=self.seen.seeing(additions))

    @property
    def world(self) -> str:
        """The world it is used in."""
        return self.seen.world

    @property
    def model(self) -> WorldModel:
        """The world model."""
        return self.seen.model

    @property
    def checkpoint(self) -> Checkpoint:
        """Hashes of weights and graph."""
        return Checkpoint(self.seen.weights[:12], graph_hash(self.graph)[:8])

    def slots_for(self, n_objects: int | None, preset: Preset = "best") -> int:
        """Slots of a picture: as many to spare as in training, or as the paper has."""
        return self.seen.slots_for(n_objects, preset)

    def perception(self, n_slots: int) -> Perception:
        """The model as control sees through it."""
        return Perception(self.model, n_slots)

    def policy(self, config: ControlConfig, n_slots: int) -> SeeingPolicy[GraphPolicy]:
        """A player for the judge."""
        perception = self.perception(n_slots)
        acting = GraphPolicy(perception, self.graph, config, self.seen.arena)
        return SeeingPolicy(perception, acting)


def _check_preset(path: Path, preset: Preset, world: str) -> None:
    """Refuses a graph that stands in the place of another preset's, as after a mix-up of files."""
    own, *others = (_way(graph_preset(p, world)) for p in (preset, *PRESETS))
    built = _way(load_config(path))
    if built != own and built in others:
        raise DataError(f"{path}: is a graph of another preset than {preset!r}; build it again")


def _way(config: GraphConfig) -> dict[str, Any]:
    """How a graph was built, less what the data decides."""
    return config.model_dump(exclude={"n_nodes", "nodes_from_data", "max_states", "rules"})


def graph_path(folder: Path, preset: str) -> Path:
    """Where a model folder keeps the graph of a preset."""
    return folder / f"graph-{preset}.safetensors"


def measured_arena(corners: Mapping[str, Sequence[float]]) -> Arena:
    """Where the actions of a buffer of one's own reached."""
    return Arena(np.asarray(corners["low"], np.float64), np.asarray(corners["high"], np.float64))


def arena(world: str) -> Arena:
    """Where random actions may reach in a world."""
    low_3, high_3 = arena_of(world)
    if not facts_of(world).height:
        low_3[2] = high_3[2] = (low_3[2] + high_3[2]) / 2
    return Arena(low_3, high_3, facts_of(world).tolerance or 0.0)
