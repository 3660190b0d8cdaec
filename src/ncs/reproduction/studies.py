"""What is judged: Table 1, and each ablation as a function from a world's artefacts to requests."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from ncs.agent.methods import METHODS, make_method
from ncs.agent.options import RIVALS, MethodOptions
from ncs.evaluation.grid import Request
from ncs.evaluation.harness import JudgeConfig
from ncs.evaluation.method import Method
from ncs.evaluation.suite import has_suite
from ncs.records import Split
from ncs.registry import find_world
from ncs.reproduction.artefacts import Artefacts
from ncs.reproduction.graphs import PRESETS, clip_counts
from ncs.reproduction.scales import Scale

Study = Callable[[Scale, Artefacts], list[Request]]
Preset = Literal["best", "paper"]
LABELS = {"best": "ncs", "paper": "ncs, paper's way"}
GRAPHED = ("ncs", "nf")  # look through the world model and act by its graph
MODELLED = (*GRAPHED, "mpc")  # need a world model
SLOW = ("mpc",)  # roll a model out for every action
STRESSED = ("random", "nf", "mpc")  # the paper's rivals under stress


def methods_of(scale: Scale) -> list[str]:
    """The methods of a run, in the registry's order."""
    return [n for n in METHODS if not scale.methods or n in scale.methods]


def method_of(name: str, artefacts: Artefacts, **asked: Any) -> Method:
    """A method with the files it finds among the artefacts, and what else is asked of it."""
    if name in MODELLED:
        asked["model"] = artefacts.model
    elif name in RIVALS:
        asked = {"model": artefacts.rivals[name]}
    else:
        asked = {}
    return make_method(name, MethodOptions(world=artefacts.world, **asked))


def planner_of(scale: Scale, artefacts: Artefacts) -> Method:
    """MPC, with as much search as the scale has."""
    sizes = {"population": scale.population, "iterations": scale.iterations}
    named = {name: size for name, size in sizes.items() if size is not None}
    return method_of("mpc", artefacts, settings=named)


def lines_of(name: str, scale: Scale, artefacts: Artefacts) -> dict[str, Method]:
    """A method by its label; ours has two, with every extension and the paper's way.

    NF is the paper's, with the paper's graph. MPC leaves out slots that stand for nothing, which
    does it good.
    """
    if name == "ncs":
        return {LABELS[preset]: method_of(name, artefacts, preset=preset) for preset in PRESETS}
    if name == "mpc":
        return {name: planner_of(scale, artefacts)}
    return {name: method_of(name, artefacts, preset="paper")}


def dslate_lines(name: str, scale: Scale, artefacts: Artefacts) -> dict[str, Method]:
    """Methods on the paper's own world model, where a artefacts has one; ours the paper's way."""
    if artefacts.dslate is None or name not in MODELLED:
        return {}
    own = replace(artefacts, model=artefacts.dslate)
    made = planner_of(scale, own) if name == "mpc" else method_of(name, own, preset="paper")
    return {f"{name}, dSLATE": made}


def table(scale: Scale, artefacts: Artefacts) -> list[Request]:
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
            (lines_of(name, scale, artefacts), sizes),
            (dslate_lines(name, scale, artefacts), {**sizes, "episodes": fewer}),
        ):
            rules = JudgeConfig(
                world=artefacts.world,
                objects=counts_in(artefacts.world, scale.objects),
                split=split_in(artefacts.world, scale.split),
                **changes,
            )
            for label, method in lines.items():
                requests.append(Request(study="table", label=label, method=method, rules=rules))
    return requests


def counts_in(world: str, wanted: Sequence[int]) -> tuple[int, ...]:
    """Those of some numbers of objects that a world has, or the nearest to the first."""
    low, high = find_world(world).objects
    return tuple(n for n in wanted if low <= n <= high) or (min(max(wanted[0], low), high),)


def split_in(world: str, wanted: Split) -> Split:
    """The tasks that are judged: fresh ones in a world of which none are frozen."""
    return wanted if has_suite(world, wanted) else "fresh"


