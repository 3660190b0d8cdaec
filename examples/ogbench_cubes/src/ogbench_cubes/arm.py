"""Pick-and-move for an arm of 5-D actions, by what the arm feels of itself alone.

It takes a way to act that gives back proprioception, and gives a move that worked or one that put
everything back. Nothing here knows where cubes are, how they are turned, or what is seen.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

# What an action of size 1 does in a control step
STRIDE = 0.05  # metres
TURN = 0.3  # radians

REST = (0.25, 0.0, 0.35)  # behind everything: little of the hand is seen, and a short shadow
TRAVEL = 0.19  # height at which cubes are carried: above a tower of three, the others there are
ACROSS = np.pi / 2  # yaw at which one finger is before a cube and one behind it
CUBE = 0.04  # edge
FLOOR = 0.02  # the lowest the hand goes: the middle of a cube on the table
ARRIVED = 0.006  # metres: near enough above a place
SETTLED = 0.003  # metres: near enough to close or open the hand
ROUGHLY = 0.03  # metres: near enough on the way
PATIENCE = 40  # steps after which a leg of the way is given up
SETTLE = 4  # steps at most to come near enough
# The hand's opening, from 0 (open) to 1 (shut)
SHUT = 0.9  # so far it closes only around nothing
FLAT = 0.47  # less than that, and it holds a cube by its corners
GRIP_STEPS = 5
RELEASE_STEPS = 3
# Feeling for the ground
SLOW = 0.2  # of an action
HELD_UP = 0.75  # of how fast it sank before: what sinks more slowly rests on something
ABOVE = 0.045  # metres over a place from which on the hand feels its way


class Stopped(Exception):  # noqa: N818
    """The world has ended the episode in the middle of a move."""


@dataclass(frozen=True)
class Feeling:
    """What the arm feels of itself."""

    position: Doubles  # (3,) of the point between the fingers, metres
    yaw: float  # of the hand, radians
    opening: float  # 0 is open, 1 shut


Act = Callable[[NDArray[np.float32]], Feeling]  # raises Stopped when the episode is over


class Arm:
    """Drives the hand by 5-D actions."""

    def __init__(self, act: Act, feeling: Feeling) -> None:
        self._act = act
        self._yaw = ACROSS  # at which the hand is kept
        self._grip = -1.0  # the gripper's part of the next actions
        self.feeling = feeling

    def pick_and_move(self, pick_3: Doubles, place_3: Doubles) -> bool:
        """Whether what is at the one point was put down at the other; if not, it was put back."""
        if not self._take(pick_3):
            return False
        if self._put(place_3):
            return True
        self._over(pick_3)
        self._feel_down(FLOOR)
        self._release()
        return False

    def rest(self, point_3: Doubles | None = None, yaw: float = ACROSS) -> None:
        """Takes the open hand out of the way, or wherever it is wanted."""
        self._yaw, self._grip = yaw, -1.0
        target_3 = np.array(REST) if point_3 is None else point_3
        self._go(target_3, ARRIVED)

    def _take(self, point_3: Doubles) -> bool:
        """Whether something was gripped; a hand that closes on nothing turns and tries again."""
        self._yaw, self._grip = ACROSS, -1.0
        self._over(point_3)
        for turn in (0.0, np.pi / 4, -np.pi / 4):
            self._yaw = ACROSS + turn
            self._lower(point_3)
            self._grip = 1.0
            self._stay(GRIP_STEPS)
            if FLAT < self.feeling.opening < SHUT:
                break
            if turn >= 0:  # by its corners, or not at all
                self._grip = -1.0
                self._stay(RELEASE_STEPS)
        self._lift()
        return self.feeling.opening < SHUT

    def _put(self, point_3: Doubles) -> bool:
        """Whether what is held stands where it should: it is lowered until it meets something."""
        self._over(point_3)
        touch = self._feel_down(float(point_3[2]), point_3)
        if abs(touch - point_3[2]) > CUBE / 2:
            self._lift()
            return False
        self._release()
        return True

    def _release(self) -> None:
        self._grip = -1.0
        self._stay(RELEASE_STEPS)
        self._lift()

    def _over(self, point_3: Doubles) -> None:
        """Brings the hand above a point."""
        above_3 = np.array([point_3[0], point_3[1], TRAVEL])
        self._go(above_3, ROUGHLY)
        self._go(above_3, ARRIVED, only_flat=True)

    def _lift(self) -> None:
        x, y, _ = self.feeling.position
        self._go(np.array([x, y, TRAVEL + ROUGHLY]), ROUGHLY)

    def _lower(self, point_3: Doubles) -> None:
        """Brings the hand down to a point."""
        target_3 = np.array([*point_3[:2], max(FLOOR, float(point_3[2]))])
        self._go(target_3, ARRIVED)
        for _ in range(SETTLE):
            if np.abs(target_3 - self.feeling.position)[:2].max() < SETTLED:
                break
            self._towards(target_3)

    def _feel_down(self, height: float, point_3: Doubles | None = None) -> float:
        """The height at which something holds the hand up, or half a cube below the given one."""
        flat_2 = self.feeling.position[:2].copy() if point_3 is None else point_3[:2]
        start = min(height + ABOVE, float(self.feeling.position[2]))
        self._lower(np.array([*flat_2, start]))
        low, fastest = height - 0.6 * CUBE, 0.0
        for _ in range(PATIENCE):
            before = float(self.feeling.position[2])
            self._towards(np.array([*flat_2, before - SLOW * STRIDE]))
            sunk = before - float(self.feeling.position[2])
            if before - sunk < low or sunk < HELD_UP * fastest:
                break
            fastest = max(fastest, sunk)
        return float(self.feeling.position[2])

    def _stay(self, steps: int) -> None:
        here_3 = self.feeling.position.copy()
        for _ in range(steps):
            self._towards(here_3)

    def _go(self, target_3: Doubles, near: float, only_flat: bool = False) -> None:
        kept = slice(0, 2) if only_flat else slice(0, 3)
        for _ in range(PATIENCE):
            away = float(np.linalg.norm((target_3 - self.feeling.position)[kept]))
            if away < near and abs(around(self._yaw - self.feeling.yaw)) < TURN / 2:
                break
            self._towards(target_3)

    def _towards(self, target_3: Doubles) -> None:
        """One control step."""
        way_3 = (target_3 - self.feeling.position) / STRIDE
        way_3 *= min(1.0, 1.0 / max(float(np.abs(way_3).max()), 1e-9))
        turn = np.clip(around(self._yaw - self.feeling.yaw) / TURN, -1, 1)
        self.feeling = self._act(np.array([*way_3, turn, self._grip], np.float32))


def around(angle: float) -> float:
    """The angle as the shortest turn; a hand looks the same after half a turn."""
    return float((angle + np.pi / 2) % np.pi - np.pi / 2)
