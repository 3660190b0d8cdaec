"""Places, which of them depend on which, and the moves that are possible.

Bit q of a mask stands for place q; an arrangement is the place of each thing.
"""

from collections.abc import Iterator, Sequence
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

    def reachable(self) -> int:
        """The places that things could ever come to, were there enough of them."""
        reached, last = 0, -1
        while reached != last:
            last = reached
            for place, need in enumerate(self.need):
                if not need or reached & need:
                    reached |= 1 << place
        return reached

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


def bits(mask: int) -> list[int]:
    """The places of a mask."""
    places = []
    while mask:
        low = mask & -mask
        places.append(low.bit_length() - 1)
        mask ^= low
    return places
