"""How many things must move twice so that none waits for itself."""

from ncs.puzzle.rings import MOST_TRIES, splits_needed


def ring(*things: int) -> list[tuple[int, int]]:
    """Things each of which must leave before the next one arrives."""
    pairs = zip(things, (*things[1:], things[0]), strict=True)
    return [(2 * first, 2 * then + 1) for first, then in pairs]


def test_a_chain_needs_none_and_each_ring_one() -> None:
    assert splits_needed([(0, 3), (2, 5)], {0, 1, 2}) == 0
    assert splits_needed(ring(0, 1, 2), {0, 1, 2}) == 1
    assert splits_needed(ring(0, 1) + ring(2, 3) + ring(4, 5), set(range(6))) == 3


def test_a_thicket_of_rings_is_given_up_at_a_lower_bound() -> None:
    things = range(14)
    thicket = [(2 * a, 2 * b + 1) for a in things for b in things if a != b]
    found = splits_needed(thicket, set(things))
    assert 1 <= found <= len(things) - 1
    assert found < MOST_TRIES
