"""ncs graph: build the transition graph of a model and a buffer."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ncs.cli.command import Command, Model

if TYPE_CHECKING:
    from ncs.records import Graph as TransitionGraph


class Graph(Command):
    """Build the factorised transition graph (the paper's Algorithm 1).

    The model looks at clips of the buffer; which slot each action moved is isolated, its states
    are clustered into nodes, and edges are tagged with actions. The graph is written into the
    model's folder, where 'ncs solve' and 'ncs evaluate' find it.
    """

    model: Model = Field(description="a folder made by 'ncs train'")
    buffer: Path = Field(description="a folder made by 'ncs collect'")
    preset: Literal["paper", "best"] = Field(
        "best", description="the paper's settings, or every extension"
    )
    out: Path | None = Field(None, description="where to write it (default: the model's folder)")
    clips: int | None = Field(
        None,
        ge=1,
        description="clips of the buffer to look at (default: some hundred, and all of them with "
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
    only: tuple[Literal["starts"], ...] = Field(
        (), description="additions to how the model infers slots, with the paper's preset"
    )
    seed: int = Field(0, ge=0, description="of the clustering")
    rules: bool = Field(
        False, description="print what keeps moves from working, as learned from those that failed"
    )

    def run(self) -> None:
        """Builds, writes and reports."""
        from ncs.agent.build_graph import GraphBuilder, install, save_built
        from ncs.cli.console import progress, report
        from ncs.data.buffer import open_buffer
        from ncs.graph.summary import summarise

        began = time.perf_counter()
        builder = GraphBuilder(self.model, open_buffer(self.buffer), self.seed)
        plan = builder.plan(
            self.preset,
            self.clips,
            self.slots,
            self.only,
            n_nodes=self.nodes,
            edges=self.edges,
            nodes_from_data=self.nodes_from_data,
        )
        with progress("looking", plan.clips, "clips") as advance:
            built = builder.build(plan, with_sets=self.out is None, advance=advance)
        if self.out is None:
            path = install(built, self.model)
        else:
            path = self.out
            save_built(built, path)
        facts = {"out": str(path), "clips": plan.clips, **summarise(built.graph)}
        facts["seconds"] = round(time.perf_counter() - began, 1)
        line = (
            f"{path}: {facts['nodes']} nodes, {facts['edges']} edges from "
            f"{facts['transitions']} moves in {facts['seconds']} s"
        )
        if self.rules:
            facts["rules"] = told_rules(built.graph)
            line = "\n".join([line, *facts["rules"]])
        report(line, facts, self.as_json)


def told_rules(graph: "TransitionGraph") -> list[str]:
    """The rules of a graph, sentence by sentence."""
    from ncs.graph.rules import read_rules, say_rules

    known = graph.calibration
    if known is None or known.rules is None:
        return ["No move failed for a reason that could be found."]
    return say_rules(read_rules(known.rules))
