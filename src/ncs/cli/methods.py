"""Policies by name: the one place where a method meets the judge."""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ncs.evaluation.harness import Method
from ncs.records import ConfigError, Env, Policy

if TYPE_CHECKING:
    from ncs.agent import Mind
    from ncs.control.config import ControlConfig

MethodName = Literal["random", "oracle", "ncs", "nf"]
Preset = Literal["paper", "best"]
LEARNED = ("ncs", "nf")


def make_policy(method: Method, envs: Sequence[Env]) -> Policy:
    """The policy of a method. All but the oracle see no more of the worlds than their arena.

    Learned methods are told how many objects there are, as in the paper, and take some slots more.
    """
    if method.name == "random":
        from ncs.baselines.chance import Chance

        space = envs[0].action_space
        return Chance(space.low[:3].astype(np.float64), space.high[:3].astype(np.float64))
    if method.name == "oracle":
        from ncs.baselines.oracle import Oracle

        return Oracle(envs)
    if method.name in LEARNED:
        return _learned(method, envs[0].n_objects)
    raise ConfigError(f"method: there is no {method.name!r}, choose from {get_args(MethodName)}")


def _learned(method: Method, n_objects: int) -> Policy:
    """A policy that looks through a trained model."""
    mind = _mind(method)
    options = dict(method.options)
    n_slots = int(options.get("slots") or n_objects + mind.spare)
    if method.name == "ncs":
        return mind.policy(control_config(method), n_slots)
    from ncs.agent import Eye, arena
    from ncs.baselines.nonfactorised import SetGraphPolicy
    from ncs.baselines.set_store import load_sets

    sets = load_sets(Path(dict(method.files)["sets"]), mind.graph.checkpoint)
    eye = Eye(mind.model, n_slots)
    return SetGraphPolicy(eye, sets, mind.graph, arena(mind.world), options["preset"] == "best")


def _mind(method: Method) -> "Mind":
    """The model and graph of a method, read once in a process."""
    files = dict(method.files)
    return _load_mind(files["model"], files["graph"], method.checkpoint)


@functools.lru_cache(maxsize=2)
def _load_mind(model: str, graph: str, checkpoint: str) -> "Mind":
    import torch

    from ncs.agent import Mind

    torch.set_num_threads(1)  # the judge's processes share the cores among themselves
    mind = Mind.load(Path(model), graph=Path(graph))
    if mind.checkpoint != checkpoint:
        raise ConfigError(f"{model}: has changed since the run began; start it again")
    return mind


def control_config(method: Method) -> "ControlConfig":
    """The control settings that a method's options name."""
    from ncs.agent import control_preset
    from ncs.control.config import ControlConfig

    options = dict(method.options)
    preset: Preset = "paper" if options["preset"] == "paper" else "best"
    changes = {k: v for k, v in options.items() if k in ControlConfig.model_fields}
    return ControlConfig(**{**control_preset(preset).model_dump(), **changes})


def learned_method(
    name: str,
    model: Path,
    preset: Preset,
    graph: Path | None,
    slots: int | None,
    switches: dict[str, bool],
) -> Method:
    """A learned method as the judge files it: options and hashes, and where the files are."""
    from ncs.agent import Mind, graph_path
    from ncs.baselines.set_store import sets_path
    from ncs.control.config import EXTENSIONS

    unknown = sorted(set(switches) - set(EXTENSIONS))
    if unknown:
        raise ConfigError(
            f"there is no extension {unknown[0]!r}, choose from {', '.join(EXTENSIONS)}"
        )
    path = graph or graph_path(model, preset)
    mind = Mind.load(model, preset, path)
    options: list[tuple[str, str | int | float | bool]] = [("preset", preset)]
    options += [("slots", slots)] if slots else []
    options += sorted(switches.items())
    files = (("model", str(model)), ("graph", str(path)), ("sets", str(sets_path(model, preset))))
    return Method(name=name, options=tuple(options), checkpoint=mind.checkpoint, files=files)
