"""Who is judged: the base of every method's record, which makes the policy that plays."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from ncs.records import Checkpoint, Env, Policy
from ncs.settings import Settings


class Method(Settings):
    """A policy that can be made anywhere, and all that sets it apart from another.

    A subclass adds its own settings as fields. It is sent to worker processes as it is, so it
    holds where files are rather than what is in them.
    """

    WHERE: ClassVar[frozenset[str]] = frozenset()  # fields that only say where something is

    name: str
    label: str = ""  # what tables call it, if that is not its name
    checkpoint: Checkpoint = Checkpoint()

    def settings(self) -> dict[str, Any]:
        """The settings that bear on what it does, as plain values: no labels, paths or hashes."""
        about = {"name", "label", "checkpoint", *self.WHERE}
        return self.model_dump(mode="json", exclude=about, exclude_none=True)

    @abstractmethod
    def policy(self, envs: Sequence[Env]) -> Policy:
        """The policy that plays in worlds of one kind and number of objects, one a lane."""
