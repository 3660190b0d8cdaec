"""What the methods of a world need before they can be judged: buffer, model, graphs, rivals.

Every artefact stands in a folder or file named after what it was made from, so that one of other
settings is never taken for it, and is made by whoever comes first: of several processes that share
a disk one makes it while the others wait.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncs.records import NcsError
from ncs.reproduction.reporter import Quiet, Reporter
from ncs.reproduction.scales import Scale
from ncs.storage import digest_json, locked

if TYPE_CHECKING:
    from ncs.training.schedule import TrainConfig


WORLD_MODELS = ("dslate", "touched")


@dataclass(frozen=True)
class Run:
    """What is done again, where, with what is given, and to whom it tells how it goes."""

    scale: Scale
    out: Path
    models: Path | None = None  # folder of models that need not be trained
    workers: int = 1
    reporter: Reporter = field(default_factory=Quiet)


@dataclass(frozen=True)
class Artefacts:
    """What the methods of one world need, on the disk."""

    world: str
    buffer: Path | None = None
    model: Path | None = None  # of ncs, nf and mpc; None where none of them is judged
    dslate: Path | None = None  # the paper's own world model, where it is judged beside ours
    rivals: dict[str, Path] = field(default_factory=dict)  # by method
    graphs: dict[str, Path] = field(default_factory=dict)  # of ablations, by name


def keyed(name: str, *facts: Any) -> str:
    """A name that changes with any of the facts."""
    return f"{name}-{digest_json(facts)[:8]}"


def claimed(path: Path, reporter: Reporter) -> contextlib.AbstractContextManager[None]:
    """Holds the right to make something; waits while another process has it."""
    line = f"{path}: another process is making it; waiting"
    return locked(path.with_name(f"{path.name}.claim"), waiting=lambda: reporter.say(line))


def make_once(
    path: Path, is_there: Callable[[], bool], make: Callable[[], None], reporter: Reporter
) -> None:
    """Makes something unless it is there already."""
    if is_there():
        return
    with claimed(path, reporter):
        if not is_there():
            make()


def make_buffer(run: Run, world: str) -> Path:
    """The buffer of a world, collected unless it is there."""
    from ncs.data.collect import CollectConfig, collect
    from ncs.envs import make_env

    clips = run.scale.clips
    config = CollectConfig(world=world, episodes=clips)
    path = run.out / "buffers" / keyed(world, config.hash)

    def make() -> None:
        run.reporter.say(f"{path}: collecting {clips} clips")
        with run.reporter.progress("collecting", clips, "clips") as advance:
            for done in collect(make_env, config, path, run.workers):
                advance(done)

    make_once(path, lambda: is_collected(path, clips), make, run.reporter)
    return path


def is_collected(path: Path, clips: int) -> bool:
    """Whether a buffer holds all its clips; a whole one is verified where it is read."""
    from ncs.data.buffer import open_buffer

    try:
        return len(open_buffer(path, verify=False)) == clips
    except NcsError:
        return False


def make_model(run: Run, world: str, buffer: Path) -> Path:
    """The world model of a world, trained unless it is there."""
    from ncs.training.presets import altered, preset

    config = altered(preset(run.scale.preset), {"steps": run.scale.steps})
    path = run.out / "models" / model_name(world, config, buffer)
    make_once(
        path,
        lambda: is_trained(path, config),
        lambda: run_training(config, buffer, path, run.reporter),
        run.reporter,
    )
    return path


def model_name(name: str, config: "TrainConfig", buffer: Path) -> str:
    """The folder of a model, named after its settings and its buffer."""
    from ncs.data.buffer import open_buffer
    from ncs.training.schedule import RUNNING

    settings = config.model_dump(mode="json", exclude=set(RUNNING))
    return keyed(name, settings, open_buffer(buffer, verify=False).hash)


def is_trained(path: Path, config: "TrainConfig") -> bool:
    """Whether a folder holds a model at its last step."""
    from ncs.training.checkpoint import has_checkpoint, read_manifest

    return has_checkpoint(path) and read_manifest(path)["step"] >= config.steps


def run_training(config: "TrainConfig", buffer: Path, path: Path, reporter: Reporter) -> None:
    """Trains to the end, from wherever an earlier run came; a signal that ends it is raised."""
    from ncs.training.interrupts import Stopped
    from ncs.training.train import train

    reporter.say(f"{path}: training, {config.steps} steps")
    with reporter.training() as callback:
        outcome = train(config, buffer, path, resume=True, callback=callback)
    if outcome.ended.startswith("SIG"):
        raise Stopped(outcome.ended)


def given_model(folder: Path | None, world: str, names: tuple[str, ...]) -> Path | None:
    """A model in a folder of models that is one of the named kinds and of that world.

    Of several, one with a graph of ours comes first, then the first by name.
    """
    from ncs.agent import graph_path
    from ncs.training.checkpoint import has_checkpoint, read_manifest, trained_worlds

    if folder is None:
        return None
    paths = [*folder.iterdir(), *folder.glob("rivals/*")]
    for path in sorted(paths, key=lambda p: (not graph_path(p, "best").exists(), p.name)):
        if not has_checkpoint(path) or world not in trained_worlds(path):
            continue
        if read_manifest(path)["config"]["model"] in names:
            return path.resolve()
    return None


def prepare(run: Run, world: str) -> Artefacts:
    """Everything the methods of a world need, made where it is missing."""
    from ncs.agent.options import RIVALS
    from ncs.reproduction.studies import MODELLED, methods_of

    wanted = methods_of(run.scale)
    if not {*MODELLED, *RIVALS} & set(wanted):
        return Artefacts(world)
    buffer = make_buffer(run, world)
    rivals = {name: make_rival(run, name, world, buffer) for name in wanted if name in RIVALS}
    if not set(MODELLED) & set(wanted):
        return Artefacts(world, buffer, rivals=rivals)
    model, graphs = make_graphs(run, world, buffer)
    dslate = make_dslate(run, world, buffer) if world in run.scale.dslate else None
    return Artefacts(world, buffer, model, None if dslate == model else dslate, rivals, graphs)


def make_graphs(run: Run, world: str, buffer: Path) -> tuple[Path, dict[str, Path]]:
    """The world model with its graphs in its folder, and all graphs by name."""
    from ncs.reproduction.graphs import GraphFiles, copy_graphs, graph_plans
    from ncs.reproduction.studies import methods_of

    given = given_model(run.models, world, WORLD_MODELS)
    model = given or make_model(run, world, buffer)
    files = GraphFiles(model, buffer, run)
    scale = run.scale
    if "ncs" not in methods_of(scale):
        scale = scale.model_copy(update={"studies": ()})  # the others need no graphs of their own
    graphs = files.make(graph_plans(scale, world, files.slots()))
    if given is None:
        copy_graphs(graphs, model)
    return model.resolve(), graphs


def make_dslate(run: Run, world: str, buffer: Path) -> Path:
    """A dSLATE of a world, cut to two cores, with the paper's graph in its folder."""
    from ncs.reproduction.graphs import GraphFiles, copy_graphs, preset_plan

    given = given_model(run.models, world, ("dslate",))
    if given is not None:
        return given
    smaller = run.scale.model_copy(update={"preset": "cpu"})
    model = make_model(replace(run, scale=smaller), world, buffer)
    files = GraphFiles(model, buffer, run)
    plan = preset_plan(run.scale, world, "paper", files.slots()["paper"])
    copy_graphs(files.make({"paper": plan}), model)
    return model.resolve()


def make_rival(run: Run, name: str, world: str, buffer: Path) -> Path:
    """A rival's model of a world: a given one, or trained unless it is there."""
    from ncs.agent.rivals import rival_training
    from ncs.baselines.rival import POLICY, save_policy
    from ncs.training.presets import altered

    given = given_model(run.models, world, (name,))
    if given is not None:
        return given
    sizes = {"steps": run.scale.rival_steps, "batch": run.scale.rival_batch}
    usual = rival_training(name, world, "paper" if run.scale.preset == "paper" else "cpu")
    config = altered(usual, sizes)
    path = run.out / "rivals" / model_name(f"{name}-{world}", config, buffer)

    def make() -> None:
        if not is_trained(path, config):
            run_training(config, buffer, path, run.reporter)
        save_policy(path)

    is_there = lambda: is_trained(path, config) and (path / POLICY).exists()  # noqa: E731
    make_once(path, is_there, make, run.reporter)
    return path
