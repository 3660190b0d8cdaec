"""Anybody's policy as a method: a function that is told the facts and gives a policy."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field

from ncs.evaluation.method import Method
from ncs.records import Checkpoint, ConfigError, Env, EnvFacts, Policy
from ncs.registry import find
from ncs.storage import brief, canonical, digest_file, digest_json

Factory = Callable[..., Policy]  # called with ``EnvFacts``, and settings by name


class FactoryMethod(Method):
    """A policy from a registered name, or from MODULE:FACTORY."""

    WHERE: ClassVar[frozenset[str]] = frozenset({"model", "world"})

    world: str
    model: Path | None = None
    values: Mapping[str, Any] = Field(default_factory=dict)  # settings that the factory is given
    source: str = ""  # hash of the file that the factory is in: another one is another method

    @classmethod
    def of(
        cls, name: str, label: str, world: str, model: Path | None, values: dict[str, Any]
    ) -> Self:
        """The method of a name; refuses one that cannot be found, or settings that are no JSON."""
        try:
            canonical(values)
        except (TypeError, ValueError):
            raise ConfigError(f"settings: must be plain values, got {values!r}") from None
        weights = hash_of(model)[:12] if model is not None else ""
        return cls(
            name=name,
            label=label,
            world=world,
            model=model,
            values=values,
            source=source_of(find("policy", name)),
            checkpoint=Checkpoint(weights),
        )

    def policy(self, envs: Sequence[Env]) -> Policy:
        """What the factory makes; it is handed facts, never the worlds."""
        factory: Factory = find("policy", self.name)
        space = envs[0].action_space
        facts = EnvFacts(
            world=self.world,
            n_objects=envs[0].n_objects,
            lanes=len(envs),
            low=space.low[:3].astype(np.float64),
            high=space.high[:3].astype(np.float64),
            tolerance=envs[0].tolerance,
            model=self.model,
        )
        try:
            made = factory(facts, **self.values)
        except TypeError as error:
            raise ConfigError(f"method: {self.name} cannot be made ({brief(error)})") from None
        if not (hasattr(made, "begin") and hasattr(made, "act")):
            raise ConfigError(f"method: {self.name} gave {type(made).__name__}, which is no policy")
        return made


def source_of(factory: Factory) -> str:
    """A hash of the file that a factory is defined in; empty where there is none."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(factory))
    except TypeError:
        file = inspect.getsourcefile(type(factory))
    return digest_file(Path(file))[:12] if file and Path(file).is_file() else ""


def hash_of(path: Path) -> str:
    """A hash of a file, or of every file in a folder with its name."""
    if path.is_file():
        return digest_file(path)
    if not path.is_dir():
        raise ConfigError(f"{path}: there is no such model")
    files = sorted(part for part in path.rglob("*") if part.is_file())
    return digest_json([[str(f.relative_to(path)), digest_file(f)] for f in files])
