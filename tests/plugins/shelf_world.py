"""A world in one file, outside the package: discs on the places of a shelf, painted by NumPy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.base import IMAGE_SIZE, Rearrange
from ncs.records import Task, Truth
from ncs.registry import World

PLACES = 6
SPACING = 0.1  # metres
NO_GOAL = -1

WORLD = World(
    name="toy-shelf",
    make="shelf_world:Shelf",
    arena_low=(-PLACES * SPACING / 2, -SPACING, 0.0),
    arena_high=(PLACES * SPACING / 2, SPACING, 0.0),
    tolerance=SPACING / 2,
    objects=(1, PLACES // 2),
    suites=Path(__file__).parent,
    styles={"grey": "discs without a colour"},
)


class Shelf(Rearrange):
    """Discs that move along a shelf."""

    record = WORLD

    def __init__(self, *arguments: Any, style: str = "plain", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.style = style

    def draw_task(self, rng: np.random.Generator) -> Task:
        n = self.n_objects
        colour_N3 = rng.uniform(0.2, 1, (n, 1 if self.style == "grey" else 3)) * np.ones((n, 3))
        place = rng.permutation(PLACES)
        goal = np.full(n, NO_GOAL)
        n_goals = {"complete": n, "partial": min(n, self.n_constrained), "none": 0}[self.goal]
        goal[:n_goals] = place[n : n + n_goals]
        scene = {"start": place[:n], "goal": goal, "colour": colour_N3.astype(np.float32)}
        return Task(self.world, self.goal, scene, n_goals)

    def _set_up(self, task: Task) -> None:
        self._places: list[int] = task.scene["start"].tolist()

    def _move(self, action: NDArray[np.float64]) -> bool:
        here, there = self._place(action[0]), self._place(action[0] + action[3])
        if here not in self._places or there in self._places or not 0 <= there < PLACES:
            return False
        self._places[self._places.index(here)] = there
        return True

    @staticmethod
    def _place(x: float) -> int:
        return int(np.floor(x / SPACING + PLACES / 2))

    def _constraints(self) -> list[bool]:
        goals = self.task.scene["goal"].tolist()
        return [p == g for p, g in zip(self._places, goals, strict=True) if g != NO_GOAL]

    def _paint(self, places: Sequence[int], size: int) -> NDArray[np.uint8]:
        """Which disc each pixel shows, (size, size), 0 where none does."""
        y, x = np.mgrid[:size, :size] / size * PLACES
        index = np.zeros((size, size), np.uint8)
        for number, place in enumerate(places):
            if place != NO_GOAL:
                index[np.hypot(x - place - 0.5, y - PLACES / 2) < 0.45] = number + 1
        return index

    def _colour(self, index: NDArray[np.uint8]) -> NDArray[np.uint8]:
        palette = np.concatenate([np.zeros((1, 3)), self.task.scene["colour"]])
        return (palette[index] * 255).astype(np.uint8)

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return self._colour(self._paint(self._places, size))

    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        return self._colour(self._paint(self.task.scene["goal"].tolist(), size))

    def segment(self) -> NDArray[np.uint8]:
        return self._paint(self._places, IMAGE_SIZE)

    def truth(self) -> Truth:
        x_N = (np.array(self._places) + 0.5 - PLACES / 2) * SPACING
        position_N3 = np.stack([x_N, 0 * x_N, 0 * x_N], axis=1)
        colour_N3 = self.task.scene["colour"]
        return Truth(position_N3.astype(np.float32), colour_N3, np.zeros(len(x_N), np.int32))

    def _action(self, index: int, place: int) -> NDArray[np.float32]:
        shift = (place - self._places[index]) * SPACING
        return np.array([*self.truth().position[index], shift, 0, 0], np.float32)

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        free = [place for place in range(PLACES) if place not in self._places]
        return self._action(index, int(rng.choice(free)))

    def oracle_action(self) -> NDArray[np.float32]:
        goals = self.task.scene["goal"].tolist()
        for index, (place, goal) in enumerate(zip(self._places, goals, strict=True)):
            if goal not in (NO_GOAL, place) and goal not in self._places:
                return self._action(index, goal)
        return np.zeros(6, np.float32)
