"""Rules are found from what worked and what failed, and hold for more things than were seen."""

import numpy as np
import pytest
from tests.stacks import attempt

from ncs.graph.induce import as_asked, best_depth, learn_rules
from ncs.graph.rules import Attempts, Rules


@pytest.fixture(scope="module", params=[0.0, 0.01], ids=["exact", "noisy"])
def rules(request: pytest.FixtureRequest) -> Rules:
    rng = np.random.default_rng(0)
    return learn_rules(attempt(rng, 1500, 4, noise=request.param), rng)


@pytest.mark.parametrize("n_things", [3, 4, 6, 8])
def test_rules_agree_with_the_world_whatever_the_number_of_things(
    rules: Rules, n_things: int
) -> None:
    situations = attempt(np.random.default_rng(n_things), 500, n_things)
    assert (rules.foretell(situations) == situations.worked).mean() >= 0.99


def test_each_kind_of_rule_is_found_once(rules: Rules) -> None:
    assert len(rules.hold) == len(rules.block) == 1
    assert rules.need is not None
    assert rules.agreement >= 0.99


def test_a_world_in_which_nothing_fails_has_no_rules() -> None:
    tried = attempt(np.random.default_rng(0), 300, 4)
    easy = tried.part(np.flatnonzero(tried.worked))
    rules = learn_rules(easy, np.random.default_rng(0))
    assert rules.hold == rules.block == ()
    assert rules.need is None


def test_failures_by_chance_make_no_rule() -> None:
    rng = np.random.default_rng(1)
    tried = attempt(rng, 600, 4)
    worked = rng.random(600) < 0.8
    chance = Attempts(tried.thing, tried.place, tried.others, tried.landed, tried.stirred, worked)
    rules = learn_rules(chance, rng)
    assert rules.hold == rules.block == ()
    assert rules.need is None


def test_a_wrong_label_now_and_then_does_no_harm() -> None:
    rng = np.random.default_rng(2)
    tried = attempt(rng, 1500, 4)
    wrong = rng.random(1500) < 0.01
    labels = tried.worked ^ wrong
    mixed = Attempts(tried.thing, tried.place, tried.others, tried.landed, tried.stirred, labels)
    situations = attempt(rng, 500, 7)
    agree = learn_rules(mixed, rng).foretell(situations) == situations.worked
    assert agree.mean() >= 0.98


def test_a_face_lies_midway_between_what_it_covers_and_what_it_spares() -> None:
    depth, value = np.array([0.1, 0.2, 0.4, 0.9]), np.array([1.0, 1.0, -10.0, 1.0])
    assert best_depth(depth, value, 0.0) == pytest.approx(0.3)
    assert best_depth(depth[:2], value[:2], 0.0) == np.inf


def test_without_attempts_there_are_no_rules() -> None:
    nothing = attempt(np.random.default_rng(0), 1, 4).part(np.zeros(0, np.int64))
    assert learn_rules(nothing, np.random.default_rng(0)).attempts == 0


def test_what_lands_elsewhere_or_takes_another_along_did_not_do_as_asked() -> None:
    tried = attempt(np.random.default_rng(0), 4, 3)
    landed = np.array(tried.place, float)
    landed[1] += [0, 0, 0.2]
    stirred = np.array([False, False, True, False])
    worked = np.array([True, True, True, False])
    moves = Attempts(tried.thing, tried.place, tried.others, landed, stirred, worked)
    assert as_asked(moves, 0.1).worked.tolist() == [True, False, False, False]
