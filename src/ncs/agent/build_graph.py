"""The graph of a model and a buffer: the one place where it is put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ncs.agent.familiar import Familiar, get_to_know, save_familiar
from ncs.agent.perceive import see_clips
from ncs.agent.presets import SIGHT, graph_preset, sight
from ncs.agent.trained import TrainedModel, graph_path
from ncs.baselines.nonfactorised import SetGraph, build_sets
from ncs.baselines.set_store import save_sets, sets_path
from ncs.data.buffer import Buffer
from ncs.graph.build import build
from ncs.graph.config import GraphConfig
from ncs.graph.isolate import Experience
from ncs.graph.store import save_graph
from ncs.records import Graph, Preset

BEST_CLIPS = 500  # enough where edges are composed; the paper's must have been seen


@dataclass(frozen=True)
class GraphPlan:
    """A graph that is wanted: its settings, and how it is looked at what it is built from."""

    preset: Preset
    config: GraphConfig
    clips: int
    slots: int
    only: tuple[str, ...] = ()  # additions that the paper's preset would go without

    @property
    def sight(self) -> tuple[str, ...]:
        """The additions with which the model infers slots."""
        return sight(self.preset, only=self.only)


@dataclass(frozen=True)
class BuiltGraph:
    """A graph, what it was built from, and NF's scenes where they were asked for."""

    graph: Graph
    plan: GraphPlan
    seen: Sequence[Experience]
    familiar: Familiar  # what the buffer's pictures look like
    sets: SetGraph | None = None


class GraphBuilder:
    """Builds graphs of one model from one buffer.

    Looking at the clips takes the time, so what was seen with one number of slots is kept.
    """

    def __init__(self, folder: Path, buffer: Buffer, seed: int = 0) -> None:
        """Joins a model and a buffer of a world it knows.

        Args:
            folder: Made by 'ncs train'.
            buffer: Clips of one of the model's worlds.
            seed: Of looking and clustering.
        """
        self.trained = TrainedModel.load(folder, buffer.world)
        self._buffer, self._seed = buffer, seed
        self._seen: list[Experience] = []
        self._looked: tuple[int, tuple[str, ...], int] = (0, (), 0)  # slots, additions and clips

    def plan(
        self,
        preset: Preset,
        clips: int | None = None,
        slots: int | None = None,
        only: Sequence[str] = (),
        **changes: Any,
    ) -> GraphPlan:
        """A preset's graph, but for what is named; ``only``: additions the paper's goes without."""
        usual = graph_preset(preset, self._buffer.world).model_dump()
        named = {name: value for name, value in changes.items() if value is not None}
        all_clips = len(self._buffer)
        most = clips or (all_clips if preset == "paper" else BEST_CLIPS)
        objects: int | None = self._buffer.manifest["objects"]
        return GraphPlan(
            preset=preset,
            config=GraphConfig(**{**usual, **named}),
            clips=min(most, all_clips),
            slots=slots or self.trained.slots_for(objects, preset),
            only=tuple(only),
        )

    def look(
        self,
        slots: int,
        clips: int,
        advance: Callable[[int], None] | None = None,
        additions: tuple[str, ...] = SIGHT,
    ) -> list[Experience]:
        """The first clips as the model sees them; ``advance`` is told how many are done."""
        if self._looked[:2] != (slots, additions) or self._looked[2] < clips:
            index_B = np.arange(clips)
            self._seen, done = [], 0
            model = self.trained.model.seeing(additions)
            for part in see_clips(model, self._buffer, index_B, slots, self._seed):
                self._seen.append(part)
                done += len(part.action)
                if advance is not None:
                    advance(done)
            self._looked = (slots, additions, clips)
        return first_clips(self._seen, clips)

    def build(
        self,
        plan: GraphPlan,
        with_sets: bool = False,
        advance: Callable[[int], None] | None = None,
    ) -> BuiltGraph:
        """The graph of a plan, and NF's scenes that go with it if they are asked for."""
        seen = self.look(plan.slots, plan.clips, advance, plan.sight)
        rng = np.random.default_rng(self._seed)
        graph = build(seen, plan.config, rng, self.trained.weights)
        presence = plan.preset == "best"
        sets = build_sets(seen, graph, presence=presence) if with_sets else None
        return BuiltGraph(graph, plan, seen, get_to_know(self._buffer), sets)


def save_built(built: BuiltGraph, path: Path, sets: Path | None = None) -> None:
    """Writes a graph, and before it the scenes: where the graph is, all is there."""
    if built.sets is not None and sets is not None:
        save_sets(sets, built.sets, built.graph.checkpoint)
    save_graph(path, built.graph, built.plan.config)


def install(built: BuiltGraph, folder: Path) -> Path:
    """Writes a preset's graph and scenes into the model's folder; the graph's path comes back."""
    path = graph_path(folder, built.plan.preset)
    save_familiar(folder, built.familiar)
    save_built(built, path, sets_path(folder, built.plan.preset))
    return path


def first_clips(parts: Sequence[Experience], clips: int) -> list[Experience]:
    """The first clips of batches of clips."""
    kept = []
    for part in parts:
        size = min(len(part.action), clips)
        if size > 0:
            arrays = {f.name: getattr(part, f.name)[:size] for f in fields(Experience)}
            kept.append(Experience(**arrays))
        clips -= size
    return kept
