"""How others can make room for a thing: by a little where they have a place of their own, else far.

Legend: J other things, Q places, X things and goals, 2 coordinates, metres.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ncs.control.surroundings import Advice, Scene, Space
from ncs.graph.distances import Doubles

APART = 0.75  # as a share of how near things come: a place that near to one that failed fails too
GRID = 24  # places a side among which room is looked for


def nudges(scene: Scene, space: Space, near_J: NDArray[np.int64]) -> Iterator[Advice]:
    """Moves of some others away from the goal; they are counted among these some.

    What is where it should be stays there, as far as can be told; what has no place of its own
    goes to where there is most room.
    """
    away_J2 = scene.others - scene.goal
    for n, j in enumerate(near_J.tolist()):
        if np.linalg.norm(away_J2[j]) >= 2 * space.size:
            continue
        if np.isnan(scene.homes[j]).any():
            place_2 = spare_place(scene, space)
            if place_2 is not None:
                yield Advice(n, place_2 - scene.others[j])
            continue
        for shift_2 in shifts(scene, space, j, away_J2[j]):
            place_2 = scene.others[j] + shift_2
            within = (place_2 > space.low).all() and (place_2 < space.high).all()
            at_home = np.linalg.norm(place_2 - scene.homes[j]) <= 1.2 * space.still
            failed = any(np.linalg.norm(place_2 - s) < space.still / 2 for s in scene.stuck)
            if within and at_home and not failed:
                yield Advice(n, shift_2)


def spare_place(scene: Scene, space: Space) -> Doubles | None:
    """The place (2,) with most room to all things, their goals and the border; None if all failed.

    Things keep clear of each other along one axis at least, by half of either's width.
    """
    lines_2Q = np.linspace(space.low, space.high, GRID).T
    place_Q2 = np.stack(np.meshgrid(*lines_2Q), -1).reshape(-1, 2)
    taken_X2 = np.concatenate([scene.others, scene.homes, [scene.here, scene.goal]])
    away_QX = np.abs(place_Q2[:, None] - taken_X2[~np.isnan(taken_X2).any(1)]).max(-1)
    edge_Q = np.minimum(place_Q2 - space.low, space.high - place_Q2).min(1)
    room_Q = np.minimum(away_QX.min(1), edge_Q + space.size / 2)
    for failed_2 in scene.stuck:
        room_Q[np.linalg.norm(place_Q2 - failed_2, axis=1) < APART * space.size] = 0
    return place_Q2[room_Q.argmax()] if room_Q.any() else None


def shifts(scene: Scene, space: Space, j: int, away_2: Doubles) -> Iterator[Doubles]:
    """Small moves of thing j: away from the goal along either axis, and to where it should be."""
    for axis in (0, 1):
        for step in (space.still / 2, space.still):
            shift_2 = np.zeros(2)
            shift_2[axis] = step if away_2[axis] > 0 else -step
            yield shift_2
    home_2 = scene.homes[j] - scene.others[j]
    if space.error < np.linalg.norm(home_2) <= space.tolerance:
        yield home_2
