"""Methods that learned: records that look through a world model, and rivals with a policy.

They import what learns, so they are imported only where one of them is asked for.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ncs.agent.options import MethodOptions
from ncs.agent.policy import SeeingPolicy
from ncs.agent.presets import control_preset, of_control, sight
from ncs.agent.trained import Trained, TrainedModel, graph_path
from ncs.baselines.mpc import MpcConfig, MpcPolicy
from ncs.baselines.nonfactorised import SetGraphPolicy
from ncs.baselines.rival import PixelPolicy, TrainedPolicy, load_policy
from ncs.baselines.set_store import load_sets, sets_path
from ncs.control.config import ControlConfig
from ncs.evaluation.method import Method
from ncs.model.contract import WorldModel
from ncs.records import Checkpoint, ConfigError, Env, Policy, Preset
from ncs.storage import digest_file
from ncs.training.checkpoint import checkpoint_hash


class LearnedMethod(Method):
    """What methods share that look through a world model."""

    WHERE: ClassVar[frozenset[str]] = frozenset({"model", "world", "graph", "sets"})

    model: Path
    world: str  # in which the model is used
    preset: Preset = "best"
    slots: int | None = None  # None: as the preset has it
    sight: tuple[str, ...] | None = None  # additions in use, of a model that has some

    def n_slots(self, trained: Trained | TrainedModel, envs: Sequence[Env]) -> int:
        """Slots of every picture; all learned methods know how many objects there are."""
        return self.slots or trained.slots_for(envs[0].n_objects, self.preset)


class NcsMethod(LearnedMethod):
    """The paper's method, and ours: a factorised graph and Algorithm 2."""

    graph: Path
    control: ControlConfig

    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy of model and graph."""
        trained = _trained(self.model, self.graph, self.world, self.checkpoint)
        trained = trained.seeing(self.sight or ())
        return trained.policy(self.control, self.n_slots(trained, envs))


class NfMethod(LearnedMethod):
    """The non-factorised graph: NF."""

    graph: Path
    sets: Path
    presence: bool  # whether slots that stand for nothing are left out

    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy of model and scenes."""
        weights_and_graph = Checkpoint(self.checkpoint.weights, self.checkpoint.graph)
        trained = _trained(self.model, self.graph, self.world, weights_and_graph)
        trained = trained.seeing(self.sight or ())
        scenes = load_sets(self.sets, trained.graph.checkpoint)
        perception = trained.perception(self.n_slots(trained, envs))
        arena = trained.seen.arena
        acting = SetGraphPolicy(perception, scenes, trained.graph, arena, self.presence)
        return SeeingPolicy(perception, acting)


class MpcMethod(LearnedMethod):
    """Model-predictive control over the world model."""

    search: MpcConfig

    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy of the model alone."""
        trained = _trained_model(self.model, self.world, self.checkpoint)
        trained = trained.seeing(self.sight or ())
        reach, n_slots = trained.arena, self.n_slots(trained, envs)
        return MpcPolicy(trained.model, n_slots, reach.low, reach.high, self.search)


class PixelMethod(Method):
    """A rival that learned a policy from pixels."""

    WHERE: ClassVar[frozenset[str]] = frozenset({"model"})

    model: Path
    # Deviation with which actions are drawn, as a share of half their range; None: the mean.
    sigma: float | None = Field(None, gt=0, le=2)

    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy, if it was trained in an arena like that of the worlds."""
        trained = _trained_policy(self.model, self.checkpoint)
        config, space = trained.actor.config, envs[0].action_space
        n_axes = len(config.low)
        ends = [*space.low[:n_axes], *space.high[:n_axes]]
        if not np.allclose([*config.low, *config.high], ends):
            raise ConfigError(f"model: was trained in {trained.world}, which has another arena")
        return PixelPolicy(trained.actor, self.sigma or 0.0)


