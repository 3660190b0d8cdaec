"""The graphs of a run: those of the two presets, and those of the ablations.

The model looks at the clips once for each number of slots; all graphs come from what it saw.

Legend: X states, P mask cells, M nodes.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ncs.registry import find_world, paper_worlds
from ncs.reproduction.artefacts import keyed, make_once, say
from ncs.reproduction.scales import Scale
from ncs.storage import write_arrays, write_bytes

if TYPE_CHECKING:
    from ncs.agent import Preset
    from ncs.graph.config import GraphConfig
    from ncs.graph.isolate import Experience

PRESETS: "tuple[Preset, ...]" = ("best", "paper")


@dataclass(frozen=True)
class GraphPlan:
    """One graph that is wanted."""

    name: str
    config: "GraphConfig"
    clips: int
    slots: int


def clips_of(scale: Scale, preset: str) -> int:
    """How many clips a preset's graph is built from."""
    return min(scale.paper_clips if preset == "paper" else scale.graph_clips, scale.clips)


def clip_counts(scale: Scale, preset: str) -> list[int]:
    """The numbers of clips that are compared, from few to a preset's own."""
    return [max(1, round(share * clips_of(scale, preset))) for share in scale.shares]


def graph_plans(scale: Scale, world: str, slots: Mapping[str, int]) -> list[GraphPlan]:
    """Every graph of a run, by name: the presets', then one for each value of an ablation.

    ``slots`` says with how many each preset looks at the buffer.
    """
    plans = []
    for preset in PRESETS:
        plans += preset_plans(scale, world, preset, slots[preset])
    if "representation" in scale.studies:
        plans += representation_plans(world, clips_of(scale, "paper"), slots["paper"])
    return plans


def preset_plans(scale: Scale, world: str, preset: str, slots: int) -> list[GraphPlan]:
    """A preset's graph and its variants."""
    from ncs.agent import graph_preset

    config, clips = graph_preset(preset, world), clips_of(scale, preset)  # type: ignore[arg-type]
    plans = [GraphPlan(preset, config, clips, slots)]
    if "clusters" in scale.studies:
        for count in scale.clusters:
            fixed = config.model_copy(update={"n_nodes": count, "nodes_from_data": False})
            plans.append(GraphPlan(f"clusters-{preset}-{count}", fixed, clips, slots))
    if "clips" in scale.studies:
        for part in clip_counts(scale, preset):
            plans.append(GraphPlan(f"clips-{preset}-{part}", config, part, slots))
    if "slots" in scale.studies:
        few = min(clips, scale.graph_clips)  # each number of slots is a look of its own
        for count in scale.slots:
            plans.append(GraphPlan(f"slots-{preset}-{count}", config, few, count))
    return plans


def representation_plans(world: str, clips: int, slots: int) -> list[GraphPlan]:
    """Masks against states as what is clustered: the paper's settings of each, in this world."""
    from ncs.graph.config import GraphConfig

    plans = []
    for kind in ("alpha", "state"):
        published = (find_world(name).graph for name in paper_worlds())
        settings = next(graph for graph in published if graph["representation"] == kind)
        own = {"n_nodes": GraphConfig.paper(world).n_nodes}
        config = GraphConfig.paper(world).model_copy(update={**settings, **own})
        plans.append(GraphPlan(f"representation-paper-{kind}", config, clips, slots))
    return plans


