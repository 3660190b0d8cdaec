"""How others can make room for a thing: by a little where they have a place of their own, else far.

Legend: J other things, N moves, Q places, X things and goals, 2 coordinates, metres.
"""

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from ncs.control.surroundings import Advice, Scene, Space
from ncs.graph.distances import Doubles, length

APART = 0.75  # as a share of how near things come: a place that near to one that failed fails too
GRID = 24  # places a side among which room is looked for
STEPS = np.array([[0.5, 0], [1, 0], [0, 0.5], [0, 1]])  # small moves, (N, 2)


def nudges(
    scene: Scene, space: Space, near_J: NDArray[np.int64], moved: Collection[int]
) -> Iterator[Advice]:
    """Moves of some others away from the goal; they are counted among those near it.

    What is where it should be stays there, as far as can be told; what has no place of its own
    goes to where there is most room.
    """
    near = set(np.flatnonzero(length(scene.others - scene.goal) < 2 * space.size).tolist())
    homeless = set(np.flatnonzero(np.isnan(scene.homes).any(1)).tolist())
    numbers = [(n, j) for n, j in enumerate(near_J.tolist()) if n in moved and j in near]
    if not numbers:
        return
    spare_2 = spare_place(scene, space) if homeless.intersection(j for _, j in numbers) else None
    shift_JN2 = shifts(scene, space)
    possible_JN = may_shift(scene, space, shift_JN2)
    for n, j in numbers:
        if j not in homeless:
            yield from (Advice(n, shift_2) for shift_2 in shift_JN2[j, possible_JN[j]])
        elif spare_2 is not None:
            yield Advice(n, spare_2 - scene.others[j])


def spare_place(scene: Scene, space: Space) -> Doubles | None:
    """The place (2,) with most room to all things, their goals and the border; None if all failed.

    Things keep clear of each other along one axis at least, by half of either's width.
    """
    lines_2Q = np.linspace(space.low, space.high, GRID).T
    place_Q2 = np.stack(np.meshgrid(*lines_2Q), -1).reshape(-1, 2)
    taken_X2 = np.concatenate([scene.others, scene.homes, [scene.here, scene.goal]])
    taken_X2 = taken_X2[~np.isnan(taken_X2).any(1)]
    away_2QX = np.abs(place_Q2.T[..., None] - taken_X2.T[:, None])
    away_QX = np.maximum(*away_2QX)  # numpy is slow at rows of two
    edge_Q = np.minimum(place_Q2 - space.low, space.high - place_Q2).min(1)
    room_Q = np.minimum(away_QX.min(1), edge_Q + space.size / 2)
    for failed_2 in scene.stuck:
        room_Q[np.linalg.norm(place_Q2 - failed_2, axis=1) < APART * space.size] = 0
    return place_Q2[room_Q.argmax()] if room_Q.any() else None


def shifts(scene: Scene, space: Space) -> Doubles:
    """Small moves (J, N, 2): away from the goal along either axis, and to where things should be.

    Infinite where a thing is there, or too far from there for a small move.
    """
    away_J12 = (scene.others - scene.goal)[:, None]
    step_JN2 = np.where(away_J12 > 0, 1.0, -1.0) * space.still * STEPS
    home_J2 = scene.homes - scene.others
    far_J = length(home_J2)
    is_small_J1 = ((space.error < far_J) & (far_J <= space.tolerance))[:, None]
    home_J12 = np.where(is_small_J1, home_J2, np.inf)[:, None]
    return np.concatenate([step_JN2, home_J12], 1)


def may_shift(scene: Scene, space: Space, shift_JN2: Doubles) -> NDArray[np.bool_]:
    """Which small moves (J, N) leave things within bounds and at home, and did not fail before."""
    place_JN2 = scene.others[:, None] + shift_JN2
    may_JN = ((place_JN2 > space.low) & (place_JN2 < space.high)).all(-1)
    may_JN &= length(place_JN2 - scene.homes[:, None]) <= 1.2 * space.still
    for failed_2 in scene.stuck:
        may_JN &= length(place_JN2 - failed_2) >= space.still / 2
    return np.asarray(may_JN)
