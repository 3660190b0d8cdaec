"""How long a run will take, from what its parts took on a machine of two cores."""

import functools
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

from ncs.agent.options import RIVALS
from ncs.registry import find_world, paper_worlds
from ncs.reproduction.graphs import PRESETS, clips_of
from ncs.reproduction.scales import Scale
from ncs.reproduction.studies import ABLATIONS, MODELLED, SLOW, STRESSED, methods_of, study_rules
from ncs.training.callback import duration

GOALS = 2
BATCH = 25
CURVES = {"clusters": "clusters", "clips": "shares", "slots": "slots"}
STRESSES = {"horizon": "horizons", "noise": "noises"}


@functools.cache
def costs() -> dict[str, Any]:
    """Seconds of one core for each part that is the same in all worlds, as measured."""
    content: dict[str, Any] = json.loads(
        (resources.files("ncs.reproduction") / "costs.json").read_text()
    )
    return content


def cost_of(world: str, *names: str) -> float:
    """What a world says about the cost of a part; else the most that one of the paper's does."""
    own = _looked_up(world, *names)
    if own is None:
        own = max(_looked_up(other, *names) or 0.0 for other in paper_worlds())
    return own


def _looked_up(world: str, *names: str) -> float | None:
    value: Any = find_world(world).costs
    for name in names:
        value = value.get(name, {})
    return float(value) if value else None


# Whether a world has a trained "model", "dslate" or rival already.
Given = Callable[[str, str], bool]


def describe(scale: Scale, workers: int, is_given: Given) -> str:
    """What a run will take, part by part, on one line."""
    parts = seconds_of(scale, workers, is_given)
    shown = ", ".join(f"{name} {duration(s)}" for name, s in parts.items() if s >= 1)
    total = duration(sum(parts.values()))
    return f"scale {scale.name}: about {total} from nothing with {workers} workers ({shown})"


def seconds_of(scale: Scale, workers: int, is_given: Given) -> dict[str, float]:
    """Seconds of each part of a run."""
    table, methods = costs(), methods_of(scale)
    parts = dict.fromkeys(("collecting", "training", "graphs", "judging", "report"), 0.0)
    modelled = bool(set(MODELLED) & set(methods))
    rivals = [name for name in methods if name in RIVALS]
    for world in scale.worlds:
        if modelled or rivals:
            parts["collecting"] += scale.clips * cost_of(world, "clip") / workers
        if modelled and not is_given(world, "model"):
            parts["training"] += _training(scale, world, scale.preset)
        if modelled and world in scale.dslate and not is_given(world, "dslate"):
            parts["training"] += _training(scale, world, "cpu")
        parts["training"] += sum(_rival(scale, n) for n in rivals if not is_given(world, n))
        if modelled:
            parts["graphs"] += _looks(scale, world)
        for name, episodes in episodes_of(scale, world).items():
            cost = cost_of(world, "episode", name) or cost_of(world, "episode", "ncs")
            cost *= _search(scale) if name.split(",")[0] in SLOW else 1.0
            pieces = episodes / min(BATCH, scale.episodes)  # each begins by building its worlds
            parts["judging"] += (episodes * cost + pieces * table["piece"]) / workers
        parts["report"] += table["report"]
    return parts


def _search(scale: Scale) -> float:
    """MPC's search as a share of the paper's, by candidates looked at."""
    population, iterations = costs()["search"]
    whole = population * iterations
    return (scale.population or population) * (scale.iterations or iterations) / float(whole)


def _looks(scale: Scale, world: str) -> float:
    """Seconds of looking at clips to build graphs from; each number of slots is a look of its own.

    A dSLATE that stands beside the model looks at as many as the paper's graph is built from.
    """
    few, all_clips = clips_of(scale, "best"), clips_of(scale, "paper")
    varied = "slots" in scale.studies and "ncs" in methods_of(scale)
    clips = few + all_clips + varied * len(scale.slots) * few
    seconds = clips * cost_of(world, "look", scale.preset)
    return seconds + (world in scale.dslate) * all_clips * cost_of(world, "look", "cpu")


def _training(scale: Scale, world: str, preset: str) -> float:
    steps: int = scale.steps or costs()["steps"][preset]
    return steps * cost_of(world, "training", preset)


def _rival(scale: Scale, name: str) -> float:
    run = costs()["rival"]["paper" if scale.preset == "paper" else "cpu"][name]
    batch = (scale.rival_batch or run["batch"]) / run["batch"]
    return float((scale.rival_steps or run["steps"]) * run["seconds"] * batch)


def episodes_of(scale: Scale, world: str) -> dict[str, int]:
    """Episodes of one world by method, ablations included; those of a dSLATE go by their label."""
    methods = methods_of(scale)
    counts = {}
    for name in methods:
        slow = name in SLOW
        own = (scale.slow_seeds if slow else scale.seeds) * (
            scale.slow_episodes if slow else scale.episodes
        )
        lines = len(PRESETS) if name == "ncs" else 1
        counts[name] = lines * GOALS * len(scale.objects) * own
        stressed = sum(len(getattr(scale, STRESSES[s])) for s in STRESSES if s in scale.studies)
        if name == "ncs" or name in STRESSED:
            rules = study_rules(scale, world, name)
            counts[name] += lines * stressed * rules.seeds * rules.episodes
    if "ncs" in methods:
        lines = sum(len(getattr(scale, CURVES[s])) for s in CURVES if s in scale.studies)
        lines += sum(2 for s in ABLATIONS if s in scale.studies and s in ("choice",))
        own = scale.study_seeds * scale.study_episodes
        counts["ncs"] += own * (len(PRESETS) * lines + 2 * ("representation" in scale.studies))
    cells = GOALS * len(scale.objects)
    if world in scale.dslate and "ncs" in methods:
        counts["ncs, dSLATE"] = cells * scale.seeds * scale.dslate_episodes
    if world in scale.dslate and "nf" in methods:
        counts["nf, dSLATE"] = cells * scale.seeds * scale.dslate_episodes
    if world in scale.dslate and "mpc" in methods:
        counts["mpc, dSLATE"] = cells * scale.slow_seeds * scale.slowest_episodes
    return counts
