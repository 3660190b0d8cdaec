"""A start and a goal become the fewest moves between them: A* search."""

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from ncs.puzzle.outlook import Outlook
from ncs.puzzle.places import Arrangement, Move, Puzzle


def solve(
    puzzle: Puzzle,
    start: Arrangement,
    goal: Sequence[int],
    most: int | None = None,
    weight: float = 1.0,
) -> list[Move] | None:
    """A shortest sequence of moves to the goal; None where there is none, or ``most`` ran out.

    A* search: what is still to do is never estimated too high, so the first solution is a shortest
    one. With a ``weight`` above 1 it is found sooner, and is longer by that factor at most.

    Args:
        puzzle: What depends on what.
        start: Where things are.
        goal: Where they should be.
        most: Arrangements that may be weighed.
        weight: Of the estimate.
    """
    outlook = Outlook(puzzle, goal)
    root = _Node(start, None, None, 0)
    order = itertools.count()
    queue = [(0.0, 0, next(order), root)]
    least = {outlook.key(start): 0}
    weighed = 0
    while queue:
        node = heapq.heappop(queue)[-1]
        if node.done > least[outlook.key(node.places)]:
            continue
        if outlook.is_met(node.places):
            return node.trace()
        if most is not None and weighed >= most:
            return None
        for move in puzzle.moves(node.places):
            after = _Node(move.apply(node.places), node, move, node.done + 1)
            name = outlook.key(after.places)
            if after.done < least.get(name, 1 << 30):
                least[name] = after.done
                weighed += 1
                left = outlook.estimate(after.places)
                heapq.heappush(queue, (after.done + weight * left, left, -next(order), after))
    return None


@dataclass(frozen=True, eq=False)
class _Node:
    """An arrangement that was reached, and how."""

    places: Arrangement
    parent: "_Node | None"
    move: Move | None
    done: int

    def trace(self) -> list[Move]:
        """The moves that led here."""
        moves: list[Move] = []
        node: _Node | None = self
        while node is not None and node.move is not None:
            moves.append(node.move)
            node = node.parent
        return moves[::-1]
