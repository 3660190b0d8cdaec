"""Lanes play side by side as if each were alone."""

from collections.abc import Sequence

import numpy as np
import pytest

from ncs.baselines.chance import Chance
from ncs.baselines.oracle import Oracle
from ncs.data.rollout import Start, rollout
from ncs.envs import make_env
from ncs.envs.base import Rearrange
from ncs.records import Episode


def worlds(count: int, n_objects: int = 4) -> list[Rearrange]:
    return [make_env("block-rearrange", n_objects=n_objects) for _ in range(count)]


def starts(count: int, n_objects: int = 4) -> list[Start]:
    env = worlds(1, n_objects)[0]
    return [Start(env.draw_task(np.random.default_rng(i)), (i,)) for i in range(count)]


def play(lanes: int, tasks: Sequence[Start]) -> list[Episode]:
    envs = worlds(lanes)
    policy = Chance(envs[0].arena_low, envs[0].arena_high)
    episodes = []
    for first in range(0, len(tasks), lanes):
        episodes += rollout(envs, policy, tasks[first : first + lanes], keep=True)
    return episodes


def test_the_number_of_lanes_changes_nothing() -> None:
    tasks = starts(6)
    for alone, together in zip(play(1, tasks), play(3, tasks), strict=True):
        np.testing.assert_array_equal(alone.action, together.action)
        np.testing.assert_array_equal(alone.satisfied, together.satisfied)
        np.testing.assert_array_equal(alone.frame, together.frame)


def test_an_episode_records_every_step_and_the_start() -> None:
    envs = worlds(2)
    episode = rollout(envs, Oracle(envs), starts(2), keep=True)[0]
    assert episode.satisfied.tolist() == [0, 1, 2, 3, 4]
    assert episode.action.shape == (4, 6)
    assert episode.frame is not None
    assert episode.frame.shape == (5, 64, 64, 3)
    assert len(episode.truth) == 5
    assert episode.seconds > 0


def test_frames_are_kept_only_when_asked() -> None:
    envs = worlds(1)
    assert rollout(envs, Oracle(envs), starts(1))[0].frame is None


def test_an_episode_can_be_cut_short() -> None:
    envs = worlds(1)
    assert len(rollout(envs, Oracle(envs), starts(1), max_steps=2)[0].action) == 2


def test_more_tasks_than_worlds_is_an_error() -> None:
    envs = worlds(1)
    with pytest.raises(ValueError, match="2 tasks need as many worlds"):
        rollout(envs, Oracle(envs), starts(2))
