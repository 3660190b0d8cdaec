"""An arrangement becomes the moves that it needs at least, and a name shared with its equals."""

from collections.abc import Hashable, Iterator, Sequence

from ncs.puzzle.places import ANYWHERE, Arrangement, Puzzle, bits, mask_of
from ncs.puzzle.rings import splits_needed


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
        return splits_needed(arrows, once)


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


def _things(mask: int, owner: dict[int, int]) -> Iterator[int]:
    """The things at the places of a mask."""
    return (owner[place] for place in bits(mask))
