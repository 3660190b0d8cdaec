"""What the methods of a world need before they can be judged: buffer, model, graphs, rivals.

Every artefact stands in a folder or file named after what it was made from, so that one of other
settings is never taken for it, and is made by whoever comes first: of several processes that share
a disk one makes it while the others wait.
"""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncs.cli.console import progress
from ncs.cli.train import EXIT_CODES, Screen, Train
from ncs.records import NcsError
from ncs.reproduction.scales import Scale
from ncs.storage import digest_json, locked

if TYPE_CHECKING:
    from ncs.training.schedule import TrainConfig


WORLD_MODELS = ("dslate", "placed", "touched")


@dataclass(frozen=True)
class Kit:
    """What the methods of one world need, on the disk."""

    world: str
    buffer: Path | None = None
    model: Path | None = None  # of ncs, nf and mpc; None where none of them is judged
    dslate: Path | None = None  # the paper's own world model, where it is judged beside ours
    rivals: dict[str, Path] = field(default_factory=dict)  # by method
    graphs: dict[str, Path] = field(default_factory=dict)  # of ablations, by name


def say(line: str) -> None:
    """A line for people, kept apart from what machines read."""
    print(f"ncs reproduce: {line}", file=sys.stderr, flush=True)


def keyed(name: str, *facts: Any) -> str:
    """A name that changes with any of the facts."""
    return f"{name}-{digest_json(facts)[:8]}"


def claimed(path: Path) -> contextlib.AbstractContextManager[None]:
    """Holds the right to make something; waits while another process has it."""
    line = f"{path}: another process is making it; waiting"
    return locked(path.with_name(f"{path.name}.claim"), waiting=lambda: say(line))


def make_once(path: Path, is_there: Callable[[], bool], make: Callable[[], None]) -> None:
    """Makes something unless it is there already."""
    if is_there():
        return
    with claimed(path):
        if not is_there():
            make()


def make_buffer(scale: Scale, world: str, out: Path, workers: int) -> Path:
    """The buffer of a world, collected unless it is there."""
    from ncs.data.collect import CollectConfig, collect
    from ncs.envs import make_env

    config = CollectConfig(world=world, episodes=scale.clips)
    path = out / "buffers" / keyed(world, config.hash)

    def run() -> None:
        say(f"{path}: collecting {scale.clips} clips")
        with progress("collecting", scale.clips, "clips") as advance:
            for done in collect(make_env, config, path, workers):
                advance(done)

    make_once(path, lambda: is_collected(path, scale.clips), run)
    return path


def is_collected(path: Path, clips: int) -> bool:
    """Whether a buffer holds all its clips; a whole one is verified where it is read."""
    from ncs.data.buffer import open_buffer

    try:
        return len(open_buffer(path, verify=False)) == clips
    except NcsError:
        return False


def make_model(scale: Scale, world: str, buffer: Path, out: Path) -> Path:
    """The world model of a world, trained unless it is there."""
    config = Train(buffer=buffer, preset=scale.preset, steps=scale.steps).resolve()
    path = out / "models" / model_name(world, config, buffer)
    make_once(path, lambda: is_trained(path, config), lambda: run_training(config, buffer, path))
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


def run_training(config: "TrainConfig", buffer: Path, path: Path) -> None:
    """Trains to the end, from wherever an earlier run came; ends when it is asked to."""
    from ncs.training.train import train

    say(f"{path}: training, {config.steps} steps")
    screen = Screen()
    outcome = train(config, buffer, path, resume=True, watcher=screen)
    screen.close()
    if outcome.ended in EXIT_CODES:
        say("stopped; the same command goes on from here")
        raise SystemExit(EXIT_CODES[outcome.ended])


