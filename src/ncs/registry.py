"""Worlds, world models and policies by name: those of the package and those of plug-ins.

A plug-in is any installed package with an entry point in one of these groups:

    [project.entry-points."ncs.worlds"]
    shelf = "my_package.world:SHELF"    # a ``World``
    [project.entry-points."ncs.models"]
    mine = "my_package.model:MODEL"     # a ``ModelClasses``
    [project.entry-points."ncs.policies"]
    greedy = "my_package.policy:make"   # ``EnvFacts`` and settings to a ``Policy``

Nothing is imported before it is asked for, and every process reads the entry points for itself, so
workers know plug-ins too. ``module:attribute`` does for a name only where it is allowed: a name may
come from a stranger's file, and to import is to run. What is typed at the command line is allowed,
and so is what stands in the environment variable ``NCS_ALLOW``.
"""

import functools
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ncs.records import ConfigError, DataError
from ncs.settings import Settings
from ncs.storage import brief

Kind = Literal["world", "model", "policy"]
GROUPS: dict[Kind, str] = {"world": "ncs.worlds", "model": "ncs.models", "policy": "ncs.policies"}
# Rooms that have something of a kind list it in a table of that name, as name to thing or
# "module:attribute"; none of it needs the package to be installed.
TABLES: dict[Kind, tuple[str, ...]] = {
    "world": ("ncs.envs:WORLDS",),
    "model": ("ncs.model:MODELS", "ncs.baselines:MODELS"),
    "policy": (),  # those of the package are methods with options of their own: ``agent.methods``
}

ALLOWED = "NCS_ALLOW"  # code that may be imported by its name, parted by commas; workers inherit it

Corner = tuple[float, float, float]
Make = str | Callable[..., Any]


@dataclass(frozen=True)
class Published:
    """One row of the paper's Table 1: fractional success by number of objects."""

    goal: str
    method: str  # as the paper calls it
    objects: tuple[int, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]  # standard error over 10 seeds


@dataclass(frozen=True)
class Exhibit:
    """Something of a world's own that 'ncs inspect' shows."""

    line: str
    facts: dict[str, Any]
    picture: NDArray[np.uint8]  # (H, W, 3)


@dataclass(frozen=True, kw_only=True)
class World:
    """All that is known of a world before its simulator starts; a name and a factory will do."""

    name: str
    # Called with n_objects, goal and settings; a "module:attribute" is imported only then.
    make: Make
    summary: str = ""  # a line for people
    gymnasium_id: str = ""  # under which Gymnasium knows it too
    extra: str = ""  # what to install for it, as 'ncs[EXTRA]'
    # Corners of where actions may reach, metres; none: as the action space has it.
    arena_low: Corner | None = None
    arena_high: Corner | None = None
    height: bool = False  # whether the z of an action matters
    tolerance: float | None = None  # metres by which a pick or a place may miss; none: the world's
    objects: tuple[int, int] = (1, 12)  # fewest and most in a scene
    suite_objects: tuple[int, ...] = (4, 5, 6, 7)  # counts in a frozen suite; these are the paper's
    suites: Path | None = None  # folder of its frozen suites and their hashes.json
    styles: Mapping[str, str] = field(default_factory=dict)  # beside "plain": name to its meaning
    places: int = 0  # where an object can stand, if they can be counted
    key_step: float = 0.1  # of the picture, by which an arrow key moves a goal
    setup_variable: str = ""  # environment variable that changes what scenes are made of
    goal_editor: Make = ""  # a ``GoalEditor``: what lets a user set goals by hand
    exhibit: Make = ""  # path to ``Exhibit`` or None: things of this world 'ncs inspect' shows
    # The model that is used where none is named: one of ``checkpoints/``, or a folder of a plug-in.
    model: str | Path = ""
    # Preset numbers
    graph: Mapping[str, Any] = field(default_factory=dict)  # the paper's for it, of ``GraphConfig``
    most_nodes: int = 128  # bounds the search where the number comes from the data
    published: tuple[Published, ...] = ()  # the paper's results
    costs: Mapping[str, Any] = field(default_factory=dict)  # seconds on one core, where measured

    def check(self, objects: Sequence[int] = (), style: str = "plain") -> None:
        """Refuses a number of objects or a style that the world does not have."""
        low, high = self.objects
        for count in objects:
            if not low <= count <= high:
                raise ConfigError(f"objects: {self.name} has {low} to {high}, got {count}")
        if style not in ("plain", *self.styles):
            choices = ", ".join(("plain", *self.styles))
            raise ConfigError(f"style: {self.name} has no {style!r}, choose one of {choices}")


@dataclass(frozen=True)
class ModelClasses:
    """Something that can be trained, and its settings."""

    config: type[Settings]
    model: Callable[[Any], Any]  # its class: settings to a ``Trainable``


TYPES: dict[Kind, Any] = {"world": World, "model": ModelClasses, "policy": Callable}
_registered: dict[Kind, dict[str, Any]] = {"world": {}, "model": {}, "policy": {}}


def register(kind: Kind, name: str, thing: Any) -> None:
    """Makes something known in this process alone; an entry point makes it known in all."""
    _registered[kind][name] = thing


def register_model(name: str, config: type[Settings], model: Callable[[Any], Any]) -> None:
    """Makes a model known to training and checkpoints in processes that import its module."""
    register("model", name, ModelClasses(config, model))


