"""A world that keeps its promises passes every check; one that breaks one is told which."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.plugins.shelf_world import WORLD, Shelf

from ncs.data.checkup import CHECKS, Check, Subject, check_world
from ncs.records import Task, Truth


def make(name: str, **settings: Any) -> Shelf:
    return Shelf(**settings)


def failures(kind: type[Shelf]) -> dict[str, str]:
    """What is missing from a world, by check; processes are left out, they take long."""
    subject = Subject(WORLD.name, WORLD, lambda name, **settings: kind(**settings))
    quick = CHECKS[:-1]
    found = []
    for check in check_world(subject):
        found.append(check)
        if len(found) == len(quick):
            break
    return {check.name: check.line for check in found if not check.ok}


def test_a_good_world_passes_in_other_processes_too() -> None:
    found = list(check_world(Subject(WORLD.name, WORLD, make)))
    assert len(found) == len(CHECKS)
    assert [check for check in found if not check.ok] == []
    assert Check("workers", True, "two processes see the same") in found


class Forgetful(Shelf):
    def draw_task(self, rng: np.random.Generator) -> Task:
        return super().draw_task(np.random.default_rng())


class Solved(Shelf):
    def draw_task(self, rng: np.random.Generator) -> Task:
        task = super().draw_task(rng)
        goal = np.where(task.scene["goal"] < 0, -1, task.scene["start"])
        return Task(task.world, task.goal, {**task.scene, "goal": goal}, task.minimum_moves)


class Roundabout(Shelf):
    def oracle_action(self) -> NDArray[np.float32]:
        if self._steps == 0:
            return np.zeros(6, np.float32)
        return super().oracle_action()


class Clumsy(Shelf):
    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        return super().random_move(index, rng) + np.float32([0.2, 0, 0, 0, 0, 0])


class Hiding(Shelf):
    def segment(self) -> NDArray[np.uint8]:
        return super().segment() * 0


class Short(Shelf):
    def truth(self) -> Truth:
        truth = super().truth()
        return Truth(truth.position[:, :2], truth.colour, truth.kind)


class Endless(Shelf):
    @property
    def max_steps(self) -> int:
        return 10**6


class Broken(Shelf):
    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        raise RuntimeError("no such brush")


@pytest.mark.parametrize(
    ("kind", "check", "phrase"),
    [
        (Forgetful, "tasks", "must draw from the generator it is given alone"),
        (Solved, "starts", "starts solved"),
        (Roundabout, "oracle", "takes 4 moves where minimum_moves says 3"),
        (Clumsy, "random moves", "random_move picks 0.2 m beside object 0"),
        (Hiding, "truth", "is nowhere in view"),
        (Short, "truth", "truth must be (N, 3)"),
        (Endless, "episodes end", "truncated is False"),
        (Broken, "starts", "raises RuntimeError: no such brush"),
    ],
)
def test_what_is_missing_is_said(kind: type[Shelf], check: str, phrase: str) -> None:
    assert phrase in failures(kind)[check]
