"""Rules can be kept, read and said."""

import numpy as np

from ncs.graph.rules import Box, Rules, read_rules, say_rules, write_rules

INF = np.inf
ABOVE = Box(np.array([-0.1, -INF, 0.0]), np.array([0.1, INF, INF]), 40, 1)
HERE = Box(np.array([-0.1, -INF, -0.1]), np.array([0.1, INF, 0.1]), 7)
BELOW = Box(np.array([-0.1, -INF, -0.3]), np.array([0.1, INF, -0.1]), 9)
GROUND = Box(np.full(3, -INF), np.array([INF, INF, 0.1]))
RULES = Rules((ABOVE,), (HERE,), BELOW, GROUND, gap=0.15, attempts=100, agreement=0.99, miss=0.01)


def test_a_thing_is_held_by_what_is_above_it() -> None:
    thing_N3 = np.zeros((3, 3))
    others_NJ3 = np.array([[[0, 0, 0.15]], [[0.2, 0, 0.15]], [[np.nan] * 3]])
    assert RULES.may_pick(thing_N3, others_NJ3).tolist() == [False, True, True]


def test_a_place_needs_ground_or_a_thing_below() -> None:
    place_N3 = np.array([[0, 0, 0.05], [0, 0, 0.25], [0, 0, 0.25], [0, 0, 0.25]])
    others_NJ3 = np.array([[[1.0, 0, 0]], [[0, 0, 0.05]], [[0.2, 0, 0.05]], [[0, 0, 0.25]]])
    assert RULES.may_take(place_N3, others_NJ3).tolist() == [True, True, False, False]


def test_rules_come_back_from_a_table_as_they_were() -> None:
    for rules in (RULES, Rules()):
        again = read_rules(write_rules(rules))
        assert say_rules(again) == say_rules(rules)
        np.testing.assert_array_equal(write_rules(again), write_rules(rules))


def test_rules_are_said_with_their_evidence() -> None:
    text = "\n".join(say_rules(RULES))
    assert "cannot be picked if another is from 0.10 m left to 0.10 m right" in text
    assert "40 failures say so, 1 successes deny it" in text
    assert "99.00% of 100 attempts" in text


def test_no_rules_are_said_plainly() -> None:
    assert say_rules(Rules())[0] == "A thing can be picked wherever others are."
