"""Events that wait for each other: whether they fall into an order, and the rings in the way."""

from collections.abc import Iterator

MOST_TRIES = 100  # orders that are looked for before a lower bound is good enough


def splits_needed(arrows: list[tuple[int, int]], once: set[int]) -> int:
    """How many things, at least, need a first and a last move so that events fall into an order.

    Exact where few tries tell; in a thicket of rings, which only rules that were learned wrong
    make, what has been shown by then.
    """
    left = iter(range(MOST_TRIES))
    splits = 0
    while not _can_order(arrows, once, splits, left):
        splits += 1
    return splits


def _can_order(
    arrows: list[tuple[int, int]], once: set[int], splits: int, left: Iterator[int]
) -> bool:
    """Whether events fall into an order with so many splits; taken for granted out of tries."""
    if next(left, None) is None:
        return True
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
    return splits > 0 and any(_can_order(arrows, once - {m}, splits - 1, left) for m in members)


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
