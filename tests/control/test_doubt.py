"""Second thoughts."""

import numpy as np

from ncs.control.doubt import DOUBTFUL, second_thought

FAR = 100 * DOUBTFUL
EVERYONE = np.ones(4, bool)
COST = np.full((3, 4), FAR)
COST[[0, 1, 2], [0, 1, 2]] = 0
COST[0, 1] = COST[1, 0] = 1  # 0 and 1 are look-alikes
COST[2, 3] = 5  # and 3, which has no goal, looks a little like 2
FIRST = np.array([0, 1, 2])


def test_the_most_alike_are_exchanged_first_then_the_next_then_none():
    rejected = frozenset({(0, 1, 2)})
    assert second_thought(COST, FIRST, EVERYONE, rejected) == (1, 0, 2)
    rejected |= {(1, 0, 2)}
    assert second_thought(COST, FIRST, EVERYONE, rejected) == (0, 1, 3)
    rejected |= {(0, 1, 3)}
    assert second_thought(COST, FIRST, EVERYONE, rejected) is None


def test_absent_entities_are_not_considered():
    present = np.array([True, True, True, False])
    rejected = frozenset({(0, 1, 2), (1, 0, 2)})
    assert second_thought(COST, FIRST, present, rejected) is None


def test_a_goal_without_partner_stays_without():
    match = np.array([0, 1, -1])
    present = np.array([True, True, False, False])
    assert second_thought(COST, match, present, frozenset({(0, 1, -1)})) == (1, 0, -1)
