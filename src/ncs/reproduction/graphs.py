"""The graphs of a run: those of the two presets, and those of the ablations.

The model looks at the clips once for each number of slots; all graphs come from what it saw.

Legend: X states, P mask cells, M nodes.
"""

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ncs.registry import find_world, paper_worlds
from ncs.reproduction.artefacts import Run, keyed, make_once
from ncs.reproduction.scales import Scale
from ncs.storage import write_arrays, write_bytes

if TYPE_CHECKING:
    from ncs.agent import GraphBuilder, GraphPlan, Preset
    from ncs.agent.build_graph import BuiltGraph

PRESETS: "tuple[Preset, ...]" = ("best", "paper")
Plans = dict[str, "GraphPlan"]  # by name


def clips_of(scale: Scale, preset: str) -> int:
    """How many clips a preset's graph is built from."""
    return min(scale.paper_clips if preset == "paper" else scale.graph_clips, scale.clips)


def clip_counts(scale: Scale, preset: str) -> list[int]:
    """The numbers of clips that are compared, from few to a preset's own."""
    return [max(1, round(share * clips_of(scale, preset))) for share in scale.shares]


def graph_plans(scale: Scale, world: str, slots: Mapping[str, int]) -> Plans:
    """Every graph of a run, by name: the presets', then one for each value of an ablation.

    ``slots`` says with how many each preset looks at the buffer.
    """
    plans: Plans = {}
    for preset in PRESETS:
        plans |= preset_plans(scale, world, preset, slots[preset])
    if "representation" in scale.studies:
        plans |= representation_plans(scale, world, slots["paper"])
    return plans


def preset_plan(scale: Scale, world: str, preset: "Preset", slots: int) -> "GraphPlan":
    """A preset's own graph."""
    from ncs.agent import GraphPlan, graph_preset

    return GraphPlan(preset, graph_preset(preset, world), clips_of(scale, preset), slots)


def preset_plans(scale: Scale, world: str, preset: "Preset", slots: int) -> Plans:
    """A preset's graph and its variants."""
    own = preset_plan(scale, world, preset, slots)
    plans = {str(preset): own}
    if "clusters" in scale.studies:
        for count in scale.clusters:
            fixed = own.config.model_copy(update={"n_nodes": count, "nodes_from_data": False})
            plans[f"clusters-{preset}-{count}"] = replace(own, config=fixed)
    if "clips" in scale.studies:
        for part in clip_counts(scale, preset):
            plans[f"clips-{preset}-{part}"] = replace(own, clips=part)
    if "slots" in scale.studies:
        few = min(own.clips, scale.graph_clips)  # each number of slots is a look of its own
        for count in scale.slots:
            plans[f"slots-{preset}-{count}"] = replace(own, clips=few, slots=count)
    return plans


def representation_plans(scale: Scale, world: str, slots: int) -> Plans:
    """Masks against states as what is clustered: the paper's settings of each, in this world."""
    own = preset_plan(scale, world, "paper", slots)
    plans = {}
    for kind in ("alpha", "state"):
        published = (find_world(name).graph for name in paper_worlds())
        settings = next(graph for graph in published if graph["representation"] == kind)
        nodes = {"n_nodes": own.config.n_nodes}
        config = own.config.model_copy(update={**settings, **nodes})
        plans[f"representation-paper-{kind}"] = replace(own, config=config)
    return plans


class GraphFiles:
    """The graphs of one model and one buffer as files, each built once."""

    def __init__(self, model: Path, buffer: Path, run: Run) -> None:
        self._model, self._buffer, self._run = model, buffer, run
        self._folder = run.out / "graphs"

    @functools.cached_property
    def _builder(self) -> "GraphBuilder":
        from ncs.agent import GraphBuilder
        from ncs.data.buffer import open_buffer

        return GraphBuilder(self._model, open_buffer(self._buffer))

    @functools.cached_property
    def _facts(self) -> list[str]:
        from ncs.data.buffer import open_buffer
        from ncs.training.checkpoint import checkpoint_hash

        return [checkpoint_hash(self._model), open_buffer(self._buffer, verify=False).hash]

    def slots(self) -> dict[str, int]:
        """With how many slots each preset looks at the buffer."""
        return {preset: self._builder.plan(preset).slots for preset in PRESETS}

    def path(self, name: str, plan: "GraphPlan") -> Path:
        """Where a graph stands."""
        facts = [*self._facts, plan.config.model_dump(mode="json"), plan.clips, plan.slots]
        return self._folder / f"{keyed(name, *facts)}.safetensors"

    def make(self, plans: Plans) -> dict[str, Path]:
        """The graphs of plans by name; what is missing is built."""
        paths = {name: self.path(name, plan) for name, plan in plans.items()}
        wanted = [name for name, path in paths.items() if not path.exists()]
        if wanted:
            self._run.reporter.say(f"{self._folder}: building {len(wanted)} graphs")
        for name in sorted(wanted, key=lambda name: plans[name].slots):  # each is looked at once
            slots, path = plans[name].slots, paths[name]
            most = max(plan.clips for plan in plans.values() if plan.slots == slots)
            build = functools.partial(self._build, name, plans[name], most)
            make_once(path, path.exists, build, self._run.reporter)
        return paths

    def _build(self, name: str, plan: "GraphPlan", most_clips: int) -> None:
        """Builds a graph; those of a preset come with NF's sets and with states for a figure."""
        from ncs.agent.build_graph import save_built

        # Once for all graphs of so many slots.
        self._builder.look(plan.slots, most_clips, additions=plan.sight)
        built = self._builder.build(plan, with_sets=name in PRESETS)
        path = self.path(name, plan)
        if name in PRESETS:
            save_states(states_beside(path), built, self._run.scale.states)
        save_built(built, path, sets_beside(path))


def save_states(path: Path, built: "BuiltGraph", most: int) -> None:
    """Writes states that moved and their nodes, for the t-SNE."""
    from ncs.graph.isolate import isolate, join
    from ncs.graph.nearest import bind

    config = built.plan.config
    seen = [isolate(part, config.representation, config.isolate_metric) for part in built.seen]
    moves = join(seen)
    state_XS = np.concatenate([moves.before, moves.after])
    chosen_X = np.sort(np.random.default_rng(0).permutation(len(state_XS))[:most])
    state_XS = state_XS[chosen_X]
    node_X = bind(state_XS, built.graph.node, config.bind_metric)
    write_arrays(path, {"state": state_XS.astype(np.float32), "node": node_X.astype(np.int64)})


def sets_beside(path: Path) -> Path:
    """Where the sets of a preset's graph stand."""
    return path.with_name(f"sets-{path.name}")


def states_beside(path: Path) -> Path:
    """Where the states of a preset's graph stand."""
    return path.with_name(f"states-{path.name}")


def copy_graphs(graphs: Mapping[str, Path], model: Path) -> None:
    """Puts the presets' graphs and sets into the model's folder, where all commands find them."""
    from ncs.agent import graph_path
    from ncs.baselines.set_store import sets_path

    for preset in (name for name in PRESETS if name in graphs):
        pairs = [(sets_beside(graphs[preset]), sets_path(model, preset))]
        pairs.append((graphs[preset], graph_path(model, preset)))
        for source, target in pairs:
            content = source.read_bytes()
            if not target.exists() or target.read_bytes() != content:
                write_bytes(target, content)
