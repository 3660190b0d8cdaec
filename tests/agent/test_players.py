"""Episodes are seen together and decided apart; each remembers, and none is kept for ever."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from torch import Generator

from ncs.agent.players import Ask, Players, own_copy
from ncs.records import DataError, Entities


class Counting:
    """Perception that remembers how many pictures it was shown at a time."""

    def __init__(self) -> None:
        self.shown: list[int] = []

    def look(self, image_BHWC: NDArray[np.uint8], source_B: Sequence[Generator]) -> list[Entities]:
        assert len(image_BHWC) == len(source_B)
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
        self._steps, self._goal = 0, None

    def act(self, image, goal, lane_B) -> None:
        self._steps += 1
        now = self._perceive(image, lane_B)[0]
        if not np.array_equal(self._goal, goal):
            self._goal, self._then = goal, self._perceive(goal, lane_B)[0]
        self.decisions[0] = (now.state[0, 0], self._then.state[0, 0], self._steps)


def picture(value: int, size: int = 4) -> NDArray[np.uint8]:
    return np.full((size, size, 3), value, np.uint8)


@pytest.fixture
def perception() -> Counting:
    return Counting()


@pytest.fixture
def players(perception: Counting) -> Players:
    return Players(perception, Echo, most=3)  # type: ignore[arg-type]


def test_goals_are_seen_in_one_pass_and_scenes_in_another(
    players: Players, perception: Counting
) -> None:
    asks = [Ask("", picture(n), picture(9)) for n in (1, 2, 3)]
    assert players.act(asks) == [(1, 9, 1), (2, 9, 1), (3, 9, 1)]
    assert perception.shown == [3, 3]


def test_goals_may_be_looked_at_with_every_question(perception: Counting) -> None:
    players = Players(perception, Echo, anew=True)  # type: ignore[arg-type]
    name = players.open()
    for value in (1, 2):
        players.act([Ask(name, picture(value), picture(9))])
    assert perception.shown == [1, 1] * 2


def test_an_agent_of_the_papers_preset_plays_on_after_its_first_step() -> None:
    from ncs.agent import Agent, default_model
    from ncs.envs import make_env

    agent = Agent.load(default_model("block-rearrange"), "paper", n_objects=4)
    env = make_env("block-rearrange", n_objects=4)
    observation, _ = env.reset(seed=3)
    for _ in range(2):
        decision = agent.act(observation["image"], observation["goal"])
        observation, *_ = env.step(decision.action)
    assert np.isfinite(decision.action).all()


def test_pictures_of_two_sizes_are_seen_size_by_size(
    players: Players, perception: Counting
) -> None:
    asks = [Ask("", picture(1), picture(2)), Ask("", picture(1, 6), picture(2, 6))]
    assert players.act(asks) == [(1, 2, 1), (1, 2, 1)]
    assert perception.shown == [1, 1, 1, 1]


def test_an_episode_remembers_and_others_do_not_share_its_memory(players: Players) -> None:
    one, two = players.open(), players.open()
    players.act([Ask(one, picture(1), picture(2))])
    again = players.act([Ask(one, picture(1), picture(2)), Ask(two, picture(1), picture(2))])
    assert [answer[2] for answer in again] == [2, 1]  # type: ignore[index]


def test_a_goal_is_looked_at_once_and_a_new_one_again(
    players: Players, perception: Counting
) -> None:
    one, two = players.open(), players.open()
    first, other = picture(7), picture(8)
    players.act([Ask(one, picture(1), first), Ask(two, picture(2), first)])
    players.act([Ask(one, picture(3), first), Ask(two, picture(4), other)])
    assert perception.shown == [2, 2, 1, 2]
    again = [Ask(one, picture(5), first), Ask(one, picture(6), other), Ask(one, picture(7), other)]
    assert [answer[:2] for answer in players.act(again)] == [(5, 7), (6, 8), (7, 8)]  # type: ignore[index]


def test_a_scene_that_looks_like_its_goal_is_as_it_was_seen_last(
    players: Players, perception: Counting
) -> None:
    perception.look = lambda image_BHWC, source_B: [  # type: ignore[method-assign]
        entities(len(perception.shown)) for _ in Counting.look(perception, image_BHWC, source_B)
    ]
    assert players.act([Ask("", picture(1), picture(1))]) == [(2, 2, 1)]


def test_a_picture_that_is_none_is_refused_and_the_rest_of_the_batch_answered(
    perception: Counting,
) -> None:
    players = Players(perception, Echo, size=(4, 4))  # type: ignore[arg-type]
    answers = players.act([Ask("", picture(1, 6), picture(2, 6)), Ask("", picture(3), picture(4))])
    assert "now: must be (4, 4) pixels" in str(answers[0])
    assert answers[1] == (3, 4, 1)


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
