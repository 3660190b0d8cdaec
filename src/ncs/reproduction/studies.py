"""What is judged: Table 1, and each ablation as a function from a world's kit to requests."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from ncs.agent.methods import RIVALS, MethodName
from ncs.cli.evaluate import Evaluate
from ncs.evaluation.grid import Request
from ncs.evaluation.harness import JudgeConfig, Method
from ncs.reproduction.artefacts import Kit
from ncs.reproduction.graphs import PRESETS, clip_counts
from ncs.reproduction.scales import Scale

Study = Callable[[Scale, Kit], list[Request]]
Preset = Literal["best", "paper"]
LABELS = {"best": "ncs", "paper": "ncs, paper's way"}
GRAPHED = ("ncs", "nf")  # look through the world model and act by its graph
MODELLED = (*GRAPHED, "mpc")  # need a world model
SLOW = ("mpc",)  # roll a model out for every action
STRESSED = ("random", "nf", "mpc")  # the paper's rivals under stress


def methods_of(scale: Scale) -> list[str]:
    """The methods of a run, in the registry's order."""
    return [n for n in get_args(MethodName) if not scale.methods or n in scale.methods]


def method_of(
    name: str, kit: Kit, preset: str = "best", graph: Path | None = None, slots: int | None = None
) -> Method:
    """A method with the files it finds in a kit."""
    values: dict[str, object] = {"method": name, "world": kit.world, "out": Path("unused")}
    if name in MODELLED:
        values |= {"model": kit.model, "preset": preset, "graph": graph, "slots": slots}
    elif name in RIVALS:
        values |= {"model": kit.rivals[name]}
    return Evaluate(**values).resolve()


def planner_of(scale: Scale, kit: Kit) -> Method:
    """MPC, with as much search as the scale has."""
    method = method_of("mpc", kit)
    sizes = {"population": scale.population, "iterations": scale.iterations}
    changes = [(name, size) for name, size in sizes.items() if size is not None]
    return method.model_copy(update={"options": (*method.options, *changes)})


def lines_of(name: str, scale: Scale, kit: Kit) -> dict[str, Method]:
    """A method by its label; ours has two, with every extension and the paper's way.

    NF is the paper's, with the paper's graph. MPC leaves out slots that stand for nothing, which
    does it good.
    """
    if name == "ncs":
        return {LABELS[preset]: method_of(name, kit, preset) for preset in PRESETS}
    if name == "mpc":
        return {name: planner_of(scale, kit)}
    return {name: method_of(name, kit, "paper")}


def dslate_lines(name: str, scale: Scale, kit: Kit) -> dict[str, Method]:
    """Methods on the paper's own world model, where a kit has one; ours the paper's way."""
    if kit.dslate is None or name not in MODELLED:
        return {}
    own = replace(kit, model=kit.dslate)
    made = planner_of(scale, own) if name == "mpc" else method_of(name, own, "paper")
    return {f"{name}, dSLATE": made}


def table(scale: Scale, kit: Kit) -> list[Request]:
    """Table 1: every method on every cell; ours both with every extension and the paper's way."""
    requests = []
    for name in methods_of(scale):
        slow = name in SLOW
        sizes = {
            "seeds": scale.slow_seeds if slow else scale.seeds,
            "episodes": scale.slow_episodes if slow else scale.episodes,
        }
        fewer = scale.slowest_episodes if slow else scale.dslate_episodes
        for lines, changes in (
            (lines_of(name, scale, kit), sizes),
            (dslate_lines(name, scale, kit), {**sizes, "episodes": fewer}),
        ):
            rules = JudgeConfig(
                world=kit.world, objects=scale.objects, split=scale.split, **changes
            )
            for label, method in lines.items():
                requests.append(Request(study="table", label=label, method=method, rules=rules))
    return requests


def study_rules(scale: Scale, world: str, name: str = "ncs", **changes: float) -> JudgeConfig:
    """The rules of an ablation: four objects and complete goals, as in Appendix C."""
    slow = name in SLOW
    return JudgeConfig(
        world=world,
        objects=(scale.study_objects,),
        goals=("complete",),
        seeds=min(scale.slow_seeds, scale.study_seeds) if slow else scale.study_seeds,
        episodes=min(scale.slow_episodes, scale.study_episodes) if slow else scale.study_episodes,
        split=scale.study_split,
        **changes,
    )