def given_model(folder: Path, world: str, names: tuple[str, ...]) -> Path | None:
    """A model in a folder of models that is one of the named kinds and of that world.

    Of several, one with a graph of every extension comes first, as 'ncs solve' has it, then the
    first by name.
    """
    from ncs.agent import graph_path
    from ncs.training.checkpoint import has_checkpoint, read_manifest

    paths = [*folder.iterdir(), *folder.glob("rivals/*")]
    for path in sorted(paths, key=lambda p: (not graph_path(p, "best").exists(), p.name)):
        if has_checkpoint(path):
            manifest = read_manifest(path)
            if manifest["buffer"]["world"] == world and manifest["config"]["model"] in names:
                return path
    return None


def prepare(scale: Scale, world: str, out: Path, models: Path | None, workers: int) -> Kit:
    """Everything the methods of a world need, made where it is missing."""
    from ncs.agent.methods import RIVALS
    from ncs.reproduction.studies import MODELLED, methods_of

    wanted = methods_of(scale)
    if not {*MODELLED, *RIVALS} & set(wanted):
        return Kit(world)
    buffer = make_buffer(scale, world, out, workers)
    rivals = {
        name: make_rival(scale, name, world, buffer, out, models)
        for name in wanted
        if name in RIVALS
    }
    if not set(MODELLED) & set(wanted):
        return Kit(world, buffer, rivals=rivals)
    model, graphs = make_minds(scale, world, buffer, out, models)
    dslate = make_dslate(scale, world, buffer, out, models) if world in scale.dslate else None
    return Kit(world, buffer, model, None if dslate == model else dslate, rivals, graphs)


def make_minds(
    scale: Scale, world: str, buffer: Path, out: Path, models: Path | None
) -> tuple[Path, dict[str, Path]]:
    """The world model with its graphs in its folder, and all graphs by name."""
    from ncs.reproduction.graphs import GraphShop, graph_plans, install
    from ncs.reproduction.studies import methods_of

    given = given_model(models, world, WORLD_MODELS) if models else None
    model = given or make_model(scale, world, buffer, out)
    shop = GraphShop(model, buffer, out / "graphs", scale.states)
    if "ncs" not in methods_of(scale):
        scale = scale.model_copy(update={"studies": ()})  # the others need no graphs of their own
    graphs = shop.make(graph_plans(scale, world, shop.slots()))
    if given is None:
        install(model, graphs)
    return model.resolve(), graphs


def make_dslate(scale: Scale, world: str, buffer: Path, out: Path, models: Path | None) -> Path:
    """A dSLATE of a world, cut to two cores, with the paper's graph in its folder."""
    from ncs.graph.config import GraphConfig
    from ncs.reproduction.graphs import GraphPlan, GraphShop, clips_of, install

    given = given_model(models, world, ("dslate",)) if models else None
    if given is not None:
        return given.resolve()
    model = make_model(scale.model_copy(update={"preset": "cpu"}), world, buffer, out)
    shop = GraphShop(model, buffer, out / "graphs", scale.states)
    clips, slots = clips_of(scale, "paper"), shop.slots()["paper"]
    install(model, shop.make([GraphPlan("paper", GraphConfig.paper(world), clips, slots)]))
    return model.resolve()


def make_rival(
    scale: Scale, name: str, world: str, buffer: Path, out: Path, models: Path | None
) -> Path:
    """A rival's model of a world: a given one, or trained unless it is there."""
    from ncs.baselines.rival import POLICY, save_policy
    from ncs.cli.train_rival import TrainRival
    from ncs.data.buffer import open_buffer

    given = given_model(models, world, (name,)) if models else None
    if given is not None:
        return given.resolve()
    sizes = {"steps": scale.rival_steps, "batch": scale.rival_batch}
    preset = "paper" if scale.preset == "paper" else "cpu"
    command = TrainRival(method=name, buffer=buffer, out=out, preset=preset, **sizes)
    config = command.resolve(open_buffer(buffer, verify=False))
    path = out / "rivals" / model_name(f"{name}-{world}", config, buffer)

    def run() -> None:
        if not is_trained(path, config):
            run_training(config, buffer, path)
        save_policy(path)

    make_once(path, lambda: is_trained(path, config) and (path / POLICY).exists(), run)
    return path
