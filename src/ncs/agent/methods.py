"""Methods by name: a record each, with its own settings and the hashes of the files it reads."""

import functools
import importlib
from collections.abc import Callable, Sequence

import numpy as np

from ncs.agent.factory import FactoryMethod
from ncs.agent.options import RIVALS, MethodOptions
from ncs.baselines.chance import Chance
from ncs.baselines.oracle import Oracle
from ncs.evaluation.method import Method
from ncs.records import ConfigError, Env, Policy
from ncs.registry import names

METHODS = ("random", "oracle", "ncs", "nf", "mpc", *RIVALS)


def make_method(name: str, options: MethodOptions) -> Method:
    """The method of a name, or of MODULE:FACTORY, with what was asked for."""
    if name not in (*MAKERS, *names("policy")) and ":" not in name:
        known = ", ".join((*MAKERS, *names("policy")))
        raise ConfigError(f"method: there is no {name!r}, choose one of {known}, or MODULE:FACTORY")
    maker, taken = MAKERS.get(name, (_of_factory, {"model", "settings"}))
    if too_much := sorted(options.given() - taken):
        raise ConfigError(f"method: {name} takes no {too_much[0]}")
    return maker(name, options)


class RandomMethod(Method):
    """Random actions within reach."""

    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy, which sees nothing."""
        space = envs[0].action_space
        return Chance(space.low[:3].astype(np.float64), space.high[:3].astype(np.float64))


class OracleMethod(Method):
    """Shortest solutions from the ground truth."""

    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy, the only one that is handed the worlds it plays in."""
        return Oracle(envs)


def _plain(kind: type[Method], name: str, options: MethodOptions) -> Method:
    return kind(name=name, label=options.label)


def _learned(maker: str, name: str, options: MethodOptions) -> Method:
    """A method of the room's learned ones, which bring torch along."""
    made: Method = getattr(importlib.import_module("ncs.agent.learned"), maker)(name, options)
    return made


def _of_factory(name: str, options: MethodOptions) -> Method:
    world, settings = options.world, dict(options.settings)
    return FactoryMethod.of(name, options.label, world, options.model, settings)


Maker = Callable[[str, MethodOptions], Method]
_LOOKING = {"model", "preset", "slots"}
_PIXELS = functools.partial(_learned, "make_pixels")
MAKERS: dict[str, tuple[Maker, set[str]]] = {  # and the options that each takes
    "random": (functools.partial(_plain, RandomMethod), set()),
    "oracle": (functools.partial(_plain, OracleMethod), set()),
    "ncs": (
        functools.partial(_learned, "make_ncs"),
        {*_LOOKING, "graph", "without", "only", "choice"},
    ),
    "nf": (functools.partial(_learned, "make_nf"), _LOOKING),
    "mpc": (functools.partial(_learned, "make_mpc"), {*_LOOKING, "settings"}),
    **dict.fromkeys(RIVALS, (_PIXELS, {"model", "settings"})),
}
