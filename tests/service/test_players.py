from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ncs.records import DataError, Entities
from ncs.service.players import Ask, Players, own_copy


class Counting:
    """Perception that remembers how many pictures it was shown at a time."""

    def __init__(self) -> None:
        self.shown: list[int] = []

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        self.shown = []

    def __call__(self, image_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[Entities]:
        self.shown.append(len(image_BHWC))
        return [entities(float(image[0, 0, 0])) for image in image_BHWC]


def entities(value: float) -> Entities:
    one = np.full((1, 2), value, np.float32)
    return Entities(kind=one, state=one, mask=one, presence=np.ones(1, bool))


class Echo:
    """A policy whose decision is what it saw, and which counts its steps."""

    def __init__(self, perceive) -> None:
        self._perceive, self.decisions = perceive, {}

    def begin(self, seed_B) -> None:
        self._steps = 0

    def act(self, image, goal, lane_B) -> None:
        self._steps += 1
        now, then = self._perceive(image, lane_B)[0], self._perceive(goal, lane_B)[0]
        self.decisions[0] = (now.state[0, 0], then.state[0, 0], self._steps)


def picture(value: int, size: int = 4) -> NDArray[np.uint8]:
    return np.full((size, size, 3), value, np.uint8)


@pytest.fixture
def perception() -> Counting:
    return Counting()


@pytest.fixture
def players(perception: Counting) -> Players:
    return Players(perception, Echo, most=3)  # type: ignore[arg-type]


def test_all_pictures_are_seen_in_one_pass_and_alike_ones_once(
    players: Players, perception: Counting
) -> None:
    asks = [Ask("", picture(n), picture(9)) for n in (1, 2, 3)]
    assert players.act(asks) == [(1, 9, 1), (2, 9, 1), (3, 9, 1)]
    assert perception.shown == [4]


def test_pictures_of_two_sizes_are_seen_size_by_size(
    players: Players, perception: Counting
) -> None:
    asks = [Ask("", picture(1), picture(2)), Ask("", picture(1, 6), picture(2, 6))]
    assert players.act(asks) == [(1, 2, 1), (1, 2, 1)]
    assert perception.shown == [2, 2]


def test_an_episode_remembers_and_others_do_not_share_its_memory(players: Players) -> None:
    one, two = players.open(), players.open()
    players.act([Ask(one, picture(1), picture(2))])
    again = players.act([Ask(one, picture(1), picture(2)), Ask(two, picture(1), picture(2))])
    assert [answer[2] for answer in again] == [2, 1]  # type: ignore[index]


def test_an_unknown_episode_is_refused_and_the_rest_of_the_batch_answered(
    players: Players,
) -> None:
    answers = players.act([Ask("gone", picture(1), picture(2)), Ask("", picture(3), picture(4))])
    assert isinstance(answers[0], DataError)
    assert answers[1] == (3, 4, 1)


def test_the_longest_idle_is_forgotten_first(players: Players) -> None:
    names = [players.open() for _ in range(3)]
    players.act([Ask(names[0], picture(1), picture(2))])
    players.open()
    players.find(names[0])
    with pytest.raises(DataError, match="closed or forgotten"):
        players.find(names[1])


def test_a_closed_episode_is_gone(players: Players) -> None:
    name = players.open()
    players.close(name)
    with pytest.raises(DataError):
        players.close(name)


def test_an_episode_keeps_no_other_picture_of_its_batch_alive() -> None:
    batch_BKP = np.zeros((8, 1, 2), np.float32)
    kind, state, mask = batch_BKP[:3]
    part = Entities(kind, state, mask, np.ones(1, bool))
    kept = own_copy(part)
    assert kept.mask.base is None
    assert kept.state.base is None
    assert (kept.mask == part.mask).all()
