"""What to move next, and where to, when things depend on each other.

Dig out what is buried, build from the bottom, park what is in the way, break rings: all of it
comes from one search over where things are, by rules that were learned. Only the first move is
made; the next picture is planned for anew, so a move that failed costs no more than itself.

Legend: J things, P places, 3 coordinates, metres.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncs.graph.distances import Doubles, Floats, pairwise
from ncs.graph.rules import Box, Rules
from ncs.puzzle import ANYWHERE, Arrangement, Move, Outlook, Puzzle, bits, solve

# Arrangements that may be weighed for a shortest plan, and then for one that will do: six times
# what seven things in towers or twelve in rings have needed.
MOST = 3000
HASTE = 3.0


@dataclass(frozen=True)
class Plan:
    """The next move, and how many more there are."""

    thing: int
    place: Doubles  # (3,)
    home: tuple[int, ...]  # things that could as well go to their own goals now
    steps: int  # moves to the goal, this one among them; 0 where the search gave up


@dataclass(frozen=True)
class Board:
    """A scene as a puzzle."""

    point: Doubles  # (P, 3)
    start: Arrangement
    goal: tuple[int, ...]
    puzzle: Puzzle


def plan(
    place_J3: Floats,
    goal_J3: Floats,
    rules: Rules,
    spare_P3: Floats,
    apart: float,
    most: int = MOST,
) -> Plan | None:
    """The next move of a shortest plan; None where every goal that can, holds.

    A goal that no order of moves can ever meet is left out: what was seen there is not so.

    Args:
        place_J3: Where things are.
        goal_J3: Where they should be; NaN where it does not matter.
        rules: When things can be picked and places taken.
        spare_P3: Where things could be put besides.
        apart: Places nearer to each other than this, metres, are one.
        most: Arrangements to weigh before a longer plan will do.
    """
    board = set_up(place_J3, goal_J3, rules, np.zeros((0, 3)), apart)
    moves = straight_home(board)
    if moves is None:
        board = possible(set_up(place_J3, goal_J3, rules, spare_P3, apart))
        moves = solve(board.puzzle, board.start, board.goal, most)
    if moves is None:
        moves = solve(board.puzzle, board.start, board.goal, most, HASTE)
    if moves == []:
        return None
    first = moves[0] if moves else grope(board)
    if first is None:
        return None
    home = homeward(board, moves or [first])
    return Plan(first.thing, board.point[first.place], home, len(moves or ()))


def straight_home(board: Board) -> list[Move] | None:
    """Moves of each thing straight to its goal, one after another; None where none is found.

    Nothing can be shorter, so there is nothing to search.
    """
    moves, places = [], board.start
    left = [j for j, goal in enumerate(board.goal) if goal not in (ANYWHERE, places[j])]
    while left:
        ready = (j for j in left if board.puzzle.can_move(places, j, board.goal[j]))
        thing = next(ready, None)
        if thing is None:
            return None
        moves.append(Move(thing, board.goal[thing]))
        places = moves[-1].apply(places)
        left.remove(thing)
    return moves


def possible(board: Board) -> Board:
    """The board without goals that cannot be reached, or cannot hold beside those that are kept."""
    reached, block = board.puzzle.reachable(), board.puzzle.block
    kept = [ANYWHERE] * len(board.goal)
    # Of two goals that exclude each other the one that holds stays, else the first.
    for thing in sorted(range(len(kept)), key=lambda j: board.goal[j] != board.start[j]):
        place = board.goal[thing]
        if place != ANYWHERE and reached >> place & 1:
            rivals = (q for q in bits(block[place]) if block[q] >> place & 1)
            kept[thing] = ANYWHERE if set(kept).intersection(rivals) else place
    return replace(board, goal=tuple(kept))


def homeward(board: Board, moves: Sequence[Move]) -> tuple[int, ...]:
    """Things that could as well go home first, the other moves of a plan after them unchanged."""
    things = []
    for k, move in enumerate(moves):
        once = sum(other.thing == move.thing for other in moves) == 1
        if once and move.place == board.goal[move.thing]:
            # What comes after it finds things where it would have found them.
            things += [move.thing] * is_possible(board, [move, *moves[:k]])
    return tuple(sorted(things))


def is_possible(board: Board, moves: Sequence[Move]) -> bool:
    """Whether moves can be made one after another."""
    places = board.start
    for move in moves:
        if not board.puzzle.can_move(places, move.thing, move.place):
            return False
        places = move.apply(places)
    return True


def grope(board: Board) -> Move | None:
    """The possible move after which least seems left to do; None where none is possible."""
    outlook = Outlook(board.puzzle, board.goal)
    moves = list(board.puzzle.moves(board.start))
    if not moves:
        return None
    return min(moves, key=lambda move: outlook.estimate(move.apply(board.start)))


def set_up(
    place_J3: Floats, goal_J3: Floats, rules: Rules, spare_P3: Floats, apart: float
) -> Board:
    """The scene as a puzzle: each place once, and what depends on what by the rules."""
    here_J3: Doubles = np.asarray(place_J3, np.float64)
    goal_J3 = np.asarray(goal_J3, np.float64)
    wanted = np.flatnonzero(~np.isnan(goal_J3).any(1))
    point_P3, number_X = merge(np.concatenate([goal_J3[wanted], here_J3]), apart)
    point_P3, start = tell_apart(number_X[len(wanted) :], here_J3, point_P3)
    goal = np.full(len(here_J3), ANYWHERE)
    goal[wanted] = number_X[: len(wanted)]
    if len(spare_P3):
        spare_P3 = np.asarray(spare_P3, np.float64).reshape(-1, 3)
        others_P3 = useful(spare_P3, point_P3, rules, apart, len(here_J3))
        point_P3 = np.concatenate([point_P3, others_P3])
    return Board(point_P3, start, tuple(goal.tolist()), as_puzzle(point_P3, rules, apart))


def merge(point_X3: Doubles, apart: float) -> tuple[Doubles, NDArray[np.int64]]:
    """Points that differ (P, 3), and which of them each point is (X,)."""
    kept: dict[int, int] = {}  # points, numbered
    numbers: list[int] = []
    taken = 0
    away_XX = pairwise(point_X3, point_X3, "euclidean")
    for x, near in enumerate(masks(away_XX < apart)):
        if near & taken:
            numbers.append(kept[min(bits(near & taken), key=away_XX[x].item)])
        else:
            numbers.append(len(kept))
            kept[x] = len(kept)
            taken |= 1 << x
    return point_X3[list(kept)], np.array(numbers, np.int64)


def tell_apart(
    number_J: NDArray[np.int64], place_J3: Doubles, point_P3: Doubles
) -> tuple[Doubles, Arrangement]:
    """Places and where things are, no two at one: the second that seems to be gets its own."""
    given = number_J.tolist()
    if len(set(given)) == len(given):
        return point_P3, tuple(given)
    points, numbers = list(point_P3), []
    for number, place_3 in zip(given, place_J3, strict=True):
        if number in numbers:
            numbers.append(len(points))
            points.append(place_3)
        else:
            numbers.append(number)
    return np.array(points).reshape(-1, 3), tuple(numbers)


def useful(
    spare_P3: Doubles, point_P3: Doubles, rules: Rules, apart: float, n_things: int
) -> Doubles:
    """The spare places that differ from the others and can make a difference.

    What nothing depends on is as good as any such place: as many as there are things will do, those
    furthest from everything. With them only what may lie under a goal matters; where there are
    fewer of them, every place does.
    """
    spare_P3 = spare_P3[~np.isnan(spare_P3).any(1)]
    if len(spare_P3) == 0:
        return spare_P3
    spare_P3, _ = merge(spare_P3, apart)
    if len(point_P3) == 0:
        return spare_P3
    away_P = pairwise(spare_P3, point_P3, "euclidean").min(1)
    spare_P3 = spare_P3[away_P >= apart]
    far_P = np.argsort(-away_P[away_P >= apart], kind="stable")
    if not rules.hold and rules.need is None:
        return spare_P3[far_P[: len(point_P3)]]
    alone = independent(spare_P3, far_P.tolist(), point_P3, rules, apart)[:n_things]
    if len(alone) < n_things:
        return spare_P3
    return spare_P3[sorted({*alone, *underneath(spare_P3, point_P3, rules)})]


def independent(
    spare_P3: Doubles, order: Sequence[int], point_P3: Doubles, rules: Rules, apart: float
) -> list[int]:
    """Numbers of spare places that need nothing and that no other depends on, one after another."""
    n_points = len(point_P3)
    puzzle = as_puzzle(np.concatenate([point_P3, spare_P3]), rules, apart)
    near = [hold | block for hold, block in zip(puzzle.hold, puzzle.block, strict=True)]
    taken = (1 << n_points) - 1  # places, and then all that are kept
    touched = 0  # what those depend on
    for place in range(n_points):
        touched |= near[place]
    kept = []
    for number in order:
        place = n_points + number
        if puzzle.need[place] == 0 and not near[place] & taken and not touched >> place & 1:
            kept.append(number)
            taken |= 1 << place
            touched |= near[place]
    return kept


def underneath(spare_P3: Doubles, point_P3: Doubles, rules: Rules) -> set[int]:
    """Numbers of spare places that may hold what is at other places, by way of others too."""
    below: set[int] = set()
    if rules.need is None:
        return below
    upper_X3 = point_P3
    while len(upper_X3):
        needy_X3 = upper_X3[~rules.ground.covers(upper_X3)]
        hold_XP = rules.need.covers(spare_P3[None] - needy_X3[:, None])
        fresh = sorted(set(np.flatnonzero(hold_XP.any(0)).tolist()) - below)
        below.update(fresh)
        upper_X3 = spare_P3[fresh]
    return below


def as_puzzle(point_P3: Doubles, rules: Rules, apart: float) -> Puzzle:
    """What depends on what among places."""
    n_places = len(point_P3)
    offset_PP3 = point_P3[None] - point_P3[:, None]  # of the second from the first
    itself_PP = np.eye(n_places, dtype=bool)
    near_PP = pairwise(point_P3, point_P3, "euclidean") < apart
    block_PP = inside(rules.block, offset_PP3) | itself_PP | near_PP
    none = (0,) * n_places
    hold = masks(inside(rules.hold, offset_PP3) & ~itself_PP) if rules.hold else none
    if rules.need is None:
        return Puzzle(hold, masks(block_PP), none)
    need_PP = inside((rules.need,), offset_PP3) & ~block_PP
    ground_P = rules.ground.covers(point_P3)
    never = 1 << n_places  # no thing is ever there
    need = [
        0 if ground else mask or never
        for ground, mask in zip(ground_P, masks(need_PP), strict=True)
    ]
    return Puzzle(hold, masks(block_PP), tuple(need))


def inside(boxes: tuple[Box, ...], offset_PP3: Doubles) -> NDArray[np.bool_]:
    """Which places lie in one of the boxes around which, (P, P)."""
    inside_PP = np.zeros(offset_PP3.shape[:2], bool)
    for box in boxes:
        inside_PP |= box.covers(offset_PP3)
    return inside_PP


def masks(set_PP: NDArray[np.bool_]) -> tuple[int, ...]:
    """Each row as a mask."""
    packed = np.packbits(set_PP, axis=1, bitorder="little")
    return tuple(int.from_bytes(row, "little") for row in packed.tolist())
