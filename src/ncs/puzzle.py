"""Things on places that depend on each other: the fewest moves from one arrangement to another.

Knows neither worlds nor pictures. Bit q of a mask stands for place q; an arrangement is the place
of each thing, a goal the place each should have, ``ANYWHERE`` where it does not matter.
"""

import heapq
import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

ANYWHERE = -1
Arrangement = tuple[int, ...]


@dataclass(frozen=True)
class Puzzle:
    """Which places depend on which; one entry for every place."""

    hold: tuple[int, ...]  # where a thing keeps the one at this place from being picked
    block: tuple[int, ...]  # where a thing keeps this place from being taken; itself among them
    need: tuple[int, ...]  # one of these must be taken before this place can be; 0: none need be

    def moves(self, places: Arrangement) -> Iterator["Move"]:
        """Every move that is possible."""
        taken = mask_of(places)
        for thing, place in enumerate(places):
            if taken & self.hold[place]:
                continue
            rest = taken & ~(1 << place)
            for target in range(len(self.block)):
                if target != place and self.is_free(target, rest):
                    yield Move(thing, target)

    def is_free(self, place: int, taken: int) -> bool:
        """Whether a thing can be put at a place, given where the others are."""
        need = self.need[place]
        return not taken & self.block[place] and (not need or bool(taken & need))

    def can_move(self, places: Arrangement, thing: int, target: int) -> bool:
        """Whether one move is possible."""
        taken, place = mask_of(places), places[thing]
        rest = taken & ~(1 << place)
        return not taken & self.hold[place] and target != place and self.is_free(target, rest)


@dataclass(frozen=True)
class Move:
    """One thing put at another place."""

    thing: int
    place: int

    def apply(self, places: Arrangement) -> Arrangement:
        """The arrangement after the move."""
        return (*places[: self.thing], self.place, *places[self.thing + 1 :])


def mask_of(places: Sequence[int]) -> int:
    """The mask of some places."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask


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
        most: Arrangements that may be looked into.
        weight: Of the estimate.
    """
    outlook = Outlook(puzzle, goal)
    root = _Node(start, None, None, 0)
    order = itertools.count()
    queue = [(0.0, 0, next(order), root)]
    least = {outlook.key(start): 0}
    looked = 0
    while queue:
        node = heapq.heappop(queue)[-1]
        if node.done > least[outlook.key(node.places)]:
            continue
        if outlook.is_met(node.places):
            return node.trace()
        if most is not None and looked >= most:
            return None
        looked += 1
        for move in puzzle.moves(node.places):
            after = _Node(move.apply(node.places), node, move, node.done + 1)
            name = outlook.key(after.places)
            if after.done < least.get(name, 1 << 30):
                least[name] = after.done
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


class Outlook:
    """How many moves a goal is away, at least."""

    def __init__(self, puzzle: Puzzle, goal: Sequence[int]) -> None:
        self._puzzle = puzzle
        self._goal = tuple(goal)
        self._bound = [thing for thing, place in enumerate(goal) if place != ANYWHERE]
        self._label = [thing if goal[thing] != ANYWHERE else ANYWHERE for thing in range(len(goal))]
        groups = list(_groups(puzzle))
        self._group = {
            p: (g, rank) for g, group in enumerate(groups) for rank, p in enumerate(group)
        }
        self._alike = _likeness(puzzle, groups, set(goal))
        owner = {goal[thing]: thing for thing in self._bound}
        # Things that must lie under another for good before it can be put at its goal.
        self._under: list[tuple[int, int]] = []
        fill: set[int] = set()
        for thing in self._bound:
            place: int | None = self._only_support(goal[thing])
            if place in owner:
                self._under.append((owner[place], thing))
            while place is not None and place not in owner:
                fill.add(place)
                place = self._only_support(place)
        self._fill = sorted(fill)  # places that something without a goal must end up at

    def _only_support(self, place: int) -> int | None:
        """The one place under another, where there is just one and what is there is then held."""
        need = self._puzzle.need[place]
        if need == 0 or need & (need - 1):
            return None
        support = need.bit_length() - 1
        known = support < len(self._puzzle.hold)
        return support if known and self._puzzle.hold[support] >> place & 1 else None

    def is_met(self, places: Arrangement) -> bool:
        """Whether the goal holds."""
        return all(places[thing] == self._goal[thing] for thing in self._bound)

    def key(self, places: Arrangement) -> Hashable:
        """A name of the arrangement, the same for all that are as good as each other.

        Things that may go anywhere are alike, and so are groups of places that depend on each other
        in the same way and that nothing should go to.
        """
        content: dict[int, list[tuple[int, int]]] = {}
        for thing, place in enumerate(places):
            group, rank = self._group[place]
            content.setdefault(group, []).append((rank, self._label[thing]))
        return tuple(sorted((self._alike[g], *sorted(what)) for g, what in content.items()))

    def estimate(self, places: Arrangement) -> int:
        """Moves that are needed at least.

        Everything that is not at its goal moves once, and so does what holds it or stands in its
        way; twice if it was at its goal. Where each of several things waits for the next, in a
        ring, one of them moves once more.
        """
        goal, puzzle = self._goal, self._puzzle
        owner = {place: thing for thing, place in enumerate(places)}
        taken = mask_of(places)
        wrong = [thing for thing in self._bound if places[thing] != goal[thing]]
        before: list[tuple[int, int]] = []  # (thing whose first move, thing whose last) in order
        held: list[tuple[int, int]] = []  # (thing whose first move, thing whose first) in order
        must, queue = set(wrong), list(wrong)
        for thing in wrong:
            in_way = taken & puzzle.block[goal[thing]] & ~(1 << places[thing])
            for other in _things(in_way, owner):
                before.append((other, thing))
                if other not in must:
                    must.add(other)
                    queue.append(other)
        while queue:
            thing = queue.pop()
            for other in _things(taken & puzzle.hold[places[thing]], owner):
                held.append((other, thing))
                if other not in must:
                    must.add(other)
                    queue.append(other)
        twice = {thing for thing in must if places[thing] == goal[thing]}
        once = must - twice
        extra = self._still_to_fill(owner, must)
        return len(must) + len(twice) + extra + self._rings(once, twice, before, held)

    def _still_to_fill(self, owner: dict[int, int], must: set[int]) -> int:
        """Moves of things without a goal, beyond those they must make anyway, to lie under."""
        if not self._fill:
            return 0
        staying = sum(place in owner and owner[place] not in must for place in self._fill)
        moving = sum(self._goal[thing] == ANYWHERE for thing in must)
        return max(0, len(self._fill) - staying - moving)

    def _rings(
        self,
        once: set[int],
        twice: set[int],
        before: list[tuple[int, int]],
        held: list[tuple[int, int]],
    ) -> int:
        """How many things, at least, must move once more so that none waits for itself."""
        # The first move of thing i is event 2 i and its last 2 i + 1; of one move, both are one.
        arrows = [(2 * first, 2 * then) for first, then in held]
        arrows += [(2 * first, 2 * then + 1) for first, then in before]
        known = once | twice
        arrows += [
            (2 * first + 1, 2 * then + 1)
            for first, then in self._under
            if first in known and then in known
        ]
        arrows += [(2 * thing, 2 * thing + 1) for thing in known]
        splits = 0
        while not _can_order(arrows, once, splits):
            splits += 1
        return splits