class GraphShop:
    """Builds the graphs of one model from one buffer, each once."""

    def __init__(self, model: Path, buffer: Path, folder: Path, states: int) -> None:
        from ncs.data.buffer import open_buffer
        from ncs.training.checkpoint import checkpoint_hash

        self._model, self._buffer, self._folder = model, buffer, folder
        self._states = states
        self._checkpoint = checkpoint_hash(model)
        self._facts = [self._checkpoint, open_buffer(buffer, verify=False).hash]
        self._seen: dict[int, list[Experience]] = {}

    def slots(self) -> dict[str, int]:
        """With how many slots each preset looks at the buffer."""
        from ncs.agent import graph_slots
        from ncs.data.buffer import open_buffer
        from ncs.training.checkpoint import load_model

        model = load_model(self._model)
        objects = int(open_buffer(self._buffer, verify=False).manifest["objects"])
        return {preset: graph_slots(model, objects, preset) for preset in PRESETS}

    def path(self, plan: GraphPlan) -> Path:
        """Where a graph stands."""
        facts = [*self._facts, plan.config.model_dump(mode="json"), plan.clips, plan.slots]
        return self._folder / f"{keyed(plan.name, *facts)}.safetensors"

    def make(self, plans: Sequence[GraphPlan]) -> dict[str, Path]:
        """The graphs of plans by name; what is missing is built."""
        wanted = [plan for plan in plans if not self.path(plan).exists()]
        if wanted:
            say(f"{self._folder}: building {len(wanted)} graphs")
        for plan in sorted(wanted, key=lambda p: p.slots):  # each number is looked at once
            clips = max(p.clips for p in plans if p.slots == plan.slots)
            path = self.path(plan)
            make_once(path, path.exists, functools.partial(self._build, plan, clips))
        self._seen.clear()
        return {plan.name: self.path(plan) for plan in plans}

    def _build(self, plan: GraphPlan, most_clips: int) -> None:
        """Builds a graph; those of a preset come with NF's sets and with states for a figure."""
        from ncs.baselines.nonfactorised import build_sets
        from ncs.baselines.set_store import save_sets
        from ncs.graph.build import build
        from ncs.graph.store import save_graph

        parts = first_clips(self._look(plan.slots, most_clips), plan.clips)
        graph = build(parts, plan.config, np.random.default_rng(0), self._checkpoint)
        path = self.path(plan)
        if plan.name in PRESETS:
            sets = build_sets(parts, graph, presence=plan.name == "best")
            save_sets(sets_beside(path), sets, self._checkpoint)
            save_states(states_beside(path), parts, plan.config, graph.node, self._states)
        save_graph(path, graph, plan.config)  # last: its presence says that all is there

    def _look(self, slots: int, clips: int) -> "list[Experience]":
        """What the model sees in the first clips; kept, as many graphs are built from it."""
        from ncs.agent import watch
        from ncs.data.buffer import open_buffer
        from ncs.training.checkpoint import load_model

        if slots not in self._seen:
            self._seen.clear()  # plans come sorted, so one is enough to keep
            index_B = np.arange(clips)
            model = load_model(self._model).eval()
            self._seen[slots] = list(watch(model, open_buffer(self._buffer), index_B, slots))
        return self._seen[slots]


def first_clips(parts: "Sequence[Experience]", clips: int) -> "list[Experience]":
    """The first clips of batches of clips."""
    from ncs.graph.isolate import Experience

    kept = []
    for part in parts:
        size = min(len(part.action), clips)
        if size > 0:
            arrays = {f.name: getattr(part, f.name)[:size] for f in fields(Experience)}
            kept.append(Experience(**arrays))
        clips -= size
    return kept


def save_states(
    path: Path, parts: "Sequence[Experience]", config: "GraphConfig", node_MS: np.ndarray, most: int
) -> None:
    """Writes states that moved and their nodes, for the t-SNE."""
    from ncs.graph.isolate import isolate, join
    from ncs.graph.nearest import bind

    moves = join([isolate(part, config.representation, config.isolate_metric) for part in parts])
    state_XS = np.concatenate([moves.before, moves.after])
    chosen_X = np.sort(np.random.default_rng(0).permutation(len(state_XS))[:most])
    state_XS = state_XS[chosen_X]
    node_X = bind(state_XS, node_MS, config.bind_metric)
    write_arrays(path, {"state": state_XS.astype(np.float32), "node": node_X.astype(np.int64)})


def sets_beside(path: Path) -> Path:
    """Where the sets of a preset's graph stand."""
    return path.with_name(f"sets-{path.name}")


def states_beside(path: Path) -> Path:
    """Where the states of a preset's graph stand."""
    return path.with_name(f"states-{path.name}")


def install(model: Path, graphs: dict[str, Path]) -> None:
    """Puts the presets' graphs and sets into the model's folder, where all commands find them."""
    from ncs.agent import graph_path
    from ncs.baselines.set_store import sets_path

    for preset in (name for name in PRESETS if name in graphs):
        pairs = [(graphs[preset], graph_path(model, preset))]
        pairs.append((sets_beside(graphs[preset]), sets_path(model, preset)))
        for source, target in pairs:
            content = source.read_bytes()
            if not target.exists() or target.read_bytes() != content:
                write_bytes(target, content)