def names(kind: Kind) -> list[str]:
    """Every name of a kind: the package's own in their order, then plug-ins by name."""
    own = [*built_in(kind), *_registered[kind]]
    return list(dict.fromkeys([*own, *sorted(plugins(kind))]))


def find(kind: Kind, name: str) -> Any:
    """What stands behind a name, or behind ``module:attribute`` where that is allowed."""
    if name in _registered[kind]:
        return _registered[kind][name]
    own = built_in(kind)
    if name in own:
        return resolve(own[name])
    if name in plugins(kind):
        return _load_plugin(kind, name)
    if ":" in name:
        return _load_named(kind, name)
    raise ConfigError(f"{kind}: there is no {name!r}, choose one of {', '.join(names(kind))}")


def allow(*code: str) -> None:
    """Lets names of the form ``module:attribute`` be imported, here and in processes to come."""
    if code:
        os.environ[ALLOWED] = ",".join(sorted({*allowed(), *code}))


def allowed() -> frozenset[str]:
    """Code of somebody's own that may be imported by its name."""
    return frozenset(filter(None, os.environ.get(ALLOWED, "").split(",")))


def check_allowed(kind: str, name: str) -> None:
    """Refuses ``module:attribute`` that nobody has allowed; other names pass."""
    if ":" not in name or name in allowed():
        return
    group = GROUPS.get(kind)  # type: ignore[call-overload]
    raise ConfigError(
        f"{kind}: {name[:80]!r} is code of somebody's own, which is not imported because a file or "
        f"a caller names it; read it, then allow it with --allow {name[:80]!r} or {ALLOWED}"
        + (f", or give it a name by an entry point in {group}" if group else "")
    )


def check_written(path: Path, kind: Kind, given: Iterable[str]) -> None:
    """Refuses a file that names code which nobody has allowed."""
    try:
        for name in given:
            check_allowed(kind, name)
    except ConfigError as error:
        raise DataError(f"{path}: {error}") from None


def find_world(name: str) -> World:
    """The record of a world."""
    world: World = find("world", name)
    return world


def facts_of(name: str) -> World:
    """The record of a world, or an empty one for experience from a world that is not known here."""
    return find_world(name) if name in names("world") or ":" in name else World(name=name, make="")


def find_model(name: str) -> ModelClasses:
    """The classes of a model."""
    classes: ModelClasses = find("model", name)
    return classes


def worlds() -> Iterator[World]:
    """The records of all worlds that can be loaded; a broken plug-in speaks up when asked for."""
    for name in names("world"):
        try:
            yield find_world(name)
        except ConfigError:
            continue


def paper_worlds() -> tuple[str, ...]:
    """Names of the worlds that the paper has results for."""
    return tuple(name for name in built_in("world") if find_world(name).published)


def default_world() -> str:
    """The world that is meant where none is named."""
    return next(iter(built_in("world")))


def built_in(kind: Kind) -> dict[str, Any]:
    """What the package itself has of a kind."""
    return {name: thing for table in TABLES[kind] for name, thing in resolve(table).items()}


def resolve(thing: Any) -> Any:
    """The thing itself, imported where it is given as ``module:attribute``."""
    if not isinstance(thing, str):
        return thing
    module, _, attribute = thing.partition(":")
    return functools.reduce(getattr, attribute.split("."), importlib.import_module(module))


@functools.cache
def plugins(kind: Kind) -> dict[str, tuple[metadata.EntryPoint, ...]]:
    """Entry points by name; more than one where packages dispute it."""
    found: dict[str, tuple[metadata.EntryPoint, ...]] = {}
    for point in metadata.entry_points(group=GROUPS[kind]):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


def _load_plugin(kind: Kind, name: str) -> Any:
    """What a package offers under a name; whatever is wrong with it names the package."""
    points = plugins(kind)[name]
    packages = " and ".join(sorted({_package(point) for point in points}))
    if len({point.value for point in points}) > 1:
        raise ConfigError(f"{kind}: {name!r} is offered by {packages}; uninstall one of them")
    try:
        thing = points[0].load()
    except Exception as error:
        raise ConfigError(
            f"{kind}: {name!r} of the package {packages} cannot be loaded "
            f"({type(error).__name__}: {brief(error)}); mend or uninstall {packages}"
        ) from None
    _check_type(kind, thing, f"{name!r} of the package {packages}")
    if isinstance(thing, World) and thing.name != name:
        raise ConfigError(
            f"world: the package {packages} offers {name!r}, but its record says {thing.name!r}"
        )
    return thing


def _load_named(kind: Kind, name: str) -> Any:
    """What ``module:attribute`` names, if it is allowed."""
    thing = import_allowed(kind, name)
    _check_type(kind, thing, repr(name))
    return thing


def import_allowed(kind: str, name: str) -> Any:
    """What ``module:attribute`` names, of any kind, if it is allowed."""
    check_allowed(kind, name)
    try:
        return resolve(name)
    except Exception as error:
        raise ConfigError(
            f"{kind}: {name!r} cannot be loaded ({type(error).__name__}: {brief(error)})"
        ) from None


def _check_type(kind: Kind, thing: Any, what: str) -> None:
    """Refuses something of another kind."""
    if not isinstance(thing, TYPES[kind]):
        wanted = "something to call" if kind == "policy" else f"a {TYPES[kind].__name__}"
        raise ConfigError(f"{kind}: {what} is {type(thing).__name__}, must be {wanted}")


def _package(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value