def _can_order(arrows: list[tuple[int, int]], once: set[int], splits: int) -> bool:
    """Whether events fall into an order once so many things have a first and a last move."""
    follow: dict[int, set[int]] = {}
    for event, then in arrows:
        event = event & ~1 if event >> 1 in once else event
        then = then & ~1 if then >> 1 in once else then
        if event != then:
            follow.setdefault(event, set()).add(then)
    ring = _shortest_ring(follow)
    if ring is None:
        return True
    members = once.intersection(event >> 1 for event in ring)
    return splits > 0 and any(_can_order(arrows, once - {m}, splits - 1) for m in members)


def _groups(puzzle: Puzzle) -> Iterator[list[int]]:
    """Places that depend on each other, directly or by way of others."""
    n_places = len(puzzle.hold)
    near = [puzzle.hold[p] | puzzle.block[p] | puzzle.need[p] | 1 << p for p in range(n_places)]
    for place in range(n_places):
        for other in bits(near[place] & (1 << n_places) - 1):
            near[other] |= 1 << place
    left = set(range(n_places))
    while left:
        group, queue = set(), [min(left)]
        while queue:
            place = queue.pop()
            if place not in group:
                group.add(place)
                queue += bits(near[place] & (1 << n_places) - 1)
        left -= group
        yield sorted(group)


def _likeness(puzzle: Puzzle, groups: list[list[int]], goals: set[int]) -> list[int]:
    """A number for each group, the same for those that cannot be told apart."""
    seen: dict[Hashable, int] = {}
    alike = []
    for index, group in enumerate(groups):
        rank = {place: position for position, place in enumerate(group)}
        shape: Hashable = tuple(
            tuple(frozenset(rank.get(other, -1) for other in bits(mask)) for mask in masks)
            for masks in ((puzzle.hold[p], puzzle.block[p], puzzle.need[p]) for p in group)
        )
        alike.append(index if goals.intersection(group) else seen.setdefault(shape, index))
    return alike


def bits(mask: int) -> list[int]:
    """The places of a mask."""
    places = []
    while mask:
        low = mask & -mask
        places.append(low.bit_length() - 1)
        mask ^= low
    return places


def _things(mask: int, owner: dict[int, int]) -> Iterator[int]:
    """The things at the places of a mask."""
    return (owner[place] for place in bits(mask))


def _shortest_ring(follow: dict[int, set[int]]) -> list[int] | None:
    """A shortest closed way along arrows; None where there is none."""
    best: list[int] | None = None
    for start in follow:
        way = _way_back(follow, start)
        if way is not None and (best is None or len(way) < len(best)):
            best = way
            if len(best) == 2:
                break
    return best


def _way_back(follow: dict[int, set[int]], start: int) -> list[int] | None:
    """A shortest way along arrows from a point back to itself."""
    came: dict[int, int] = {}
    row = [start]
    while row:
        nearer = []
        for point in row:
            for after in follow.get(point, ()):
                if after == start:
                    way = [point]
                    while way[-1] != start:
                        way.append(came[way[-1]])
                    return way
                if after not in came:
                    came[after] = point
                    nearer.append(after)
        row = nearer
    return None
