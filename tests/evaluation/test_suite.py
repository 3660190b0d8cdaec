"""Suites are frozen, whole, disjoint, and can be drawn again."""

import itertools

import numpy as np
import pytest

from ncs.data.seeds import stream
from ncs.envs import make_env
from ncs.evaluation.suite import (
    EPISODES,
    GOALS,
    SEEDS,
    draw_suite,
    fresh_task,
    frozen_task,
    load_suite,
    suite_hash,
    task_hash,
)
from ncs.records import DataError

WORLD = "block-rearrange"
COUNTS = tuple(range(4, 13))
FROZEN = {
    ("block-rearrange", "dev"): "0b431d4339de",
    ("block-rearrange", "test"): "aa852e120734",
    ("robogym-rearrange", "dev"): "125b98af1a10",
    ("robogym-rearrange", "test"): "ca1686619ef4",
    ("block-stacking", "dev"): "c06c9abd55ab",
    ("block-stacking", "test"): "ec77337b881a",
}


@pytest.mark.parametrize(("world", "split"), FROZEN)
def test_the_suite_is_the_published_one(world: str, split: str) -> None:
    assert suite_hash(world, split) == FROZEN[world, split]
    arrays = load_suite(world, split)
    counts = COUNTS if world == WORLD else range(4, 8)
    for goal, objects in itertools.product(GOALS, counts):
        assert arrays[f"{goal}/{objects}/start"].shape[:2] == (SEEDS * EPISODES, objects)


@pytest.mark.parametrize(("world", "split"), FROZEN)
def test_the_suite_can_be_drawn_again(world: str, split: str) -> None:
    counts = (4, 12) if world == WORLD else (4,)
    again = draw_suite(make_env, world, split, counts)  # type: ignore[arg-type]
    frozen = load_suite(world, split)
    for name, array in again.items():
        np.testing.assert_array_equal(array, frozen[name])


def test_no_task_stands_twice_and_splits_share_none() -> None:
    env = make_env(WORLD)
    hashes = [
        task_hash(frozen_task(WORLD, split, "complete", 4, number))
        for split in ("dev", "test")
        for number in range(SEEDS * EPISODES)
    ]
    hashes += [task_hash(fresh_task(env, 0, "complete", 4, number)) for number in range(500)]
    hashes += [task_hash(env.draw_task(stream("train", 0, number))) for number in range(500)]
    assert len(set(hashes)) == len(hashes)


def test_a_frozen_task_can_be_played() -> None:
    for goal, objects in itertools.product(GOALS, COUNTS):
        task = frozen_task(WORLD, "test", goal, objects, 999)
        env = make_env(WORLD, n_objects=objects, goal=goal)
        _, info = env.reset(options={"task": task})
        assert info["unsatisfied_at_start"] == (objects if goal == "complete" else 2)
        assert info["minimum_moves"] >= info["unsatisfied_at_start"]


def test_fresh_tasks_are_the_same_for_everybody_and_new_for_each_draw() -> None:
    env = make_env(WORLD)
    one, same, other = (fresh_task(env, draw, "complete", 4, 7) for draw in (1, 1, 2))
    assert task_hash(one) == task_hash(same) != task_hash(other)


def test_what_a_suite_lacks_is_said() -> None:
    with pytest.raises(DataError, match="no complete tasks with 3 objects; use --split fresh"):
        frozen_task(WORLD, "test", "complete", 3, 0)
