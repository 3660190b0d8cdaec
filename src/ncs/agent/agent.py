"""The agent, whole: a trained model, its graph and control, for library users and commands.

Legend: H height, W width, C channels.
"""

from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from ncs.agent.players import Ask, Players, players_of
from ncs.agent.presets import Manner
from ncs.agent.trained import Trained
from ncs.control.decision import Decision
from ncs.records import ConfigError, NcsError, Preset
from ncs.registry import facts_of


class Agent:
    """One episode's player: show it two pictures, get an action and the reason for it."""

    def __init__(self, players: Players, seed: int = 0, unit: str = "m") -> None:
        """Joins players and a seed.

        Args:
            players: Decide; this agent is one of them.
            seed: Of its random choices.
            unit: In which its user counts; actions are in metres all the same.
        """
        self._players, self.unit = players, unit
        self._episode = players.open(seed)

    @classmethod
    def load(
        cls,
        folder: Path | str,
        preset: Preset = "best",
        n_objects: int | None = None,
        seed: int = 0,
        world: str | None = None,
    ) -> Self:
        """The agent of a model folder.

        Args:
            folder: made by 'ncs train' and 'ncs graph', such as one under ``checkpoints/``.
            preset: ``"best"`` with every extension, or ``"paper"``.
            n_objects: in the scene. The paper's way has to be told, as it takes every slot for an
                object; otherwise it is the most there may be, and too many do no harm.
            seed: of its random choices.
            world: where it is to act, of those that the model was trained on; the first of them
                where none is named.
        """
        if n_objects is None and preset == "paper":
            raise ConfigError("n_objects: the paper's way has to be told how many there are")
        if n_objects is not None and n_objects < 1:
            raise ConfigError(f"n_objects: must be at least 1, got {n_objects}")
        trained = Trained.load(Path(folder), preset, world=world)
        n_slots = trained.slots_for(n_objects or facts_of(trained.world).objects[1], preset)
        players = players_of(trained, Manner(preset), n_slots, most=1)
        return cls(players, seed, trained.seen.unit)

    def begin(self, seed: int = 0) -> None:
        """Forgets the episode so far."""
        self._players.close(self._episode)
        self._episode = self._players.open(seed)

    def act(self, image: NDArray[Any], goal: NDArray[Any]) -> Decision:
        """What to do now, and why: ``decision.action`` (6,) and ``decision.reason``.

        Pictures are (H, W, 3), of bytes or of numbers in [0, 1].
        """
        (found,) = self._players.act([Ask(self._episode, image, goal)])
        if isinstance(found, NcsError):
            raise found
        return found
