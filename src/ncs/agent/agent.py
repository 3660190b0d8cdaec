"""The agent, whole: a trained model, its graph and control, for library users and commands.

Legend: H height, W width, C channels.
"""

from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ncs.agent.presets import Preset, control_preset
from ncs.agent.trained import Mind
from ncs.control.decision import Decision
from ncs.control.policy import GraphPolicy


class Agent:
    """One episode's player: show it two pictures, get an action and the reason for it."""

    def __init__(self, policy: GraphPolicy, seed: int = 0) -> None:
        self._policy = policy
        self.begin(seed)

    @classmethod
    def load(
        cls, folder: Path | str, preset: Preset = "best", n_slots: int = 16, seed: int = 0
    ) -> Self:
        """The agent of a model folder.

        Args:
            folder: made by 'ncs train' and 'ncs graph', such as one under ``checkpoints/``.
            preset: ``"best"`` with every extension, or ``"paper"``.
            n_slots: at least as many as there may be objects; surplus ones do no harm.
            seed: of its random choices.
        """
        mind = Mind.load(Path(folder), preset)
        return cls(mind.policy(control_preset(preset), n_slots, seed), seed)

    def begin(self, seed: int = 0) -> None:
        """Forgets the episode so far."""
        self._policy.begin([(seed,)])

    def act(self, image: NDArray[np.uint8], goal: NDArray[np.uint8]) -> Decision:
        """What to do now, and why: ``decision.action`` (6,) and ``decision.reason``."""
        self._policy.act(image[None], goal[None], [0])
        return self._policy.decisions[0]
