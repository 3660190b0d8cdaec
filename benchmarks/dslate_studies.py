"""The paper's studies of its Appendix C on a dSLATE, its graph and control as printed.

    python benchmarks/dslate_studies.py checkpoints/robogym-cpu-0 BUFFER --out studies.jsonl

Four objects and complete goals, on development tasks: clusters, clips of the buffer, slots, masks
against states, horizon, noise and the choice of a constraint. One line of a table a value; values
that are the paper's own share the line "as printed". Rows that are there are not played again.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ncs.agent import GraphBuilder, GraphPlan
from ncs.agent.methods import MethodOptions, make_method
from ncs.agent.trained import graph_path
from ncs.data.buffer import open_buffer
from ncs.envs import make_env
from ncs.evaluation.harness import JudgeConfig, evaluate
from ncs.graph.build import build
from ncs.graph.store import save_graph
from ncs.reproduction.graphs import preset_plans, representation_plans
from ncs.reproduction.scales import STUDIES, Scale

SLOT_CLIPS = 1500  # that each number of slots looks at: every one is a look of its own
VALUES = {
    "clusters": (16, 25, 35, 50),
    "shares": (0.01, 0.05, 0.25),
    "slots": (3, 4, 5, 8, 10),
    "horizons": (1, 2, 8),
    "noises": (0.25, 0.5, 1.0, 2.0),
}
SCALE = Scale.named("paper").model_copy(update={"graph_clips": SLOT_CLIPS, **VALUES})


@dataclass(frozen=True)
class Line:
    """One value of a study: the graph it needs, and what is asked of method and judge."""

    label: str
    plan: GraphPlan | None = None  # None: the model's own graph
    asked: tuple[tuple[str, Any], ...] = ()  # of the method
    rules: tuple[tuple[str, Any], ...] = ()  # of the judge


def graph_lines(builder: GraphBuilder, world: str, studies: tuple[str, ...]) -> Iterator[Line]:
    """The studies that vary how the graph is built."""
    own = builder.plan("paper")
    scale = SCALE.model_copy(update={"studies": studies, "paper_clips": own.clips})
    plans = preset_plans(scale, world, "paper", own.slots)
    plans |= representation_plans(scale, world, own.slots) if "representation" in studies else {}
    for name, plan in sorted(plans.items(), key=lambda pair: pair[0].startswith("slots")):
        study, *rest = name.split("-")
        if study not in studies:
            continue
        asked = (("slots", plan.slots),) if study == "slots" else ()
        yield Line(f"{study} {rest[-1]}", replace(plan, only=own.only), asked)


def rule_lines(studies: tuple[str, ...]) -> Iterator[Line]:
    """The studies that vary how it is played."""
    if "horizon" in studies:
        yield from (Line(f"horizon {n}", rules=(("cap_factor", n),)) for n in SCALE.horizons)
    if "noise" in studies:
        yield from (Line(f"noise {n:g}", rules=(("noise", n),)) for n in SCALE.noises)
    if "choice" in studies:
        yield Line("choice argmax", asked=(("choice", "argmax"),))


def graph_of(line: Line, model: Path, builder: GraphBuilder, folder: Path) -> Path:
    """The file of a line's graph, built if it is missing."""
    if line.plan is None:
        return graph_path(model, "paper")
    path = folder / f"{line.label.replace(' ', '-')}-{builder.trained.weights[:8]}.safetensors"
    if not path.exists():
        seen = builder.look(line.plan.slots, line.plan.clips, additions=line.plan.sight)
        graph = build(seen, line.plan.config, np.random.default_rng(0), builder.trained.weights)
        save_graph(path, graph, line.plan.config)
    return path


def judge(line: Line, graph: Path, model: Path, world: str, options: argparse.Namespace) -> None:
    """Plays what is missing of a line."""
    asked = {"world": world, "model": model, "preset": "paper", "graph": graph, **dict(line.asked)}
    method = make_method("ncs", MethodOptions(**asked, label=line.label))
    counts = {"seeds": options.seeds, "episodes": options.episodes}
    rules = {"objects": (SCALE.study_objects,), "goals": ("complete",), **counts}
    config = JudgeConfig(world=world, split="dev", **rules, **dict(line.rules))
    *_, last = evaluate(make_env, method, config, options.out, workers=1, batch=options.episodes)
    print(f"{line.label}: {last.done} of {last.total}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="rows; graphs stand beside it")
    parser.add_argument("--studies", nargs="+", default=list(STUDIES), choices=list(STUDIES))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=25)
    options = parser.parse_args()
    torch.set_num_threads(1)
    builder = GraphBuilder(options.model, open_buffer(options.buffer))
    world, studies = builder.trained.world, tuple(options.studies)
    folder = options.out.with_suffix(".graphs")
    folder.mkdir(parents=True, exist_ok=True)
    lines = (Line("as printed"), *rule_lines(studies), *graph_lines(builder, world, studies))
    for line in lines:
        judge(line, graph_of(line, options.model, builder, folder), options.model, world, options)


if __name__ == "__main__":
    main()
