"""ncs graph: build the transition graph of a model and a buffer."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ncs.cli.command import Command

if TYPE_CHECKING:
    from ncs.graph.config import GraphConfig


BEST_CLIPS = 500


class Graph(Command):
    """Build the factorised transition graph (the paper's Algorithm 1).

    The model looks at clips of the buffer; which slot each action moved is isolated, its states
    are clustered into nodes, and edges are tagged with actions. The graph is written into the
    model's folder, where 'ncs solve' and 'ncs evaluate' find it.
    """

    model: Path = Field(description="a folder made by 'ncs train'")
    buffer: Path = Field(description="a folder made by 'ncs collect'")
    preset: Literal["paper", "best"] = Field(
        "best", description="the paper's settings, or every extension"
    )
    out: Path | None = Field(None, description="where to write it (default: the model's folder)")
    clips: int | None = Field(
        None,
        ge=1,
        description=f"clips of the buffer to look at (default: {BEST_CLIPS}, and all of them with "
        "the paper's preset, whose edges must have been seen)",
    )
    slots: int | None = Field(
        None, ge=1, description="slots (default: as in training; the paper has one to spare)"
    )
    nodes: int | None = Field(None, ge=1, description="number of nodes (default: the preset's)")
    edges: Literal["last", "mean", "median"] | None = Field(
        None, description="which action an edge keeps (default: the preset's)"
    )
    nodes_from_data: bool | None = Field(
        None, description="choose the number of nodes from the data (default: the preset's)"
    )
    seed: int = Field(0, ge=0, description="of the clustering")

    def run(self) -> None:
        """Builds, writes and reports."""
        import numpy as np

        from ncs.agent import graph_path, graph_slots, watch
        from ncs.baselines.nonfactorised import build_sets
        from ncs.baselines.set_store import save_sets, sets_path
        from ncs.cli.console import progress, report
        from ncs.data.buffer import open_buffer
        from ncs.graph.build import build
        from ncs.graph.store import save_graph
        from ncs.graph.summary import summarise
        from ncs.training.checkpoint import check_world, checkpoint_hash, load_model

        began = time.perf_counter()
        buffer = open_buffer(self.buffer)
        check_world(self.model, buffer.world)
        model = load_model(self.model).eval()
        config = self._config(buffer.world)
        most = self.clips or (len(buffer) if self.preset == "paper" else BEST_CLIPS)
        index_B = np.arange(min(most, len(buffer)))
        n_slots = self.slots or graph_slots(model, int(buffer.manifest["objects"]), self.preset)
        parts = []
        with progress("looking", len(index_B), "clips") as advance:
            for part in watch(model, buffer, index_B, n_slots, self.seed):
                parts.append(part)
                advance(sum(len(p.action) for p in parts))
        rng = np.random.default_rng(self.seed)
        graph = build(parts, config, rng, checkpoint_hash(self.model))
        path = self.out or graph_path(self.model, self.preset)
        save_graph(path, graph, config)
        if self.out is None:
            sets = build_sets(parts, graph, presence=self.preset == "best")
            save_sets(sets_path(self.model, self.preset), sets, graph.checkpoint)
        facts = {"out": str(path), "clips": len(index_B), **summarise(graph)}
        facts["seconds"] = round(time.perf_counter() - began, 1)
        line = (
            f"{path}: {facts['nodes']} nodes, {facts['edges']} edges from "
            f"{facts['transitions']} moves in {facts['seconds']} s"
        )
        report(line, facts, self.as_json)

    def _config(self, world: str) -> "GraphConfig":
        """The preset's settings, but for those that were named."""
        from ncs.agent import graph_preset
        from ncs.graph.config import GraphConfig

        named = {
            "n_nodes": self.nodes,
            "edges": self.edges,
            "nodes_from_data": self.nodes_from_data,
        }
        preset = graph_preset(self.preset, world).model_dump()
        return GraphConfig(**{**preset, **{k: v for k, v in named.items() if v is not None}})
