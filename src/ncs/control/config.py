"""How a decision is made: the paper's way, and the extensions by name."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import field_validator

from ncs.control.algorithm import Steps, furthest, select
from ncs.control.extensions import EXTENSIONS, RETIRED, find_extension
from ncs.settings import Settings


class ControlConfig(Settings):
    """Settings of Algorithm 2; as they stand no extension is on and a goal is looked at once."""

    choice: Literal["sample", "argmax"] = "sample"  # the paper found sampling better
    extensions: tuple[str, ...] = ()  # names of EXTENSIONS, or PACKAGE.MODULE:FUNCTION

    # When a goal's slots are inferred: "anew" at every step, as printed; None is once a goal, which
    # is the same with a model that draws nothing.
    goals: Literal["anew"] | None = None

    @field_validator("extensions")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in _alive(names):
            find_extension(name)
        return names

    @classmethod
    def paper(cls) -> Self:
        """The paper's control."""
        return cls(goals="anew")

    @classmethod
    def best(cls) -> Self:
        """Every extension on."""
        # What holds is told apart by a learned threshold, so there is nothing to sample.
        return cls(choice="argmax", extensions=tuple(EXTENSIONS))

    def changed(
        self, without: Sequence[str] = (), only: Sequence[str] = (), choice: str | None = None
    ) -> Self:
        """The same with some extensions off, others on, or another way to choose."""
        for name in (*without, *only):
            find_extension(name)
        names = dict.fromkeys((*self.extensions, *only))
        kept = [name for name in names if name not in without]
        # Those of our own wrap each other in a fixed order; others come around them.
        order = list(EXTENSIONS)
        kept.sort(key=lambda name: order.index(name) if name in order else len(order))
        changes = {"choice": choice or self.choice, "extensions": tuple(kept)}
        return type(self)(**{**self.model_dump(), **changes})

    def steps(self) -> Steps:
        """The steps of an episode that begins now."""
        steps = Steps(select=furthest if self.choice == "argmax" else select)
        for name in _alive(self.extensions):
            steps = find_extension(name)(steps)
        return steps


def _alive(names: Sequence[str]) -> list[str]:
    """Extensions but for those that left the code, which older rows name."""
    return [name for name in names if name not in RETIRED]