def study_rules(scale: Scale, world: str, name: str = "ncs", **changes: float) -> JudgeConfig:
    """The rules of an ablation: four objects and complete goals, as in Appendix C."""
    slow = name in SLOW
    return JudgeConfig(
        world=world,
        objects=counts_in(world, (scale.study_objects,)),
        goals=("complete",),
        seeds=min(scale.slow_seeds, scale.study_seeds) if slow else scale.study_seeds,
        episodes=min(scale.slow_episodes, scale.study_episodes) if slow else scale.study_episodes,
        split=split_in(world, scale.study_split),
        **changes,
    )


def _of_graphs(
    study: str, values: Callable[[str], Sequence[int]], scale: Scale, artefacts: Artefacts
) -> list[Request]:
    """Ours with graphs that were built in different ways, with the values of each preset."""
    requests = []
    for preset in PRESETS:
        for value in values(preset):
            graph = artefacts.graphs[f"{study}-{preset}-{value}"]
            slots = value if study == "slots" else None
            requests.append(
                Request(
                    study=study,
                    label=LABELS[preset],
                    value=str(value),
                    method=method_of("ncs", artefacts, preset=preset, graph=graph, slots=slots),
                    rules=study_rules(scale, artefacts.world),
                )
            )
    return requests


def clusters(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """The number of clusters."""
    return _of_graphs("clusters", lambda _: scale.clusters, scale, artefacts)


def clips(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """How many clips of the buffer the graph is built from."""
    return _of_graphs("clips", functools.partial(clip_counts, scale), scale, artefacts)


def slots(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """The number of slots, both where the graph is built and where it is used."""
    return _of_graphs("slots", lambda _: scale.slots, scale, artefacts)


def _stress(
    study: str, rule: str, values: Sequence[float], scale: Scale, artefacts: Artefacts
) -> list[Request]:
    """Ours and the paper's rivals under rules that get harder."""
    requests = []
    present = [name for name in methods_of(scale) if name == "ncs" or name in STRESSED]
    for name in present:
        for label, method in lines_of(name, scale, artefacts).items():
            for value in values:
                rules = study_rules(scale, artefacts.world, name, **{rule: value})
                line = {"study": study, "label": label, "value": f"{value:g}"}
                requests.append(Request(**line, method=method, rules=rules))
    return requests


def horizon(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """Steps allowed, as a multiple of the fewest needed."""
    return _stress("horizon", "cap_factor", scale.horizons, scale, artefacts)


def noise(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """Gaussian noise on every action."""
    return _stress("noise", "noise", scale.noises, scale, artefacts)


def choice(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """Which constraint is served next: sampled, as in the paper, or the one that is worst off."""
    requests = []
    for preset in PRESETS:
        for value in ("sample", "argmax"):
            method = method_of("ncs", artefacts, preset=preset, choice=value)
            requests.append(
                Request(
                    study="choice",
                    label=LABELS[preset],
                    value=value,
                    method=method,
                    rules=study_rules(scale, artefacts.world),
                )
            )
    return requests


def representation(scale: Scale, artefacts: Artefacts) -> list[Request]:
    """What is clustered: masks (alpha) or states (lambda s), with the paper's graph and control."""
    return [
        Request(
            study="representation",
            label=LABELS["paper"],
            value=kind,
            method=method_of(
                "ncs",
                artefacts,
                preset="paper",
                graph=artefacts.graphs[f"representation-paper-{kind}"],
            ),
            rules=study_rules(scale, artefacts.world),
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


def requests_of(scale: Scale, worlds: Sequence[Artefacts]) -> list[Request]:
    """All that is judged, Table 1 first."""
    found = [request for artefacts in worlds for request in table(scale, artefacts)]
    for name in scale.studies:
        if name in OF_ANY_METHOD or "ncs" in methods_of(scale):
            found += [
                request for artefacts in worlds for request in ABLATIONS[name](scale, artefacts)
            ]
    return found
