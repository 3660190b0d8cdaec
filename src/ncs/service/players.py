"""Takes pictures of several episodes at once, gives their decisions: seen together, decided apart.

Legend: B pictures, H height, W width, C channels.
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from ncs.agent.perceive import Perception
from ncs.control.decision import Decision
from ncs.control.policy import GraphPolicy
from ncs.records import DataError, Entities
from ncs.storage import digest

Picture = NDArray[np.uint8]
Perceive = Callable[[Picture, Sequence[int]], list[Entities]]
MOST_PICTURES = 64  # looked at together
MakePolicy = Callable[[Perceive], GraphPolicy]


@dataclass(frozen=True)
class Ask:
    """One question: what to do now, in which episode."""

    episode: str  # "" for a question without memory
    now: Picture  # (H, W, C)
    goal: Picture  # (H, W, C)


@dataclass
class Player:
    """One episode's memory."""

    policy: GraphPolicy
    seen: dict[str, Entities] = field(default_factory=dict)  # entities of pictures just looked at
    used: float = 0.0
    steps: int = 0


class UnknownEpisodeError(DataError):
    """An episode that was closed, forgotten, or of a service that was started again since."""


class Players:
    """Episodes under way with one model: bounded in number, the longest idle forgotten first."""

    def __init__(self, perceive: Perception, make_policy: MakePolicy, most: int = 256) -> None:
        self._perceive, self._make_policy, self._most = perceive, make_policy, most
        self._perceive.begin([(lane,) for lane in range(MOST_PICTURES)])
        self._players: OrderedDict[str, Player] = OrderedDict()

    def __len__(self) -> int:
        return len(self._players)

    def open(self, seed: int = 0) -> str:
        """Starts an episode; its name comes back."""
        name = secrets.token_hex(8)
        self._players[name] = self._new(seed)
        while len(self._players) > self._most:
            self._players.popitem(last=False)
        return name

    def close(self, name: str) -> None:
        """Forgets an episode."""
        self.find(name)
        del self._players[name]

    def find(self, name: str) -> Player:
        """An episode by name; an unknown one is refused."""
        if name not in self._players:
            raise UnknownEpisodeError(
                f"episode: there is no {name[:32]!r}; it was closed or forgotten, open a new one"
            )
        return self._players[name]

    def act(self, asks: Sequence[Ask]) -> list[Decision | DataError]:
        """A decision for each question, in order; all pictures are looked at in one pass."""
        seen: dict[str, Entities] = {}
        pictures = {key(picture): picture for ask in asks for picture in (ask.now, ask.goal)}
        for shape in {picture.shape for picture in pictures.values()}:
            alike = {k: picture for k, picture in pictures.items() if picture.shape == shape}
            found = self._perceive(np.stack(list(alike.values())), range(len(alike)))
            seen.update(zip(alike, map(own_copy, found), strict=True))
        return [self._decide(ask, seen) for ask in asks]

    def _decide(self, ask: Ask, seen: dict[str, Entities]) -> Decision | DataError:
        try:
            player = self.find(ask.episode) if ask.episode else self._new(0)
        except DataError as error:
            return error
        player.seen = seen
        player.policy.act(ask.now[None], ask.goal[None], [0])
        player.seen = {}
        player.steps, player.used = player.steps + 1, time.monotonic()
        if ask.episode:
            self._players.move_to_end(ask.episode)
        return player.policy.decisions[0]

    def _new(self, seed: int) -> Player:
        seen: dict[str, Entities] = {}
        player = Player(self._make_policy(lambda image, _: [player.seen[key(i)] for i in image]))
        player.seen = seen
        player.policy.begin([(seed,)])
        return player


def own_copy(entities: Entities) -> Entities:
    """Entities with arrays of their own: an episode must not keep all pictures of a batch alive."""
    return Entities(**{f.name: getattr(entities, f.name).copy() for f in fields(entities)})


def key(picture: Picture) -> str:
    """What tells a picture from others."""
    return digest(np.ascontiguousarray(picture).tobytes())
