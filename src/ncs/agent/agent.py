"""The agent, whole: a trained model, its graph and control, for library users and commands.

Legend: H height, W width, C channels.
"""

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ncs.agent.policy import SeeingPolicy
from ncs.agent.presets import Preset, control_preset, sight
from ncs.agent.trained import Trained
from ncs.control.decision import Decision
from ncs.control.policy import GraphPolicy
from ncs.records import ConfigError
from ncs.registry import facts_of

Size = tuple[int, int]


class Agent:
    """One episode's player: show it two pictures, get an action and the reason for it."""

    def __init__(
        self,
        policy: SeeingPolicy[GraphPolicy],
        seed: int = 0,
        size: Size | None = None,
        unit: str = "m",
    ) -> None:
        """Joins a policy and a seed.

        Args:
            policy: Decides.
            seed: Of its random choices.
            size: Height and width of the pictures it can look at; None for any.
            unit: In which its user counts; actions are in metres all the same.
        """
        self._policy, self._size, self.unit = policy, size, unit
        self.begin(seed)

    @classmethod
    def load(
        cls,
        folder: Path | str,
        preset: Preset = "best",
        n_objects: int | None = None,
        seed: int = 0,
    ) -> Self:
        """The agent of a model folder.

        Args:
            folder: made by 'ncs train' and 'ncs graph', such as one under ``checkpoints/``.
            preset: ``"best"`` with every extension, or ``"paper"``.
            n_objects: in the scene. The paper's way has to be told, as it takes every slot for an
                object; otherwise it is the most there may be, and too many do no harm.
            seed: of its random choices.
        """
        if n_objects is None and preset == "paper":
            raise ConfigError("n_objects: the paper's way has to be told how many there are")
        if n_objects is not None and n_objects < 1:
            raise ConfigError(f"n_objects: must be at least 1, got {n_objects}")
        trained = Trained.load(Path(folder), preset).seeing(sight(preset))
        n_slots = trained.slots_for(n_objects or facts_of(trained.world).objects[1], preset)
        policy = trained.policy(control_preset(preset), n_slots)
        return cls(policy, seed, trained.model.picture_size, trained.seen.unit)

    def begin(self, seed: int = 0) -> None:
        """Forgets the episode so far."""
        self._policy.begin([(seed,)])

    def act(self, image: NDArray[Any], goal: NDArray[Any]) -> Decision:
        """What to do now, and why: ``decision.action`` (6,) and ``decision.reason``.

        Pictures are (H, W, 3), of bytes or of numbers in [0, 1].
        """
        now, then = (
            as_picture(picture, name, self._size)
            for picture, name in ((image, "image"), (goal, "goal"))
        )
        self._policy.act(now[None], then[None], [0])
        return self._policy.acting.decisions[0]


def as_picture(picture: NDArray[Any], name: str, size: Size | None) -> NDArray[np.uint8]:
    """A picture as bytes; refuses by name what is none."""
    array = np.asarray(picture)
    if array.ndim != 3 or array.shape[2] != 3:
        raise ConfigError(f"{name}: must be (height, width, 3), is {array.shape}")
    if size is not None and array.shape[:2] != size:
        raise ConfigError(f"{name}: must be {size} pixels high and wide, is {array.shape[:2]}")
    if array.dtype == np.uint8:
        return array
    if not np.issubdtype(array.dtype, np.floating):
        raise ConfigError(f"{name}: must be bytes or numbers in [0, 1], is {array.dtype}")
    if not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1):
        raise ConfigError(f"{name}: its numbers must lie in [0, 1]; divide bytes by 255")
    return np.asarray((array * 255).round(), np.uint8)