def make_ncs(name: str, options: MethodOptions) -> Method:
    """NCS with a model, a graph and settings of control."""
    folder = options.folder(name)
    path = options.graph or graph_path(folder, options.preset)
    trained = Trained.load(folder, options.preset, path, options.world)
    usual = control_preset(options.preset)
    without, only = of_control(options.without), of_control(options.only)
    control = usual.changed(without, only, options.choice)
    shared = _shared(name, options, trained.checkpoint, trained.model)
    return NcsMethod(**shared, graph=path, control=control)


def make_nf(name: str, options: MethodOptions) -> Method:
    """NF with a model and the scenes of its buffer."""
    folder, preset = options.folder(name), options.preset
    path, sets = graph_path(folder, preset), sets_path(folder, preset)
    trained = Trained.load(folder, preset, path, options.world)
    own = trained.checkpoint
    whole = Checkpoint(own.weights, own.graph, digest_file(sets)[:8])
    shared = _shared(name, options, whole, trained.model)
    return NfMethod(**shared, graph=path, sets=sets, presence=preset == "best")


def make_mpc(name: str, options: MethodOptions) -> Method:
    """MPC over a model."""
    trained = TrainedModel.load(options.folder(name), options.world)
    shared = _shared(name, options, Checkpoint(trained.weights), trained.model)
    search = MpcConfig(**{"presence": options.preset == "best", **options.settings})
    return MpcMethod(**shared, search=search)


def _shared(
    name: str, options: MethodOptions, checkpoint: Checkpoint, model: WorldModel
) -> dict[str, Any]:
    """The fields that methods share which look through a world model."""
    taken = options.model_dump(include={"label", "world", "preset", "slots"})
    if model.additions:
        taken["sight"] = sight(options.preset, options.without, options.only)
    return {"name": name, "model": options.folder(name), "checkpoint": checkpoint, **taken}


def make_pixels(name: str, options: MethodOptions) -> Method:
    """A rival with its trained policy."""
    folder = options.folder(name)
    trained = load_policy(folder)
    if trained.method != name:
        raise ConfigError(f"{folder}: is a policy of {trained.method}, not of {name}")
    if trained.world != options.world:
        raise ConfigError(f"{folder}: was trained on {trained.world}, not on {options.world}")
    if unknown := sorted(set(options.settings) - {"sigma"}):
        raise ConfigError(f"settings: {name} has only sigma, got {unknown[0]!r}")
    return PixelMethod(
        name=name,
        label=options.label,
        model=folder,
        checkpoint=Checkpoint(trained.checkpoint),
        sigma=options.settings.get("sigma"),
    )


@functools.lru_cache(maxsize=2)
def _trained(model: Path, graph: Path, world: str, checkpoint: Checkpoint) -> Trained:
    """A model and its graph, read once in a process."""
    _one_thread()
    trained = Trained.load(model, graph=graph, world=world)
    _same(model, trained.checkpoint, checkpoint)
    return trained


@functools.lru_cache(maxsize=2)
def _trained_model(model: Path, world: str, checkpoint: Checkpoint) -> TrainedModel:
    """A model without a graph, read once in a process."""
    _one_thread()
    _same(model, Checkpoint(checkpoint_hash(model)), checkpoint)
    return TrainedModel.load(model, world)


@functools.lru_cache(maxsize=3)
def _trained_policy(model: Path, checkpoint: Checkpoint) -> TrainedPolicy:
    """A rival's policy, read once in a process."""
    _one_thread()
    policy = load_policy(model)
    _same(model, Checkpoint(policy.checkpoint), checkpoint)
    return policy


def _one_thread() -> None:
    """Keeps torch to one thread: the judge's processes share the cores among themselves."""
    import torch

    torch.set_num_threads(1)


def _same(model: Path, found: Checkpoint, expected: Checkpoint) -> None:
    if found != expected:
        raise ConfigError(f"{model}: has changed since the run began; start it again")
