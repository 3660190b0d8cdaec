"""What is imagined of a thing, and what failures teach of it."""

import numpy as np
import pytest
from tests.control.test_clearance import SPACE, WALL, attempt, scene

from ncs.control.cases import CASES, imagine, learn


def test_cases_in_which_it_should_have_worked_lose_belief():
    blocked = scene(WALL, vain=[attempt(WALL - [0.005, 0])])
    cases = learn(imagine(blocked, SPACE, np.random.default_rng(0)), blocked, SPACE)
    free = cases.inside(cases.land(blocked.vain[0].place[None]))[:, 0]
    assert 0 < free.sum() < CASES
    assert cases.weight.sum() == pytest.approx(1)
    assert cases.weight[free].max() < cases.weight[~free].min()


def test_a_failure_teaches_nothing_once_what_stood_near_is_seen_no_more():
    gone = scene(WALL, vain=[attempt(WALL, [[0.15, 0.5]])])
    cases = learn(imagine(gone, SPACE, np.random.default_rng(0)), gone, SPACE)
    np.testing.assert_allclose(cases.weight, 1 / CASES)


def test_a_failure_counts_as_things_stood_then():
    then, now = np.array([[0.17, 0.5]]), np.array([[0.9, 0.9]])
    moved = scene(WALL, now, [attempt(WALL, then)], first=then)
    cases = learn(imagine(moved, SPACE, np.random.default_rng(0)), moved, SPACE)
    blocked = ~cases.clear(cases.land(WALL[None]), then[:, None])[0, :, 0]
    assert 0 < blocked.sum() < CASES
    assert cases.weight[blocked].min() == cases.weight.max()


def test_what_was_moved_away_is_not_thought_to_touch_where_it_is():
    goal, then, now = np.array([0.5, 0.5]), [[0.6, 0.5]], [[0.53, 0.5]]
    cases = imagine(scene(goal, now, first=then), SPACE, np.random.default_rng(0))
    assert np.isclose(cases.apart[0, 0], 0.1, atol=0.01).mean() > 0.2
    assert np.isclose(cases.apart[0, 0], 0.03, atol=0.005).mean() < 0.1
