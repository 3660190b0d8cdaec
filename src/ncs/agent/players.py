"""Takes pictures of several episodes at once, gives their decisions: seen together, decided apart.

Whatever asks for one decision at a time goes through here: an ``Agent``, 'ncs solve', the viewer
and the service.
Legend: B pictures, H height, W width, C channels.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.agent.perceive import stream_of
from ncs.agent.presets import Manner
from ncs.agent.trained import Trained
from ncs.control.decision import Decision
from ncs.control.policy import GraphPolicy
from ncs.graph.goals import Encode
from ncs.records import ConfigError, DataError, Entities, NcsError
from ncs.storage import digest

Picture = NDArray[np.uint8]  # (H, W, C)
Size = tuple[int, int]
MakePolicy = Callable[[Encode], GraphPolicy]
Seen = list[tuple[Picture, Entities]]  # pictures that were looked at, the latest last
MOST = 256  # episodes at a time; each keeps its goal, some hundred kilobytes


class Eyes(Protocol):
    """What looks at pictures, each with a random stream of its own."""

    def look(self, image_BHWC: Picture, source_B: Sequence[torch.Generator]) -> list[Entities]:
        """The entities of each picture."""
        ...


@dataclass(frozen=True)
class Ask:
    """One question: what to do now, in which episode."""

    episode: str  # "" for a question without memory
    now: NDArray[Any]  # (H, W, C), of bytes or of numbers in [0, 1]
    goal: NDArray[Any]  # (H, W, C)


@dataclass
class Player:
    """One episode's memory."""

    policy: GraphPolicy
    source: torch.Generator  # of what is random in looking
    goal: str = ""  # what tells the latest goal from others
    seen: Seen = field(default_factory=list)  # what its policy may ask for now


@dataclass
class Turn:
    """A question of a player that is being answered."""

    player: Player
    now: Picture
    goal: Picture
    seen: Seen = field(default_factory=list)

    @cached_property
    def goal_key(self) -> str:
        """What tells the goal from others."""
        return key(self.goal)

    @property
    def is_new(self) -> bool:
        """Whether the goal is another one than before."""
        return self.goal_key != self.player.goal


class UnknownEpisodeError(DataError):
    """An episode that was closed, forgotten, or of a service that was started again since."""


class Players:
    """Episodes under way with one model: bounded in number, the longest idle forgotten first."""

    def __init__(
        self,
        eyes: Eyes,
        make_policy: MakePolicy,
        size: Size | None = None,
        most: int = MOST,
        anew: bool = False,
    ) -> None:
        """Starts without any episode.

        Args:
            eyes: Look at pictures, many at a time.
            make_policy: What decides in one episode, given what it sees through.
            size: Height and width of the pictures that can be looked at; None for any.
            most: Episodes that are remembered.
            anew: Whether goals are looked at with every question, as the policy asks for them.
        """
        self._eyes, self._make_policy, self._size, self._most = eyes, make_policy, size, most
        self._anew = anew
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

    def act(self, asks: Sequence[Ask]) -> list[Decision | NcsError]:
        """A decision for each question, in order, or what is wrong with it.

        New goals are looked at in one pass, scenes in another: an episode that is asked about
        alone sees the same to the bit as one that the judge plays.
        """
        taken = [self._take(ask) for ask in asks]
        turns = [turn for turn in taken if isinstance(turn, Turn)]
        self._look([(turn, turn.goal) for turn in turns if turn.is_new or self._anew])
        self._look([(turn, turn.now) for turn in turns])
        return [decide(turn) if isinstance(turn, Turn) else turn for turn in taken]

    def _take(self, ask: Ask) -> Turn | NcsError:
        try:
            now = as_picture(ask.now, "now", self._size)
            goal = as_picture(ask.goal, "goal", now.shape[:2])  # of one camera, of one size
            player = self.find(ask.episode) if ask.episode else self._new(0)
        except NcsError as error:
            return error
        if ask.episode:
            self._players.move_to_end(ask.episode)
        return Turn(player, now, goal)

    def _look(self, wanted: Sequence[tuple[Turn, Picture]]) -> None:
        """Adds what is in a picture to what its turn has seen; one pass for each size."""
        for shape in dict.fromkeys(picture.shape for _, picture in wanted):
            alike = [(turn, picture) for turn, picture in wanted if picture.shape == shape]
            sources = [turn.player.source for turn, _ in alike]
            found = self._eyes.look(np.stack([picture for _, picture in alike]), sources)
            for (turn, picture), entities in zip(alike, found, strict=True):
                turn.seen.append((picture, own_copy(entities)))

    def _new(self, seed: int) -> Player:
        policy = self._make_policy(lambda image_BHWC, _: [seen_in(player, i) for i in image_BHWC])
        player = Player(policy, stream_of("perceive", (seed,)))
        policy.begin([(seed,)])
        return player


def players_of(trained: Trained, manner: Manner, n_slots: int, most: int = MOST) -> Players:
    """Players with a trained model and its graph, who look and decide in a manner."""
    control, seeing = manner.control, trained.seeing(manner.sight)

    def new_policy(look: Encode) -> GraphPolicy:
        return GraphPolicy(look, trained.graph, control, trained.seen.arena)

    size, anew = seeing.model.picture_size, control.goals == "anew"
    return Players(seeing.perception(n_slots), new_policy, size, most, anew)


def decide(turn: Turn) -> Decision:
    """What a player does about what it has seen."""
    player = turn.player
    player.seen = turn.seen
    player.policy.act(turn.now[None], turn.goal[None], [0])
    player.seen, player.goal = [], turn.goal_key
    return player.policy.decisions.pop(0)  # whoever asked keeps it; it holds all that was seen


def seen_in(player: Player, picture: Picture) -> Entities:
    """What a player saw in a picture when it was looked at last."""
    looks = reversed(player.seen)
    return next(entities for shown, entities in looks if np.array_equal(shown, picture))


def own_copy(entities: Entities) -> Entities:
    """Entities with arrays of their own: an episode must not keep all pictures of a batch alive."""
    return Entities(**{f.name: getattr(entities, f.name).copy() for f in fields(entities)})


def key(picture: Picture) -> str:
    """What tells a picture from others."""
    return digest(repr(picture.shape).encode() + np.ascontiguousarray(picture).tobytes())


def as_picture(picture: NDArray[Any], name: str, size: Size | None) -> Picture:
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