def _of_graphs(
    study: str, values: Callable[[str], Sequence[int]], scale: Scale, kit: Kit
) -> list[Request]:
    """Ours with graphs that were built in different ways, with the values of each preset."""
    requests = []
    for preset in PRESETS:
        for value in values(preset):
            graph = kit.graphs[f"{study}-{preset}-{value}"]
            slots = value if study == "slots" else None
            requests.append(
                Request(
                    study=study,
                    label=LABELS[preset],
                    value=str(value),
                    method=method_of("ncs", kit, preset, graph, slots),
                    rules=study_rules(scale, kit.world),
                )
            )
    return requests


def clusters(scale: Scale, kit: Kit) -> list[Request]:
    """The number of clusters."""
    return _of_graphs("clusters", lambda _: scale.clusters, scale, kit)


def clips(scale: Scale, kit: Kit) -> list[Request]:
    """How many clips of the buffer the graph is built from."""
    return _of_graphs("clips", functools.partial(clip_counts, scale), scale, kit)


def slots(scale: Scale, kit: Kit) -> list[Request]:
    """The number of slots, both where the graph is built and where it is used."""
    return _of_graphs("slots", lambda _: scale.slots, scale, kit)


def _stress(
    study: str, rule: str, values: Sequence[float], scale: Scale, kit: Kit
) -> list[Request]:
    """Ours and the paper's rivals under rules that get harder."""
    requests = []
    present = [name for name in methods_of(scale) if name == "ncs" or name in STRESSED]
    for name in present:
        for label, method in lines_of(name, scale, kit).items():
            for value in values:
                rules = study_rules(scale, kit.world, name, **{rule: value})
                line = {"study": study, "label": label, "value": f"{value:g}"}
                requests.append(Request(**line, method=method, rules=rules))
    return requests


def horizon(scale: Scale, kit: Kit) -> list[Request]:
    """Steps allowed, as a multiple of the fewest needed."""
    return _stress("horizon", "cap_factor", scale.horizons, scale, kit)


def noise(scale: Scale, kit: Kit) -> list[Request]:
    """Gaussian noise on every action."""
    return _stress("noise", "noise", scale.noises, scale, kit)


def choice(scale: Scale, kit: Kit) -> list[Request]:
    """Which constraint is served next: sampled, as in the paper, or the one that is worst off."""
    requests = []
    for preset in PRESETS:
        for value in ("sample", "argmax"):
            method = method_of("ncs", kit, preset)
            options = (*method.options, ("choice", value))
            requests.append(
                Request(
                    study="choice",
                    label=LABELS[preset],
                    value=value,
                    method=method.model_copy(update={"options": options}),
                    rules=study_rules(scale, kit.world),
                )
            )
    return requests


def representation(scale: Scale, kit: Kit) -> list[Request]:
    """What is clustered: masks (alpha) or states (lambda s), with the paper's graph and control."""
    return [
        Request(
            study="representation",
            label=LABELS["paper"],
            value=kind,
            method=method_of("ncs", kit, "paper", kit.graphs[f"representation-paper-{kind}"]),
            rules=study_rules(scale, kit.world),
        )
        for kind in ("alpha", "state")
    ]


ABLATIONS: dict[str, Study] = {
    "clusters": clusters,
    "clips": clips,
    "slots": slots,
    "horizon": horizon,
    "noise": noise,
    "choice": choice,
    "representation": representation,
}
OF_ANY_METHOD = ("horizon", "noise")  # the others vary our own method


def requests_of(scale: Scale, kits: Sequence[Kit]) -> list[Request]:
    """All that is judged, Table 1 first."""
    found = [request for kit in kits for request in table(scale, kit)]
    for name in scale.studies:
        if name in OF_ANY_METHOD or "ncs" in methods_of(scale):
            found += [request for kit in kits for request in ABLATIONS[name](scale, kit)]
    return found
