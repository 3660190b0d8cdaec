"""Policies by name: the one place where a method meets the judge."""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ncs.evaluation.harness import Method
from ncs.records import ConfigError, Env, Policy
from ncs.storage import digest_file, digest_json

if TYPE_CHECKING:
    from ncs.agent import Mind
    from ncs.baselines.rival import TrainedPolicy
    from ncs.control.config import ControlConfig
    from ncs.model.contract import WorldModel

MethodName = Literal["random", "oracle", "ncs", "nf", "mpc", "bc", "iql", "gcivl"]
Preset = Literal["paper", "best"]
RIVALS = ("bc", "iql", "gcivl")  # have a policy of their own, made by 'ncs train-rival'
LEARNED = ("ncs", "nf", "mpc", *RIVALS)


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
    if method.name in RIVALS:
        return _pixel_policy(method, envs[0])
    if method.name == "mpc":
        return _planner(method, envs[0].n_objects)
    if method.name in LEARNED:
        return _learned(method, envs[0].n_objects)
    raise ConfigError(f"method: there is no {method.name!r}, choose from {get_args(MethodName)}")


def _learned(method: Method, n_objects: int) -> Policy:
    """A policy that looks through a trained model."""
    mind = _mind(method)
    options = dict(method.options)
    n_slots = int(options.get("slots") or mind.slots_for(n_objects, _preset(options)))
    if method.name == "ncs":
        return mind.policy(control_config(method), n_slots)
    from ncs.agent import Eye, arena
    from ncs.baselines.nonfactorised import SetGraphPolicy
    from ncs.baselines.set_store import load_sets

    sets = load_sets(Path(dict(method.files)["sets"]), mind.graph.checkpoint)
    eye = Eye(mind.model, n_slots)
    return SetGraphPolicy(eye, sets, mind.graph, arena(mind.world), options["preset"] == "best")


def _pixel_policy(method: Method, env: Env) -> Policy:
    """The policy of a rival that learned one from pixels."""
    from ncs.baselines.rival import PixelPolicy

    trained = _load_policy(dict(method.files)["model"], method.checkpoint)
    config, space = trained.actor.config, env.action_space
    if not np.allclose([*config.low, *config.high], [*space.low[:2], *space.high[:2]]):
        raise ConfigError(f"model: was trained in {trained.world}, which has another arena")
    return PixelPolicy(trained.actor)


@functools.lru_cache(maxsize=3)
def _load_policy(model: str, checkpoint: str) -> "TrainedPolicy":
    import torch

    from ncs.baselines.rival import load_policy

    torch.set_num_threads(1)  # the judge's processes share the cores among themselves
    policy = load_policy(Path(model))
    if policy.checkpoint != checkpoint:
        raise ConfigError(f"{model}: has changed since the run began; start it again")
    return policy


def _planner(method: Method, n_objects: int) -> Policy:
    """Model-predictive control with a trained world model."""
    from ncs.agent import PAPER_SPARE, arena
    from ncs.baselines.mpc import MpcConfig, MpcPolicy
    from ncs.model.contract import trained_slots
    from ncs.training.checkpoint import read_manifest

    folder, options = dict(method.files)["model"], dict(method.options)
    model = _load_world(folder, method.checkpoint)
    trained_on = read_manifest(Path(folder))["buffer"]
    spare = trained_slots(model.config) - int(trained_on["objects"])
    spare = PAPER_SPARE if options["preset"] == "paper" else spare
    n_slots = int(options.get("slots") or n_objects + spare)
    reach, fields = arena(trained_on["world"]), MpcConfig.model_fields
    changes = {name: value for name, value in options.items() if name in fields}
    config = MpcConfig(**{"presence": options["preset"] == "best", **changes})
    return MpcPolicy(model, n_slots, reach.low, reach.high, reach.height, config)


@functools.lru_cache(maxsize=2)
def _load_world(model: str, checkpoint: str) -> "WorldModel":
    import torch

    from ncs.training.checkpoint import checkpoint_hash, load_model

    torch.set_num_threads(1)
    if checkpoint_hash(Path(model)) != checkpoint:
        raise ConfigError(f"{model}: has changed since the run began; start it again")
    return load_model(Path(model))


def _mind(method: Method) -> "Mind":
    """The model and graph of a method, read once in a process."""
    files, (weights, graph) = dict(method.files), method.checkpoint.split("+")[:2]
    return _load_mind(files["model"], files["graph"], f"{weights}+{graph}")


@functools.lru_cache(maxsize=2)
def _load_mind(model: str, graph: str, checkpoint: str) -> "Mind":
    import torch

    from ncs.agent import Mind

    torch.set_num_threads(1)  # the judge's processes share the cores among themselves
    mind = Mind.load(Path(model), graph=Path(graph))
    if mind.checkpoint != checkpoint:
        raise ConfigError(f"{model}: has changed since the run began; start it again")
    return mind


def _preset(options: dict[str, str | int | float | bool]) -> Preset:
    return "paper" if options["preset"] == "paper" else "best"


def control_config(method: Method) -> "ControlConfig":
    """The control settings that a method's options name."""
    from ncs.agent import control_preset

    options = dict(method.options)
    choice = options.get("choice")
    return control_preset(_preset(options)).changed(
        without=[name for name, value in options.items() if value is False],
        only=[name for name, value in options.items() if value is True],
        choice=None if choice is None else str(choice),
    )


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
    from ncs.control.extensions import find_extension

    for switch in switches:
        find_extension(switch)
    options: list[tuple[str, str | int | float | bool]] = [("preset", preset)]
    options += [("slots", slots)] if slots else []
    options += [("settings", _settings(name, preset))]
    if name in RIVALS or name == "mpc":
        if graph or switches or (slots and name in RIVALS):
            raise ConfigError(f"method: {name} takes no graph or extensions, and only mpc slots")
        return _without_graph(name, model, () if name in RIVALS else tuple(options))
    if name == "nf" and (graph or switches):
        raise ConfigError("method: nf takes no graph of its own and no extensions")
    path, sets = graph or graph_path(model, preset), sets_path(model, preset)
    mind = Mind.load(model, preset, path)
    options += sorted(switches.items())
    files = (("model", str(model)), ("graph", str(path)), ("sets", str(sets)))
    checkpoint = mind.checkpoint + (f"+{digest_file(sets)[:8]}" if name == "nf" else "")
    return Method(name=name, options=tuple(options), checkpoint=checkpoint, files=files)


def _settings(name: str, preset: Preset) -> str:
    """A hash of what a method's preset stands for, so that results tell when that changes."""
    from ncs.agent import PAPER_SPARE, control_preset
    from ncs.baselines.mpc import MpcConfig

    spare = PAPER_SPARE if preset == "paper" else "as in training"
    if name == "ncs":
        return digest_json([control_preset(preset).model_dump(), spare])[:8]
    if name == "mpc":
        return digest_json([MpcConfig(presence=preset == "best").model_dump(), spare])[:8]
    return digest_json([name, preset, spare])[:8]


def _without_graph(
    name: str, model: Path, options: tuple[tuple[str, str | int | float | bool], ...]
) -> Method:
    """A learned method that has weights alone."""
    from ncs.baselines.rival import load_policy
    from ncs.training.checkpoint import checkpoint_hash

    files = (("model", str(model)),)
    if name == "mpc":
        return Method(name=name, options=options, checkpoint=checkpoint_hash(model), files=files)
    policy = load_policy(model)
    if policy.method != name:
        raise ConfigError(f"{model}: is a policy of {policy.method}, not of {name}")
    return Method(name=name, options=options, checkpoint=policy.checkpoint, files=files)
