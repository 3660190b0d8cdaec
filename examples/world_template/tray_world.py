"""A world of one's own in one file: discs anywhere on a tray, drawn with NumPy.

Legend: N objects, K places.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.envs.base import IMAGE_SIZE, Rearrange
from ncs.records import Task, Truth
from ncs.registry import World

SIDE = 0.4  # metres of the tray
RADIUS = 0.03  # of a disc
APART = 2.3 * RADIUS  # between the middles of two discs
PALETTE = np.array(
    [(214, 64, 60), (66, 118, 214), (64, 168, 92), (230, 190, 60), (150, 80, 190), (60, 190, 200)]
)
WOOD = np.array([96, 74, 58])

TRAY = World(
    name="tray",
    make="tray_world:Tray",  # called with n_objects, goal and settings
    summary="discs on a tray",
    arena_low=(0.0, 0.0, 0.0),  # where actions may reach, metres
    arena_high=(SIDE, SIDE, 0.0),
    tolerance=0.02,  # by which a pick or a place may miss
    objects=(1, len(PALETTE)),
)


def free_places(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Places (K, 2) on the tray, metres, at which discs do not touch."""
    places: list[NDArray[np.float64]] = []
    while len(places) < count:
        place = rng.uniform(2 * RADIUS, SIDE - 2 * RADIUS, 2)
        if all(np.linalg.norm(place - other) > APART for other in places):
            places.append(place)
    return np.array(places)


class Tray(Rearrange):
    """A disc goes wherever there is room."""

    record = TRAY

    # A task, drawn from the given generator alone, is enough to rebuild start and goal.

    def draw_task(self, rng: np.random.Generator) -> Task:
        """Starts and goals that are all free, so that each disc needs one move."""
        n = self.n_objects
        n_goals = {"complete": n, "partial": self.n_constrained, "none": 0}[self.goal]
        places = free_places(2 * n, rng)
        goal = places[n:].copy()
        goal[n_goals:] = np.nan  # these discs may be anywhere
        colour = rng.permutation(len(PALETTE))[:n]
        scene = {"start": places[:n], "goal": goal, "colour": colour}
        return Task(self.world, self.goal, scene, n_goals)

    def _set_up(self, task: Task) -> None:
        self._place = task.scene["start"].copy()

    # What an action does, and what the judge is told.

    def _move(self, action: NDArray[np.float64]) -> bool:
        """Carries the disc under the pick, if there is one, and room where it goes."""
        gap_N = np.linalg.norm(self._place - action[:2], axis=1)
        disc = int(gap_N.argmin())
        there = self._place[disc] + action[3:5]
        others = np.delete(self._place, disc, axis=0)
        crowded = (np.linalg.norm(others - there, axis=1) < 2 * RADIUS).any()
        outside = (there < RADIUS).any() or (there > SIDE - RADIUS).any()
        if gap_N[disc] > self.tolerance or crowded or outside:
            return False
        self._place[disc] = there
        return True

    def _constraints(self) -> list[bool]:
        goal = self.task.scene["goal"]
        wanted = ~np.isnan(goal[:, 0])
        miss = np.linalg.norm(self._place - goal, axis=1)[wanted]
        return [bool(one <= self.tolerance) for one in miss]

    # Pictures.

    def _index(self, place: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
        """Which disc each pixel shows, counted from 1; 0 is the tray."""
        y, x = (np.mgrid[:size, :size] + 0.5) / size * SIDE
        index = np.zeros((size, size), np.uint8)
        for disc in np.flatnonzero(~np.isnan(place[:, 0])):
            index[np.hypot(x - place[disc, 0], y - place[disc, 1]) < RADIUS] = disc + 1
        return index

    def _paint(self, place: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
        colour = np.concatenate([WOOD[None], PALETTE[self.task.scene["colour"]]])
        return colour[self._index(place, size)].astype(np.uint8)

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return self._paint(self._place, size)

    def _goal_picture(self, size: int) -> NDArray[np.uint8]:
        return self._paint(self.task.scene["goal"], size)

    # The ground truth: for collecting, the oracle and diagnostics. No model ever sees it.

    def segment(self) -> NDArray[np.uint8]:
        """Which disc each pixel shows, counted from 1."""
        return self._index(self._place, IMAGE_SIZE)

    def truth(self) -> Truth:
        """Where every disc is."""
        position = np.pad(self._place, ((0, 0), (0, 1))).astype(np.float32)
        colour = (PALETTE[self.task.scene["colour"]] / 255).astype(np.float32)
        return Truth(position, colour, np.zeros(self.n_objects, np.int32))

    def _take(self, disc: int, place: NDArray[Any]) -> NDArray[np.float32]:
        here = self._place[disc]
        return np.array([*here, 0, *(place - here), 0], np.float32)

    def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """A disc to any place where there is room."""
        others = np.delete(self._place, index, axis=0)
        while True:
            place = free_places(1, rng)[0]
            if (np.linalg.norm(others - place, axis=1) > APART).all():
                return self._take(index, place)

    def oracle_action(self) -> NDArray[np.float32]:
        """The first disc that is not where it should be, to where it should be."""
        goal = self.task.scene["goal"]
        miss = np.linalg.norm(self._place - goal, axis=1)
        disc = int(np.argmax(miss > self.tolerance))  # nan is not more
        return self._take(disc, goal[disc])
