"""From states to the world."""

from dataclasses import replace

import numpy as np
import pytest

from ncs.graph.calibration import (
    ends,
    features,
    fit_world,
    locate,
    node_offsets,
    node_positions,
    still_threshold,
)
from ncs.graph.isolate import isolate
from ncs.records import Calibration


def curved(experience, rng, clips=100, wrong=0.0):
    """Moves whose states bend as a camera's picture does, some with another slot's state."""
    seen = experience(clips, rng)
    moves = isolate(seen, "state", "euclidean")
    bend = {
        name: getattr(moves, name) + 0.1 * getattr(moves, name) ** 2 for name in ("before", "after")
    }
    bad = rng.random(len(moves)) < wrong
    for name in bend:
        bend[name] = np.where(bad[:, None], rng.uniform(-1, 1, bend[name].shape), bend[name])
    return type(moves)(**{**moves.__dict__, **bend}), bad


def test_ends_of_actions_are_where_things_were_then_where_they_went():
    np.testing.assert_allclose(ends(np.array([[1.0, 2, 3, 4, 5, 6]])), [[1, 2, 3], [5, 7, 9]])


def test_places_are_read_off_bent_states_to_millimetres(experience, rng):
    moves, _ = curved(experience, rng)
    fit = fit_world(moves)
    found = locate(np.concatenate([moves.before, moves.after]), fit.coefficient)
    assert np.abs(found - ends(moves.action)).max() < 0.01
    assert fit.error < 0.004


def test_wrong_isolations_neither_spoil_the_fit_nor_go_unnoticed(experience, rng):
    moves, bad = curved(experience, rng, clips=300, wrong=0.1)
    fit = fit_world(moves)
    found = locate(np.concatenate([moves.before, moves.after]), fit.coefficient)
    good = np.concatenate([~bad, ~bad])
    assert np.abs(found - ends(moves.action))[good].max() < 0.015
    assert fit.outliers == pytest.approx(bad.mean(), abs=0.03)


def test_many_channels_are_fitted_without_products():
    assert features(np.zeros((1, 2))).shape == (1, 6)
    assert features(np.zeros((1, 9))).shape == (1, 10)


def test_too_few_moves_fit_nothing(experience, rng):
    few = isolate(experience(1, rng, frames=2), "state", "euclidean")
    fit = fit_world(few)
    assert fit.coefficient is None
    assert fit.outliers == 0


def test_a_handful_of_moves_is_fitted_by_a_plane(experience, rng):
    moves = isolate(experience(2, rng, frames=4), "state", "euclidean")
    fit = fit_world(moves)
    assert fit.coefficient.shape == (3, 3)
    np.testing.assert_allclose(
        locate(moves.before, fit.coefficient), moves.action[:, :3], atol=1e-6
    )


def test_a_node_corrects_what_the_fit_misses_there(experience, rng):
    moves, _ = curved(experience, rng, clips=400)
    fit = fit_world(moves)
    states = np.concatenate([moves.before, moves.after])
    _, label = np.unique(ends(moves.action)[:, :2].round(3), axis=0, return_inverse=True)
    corrected = locate(states, fit.coefficient) + node_offsets(fit, label, 16)[label]
    better = np.abs(corrected - ends(moves.action)).mean()
    assert better < 0.3 * np.abs(fit.miss).mean()


def test_a_node_that_nothing_left_has_no_position():
    found = node_positions(np.ones((2, 3)), np.array([1, 1]), 2)
    assert np.isnan(found[0]).all()
    assert (found[1] == 1).all()


def test_heights_that_no_state_tells_are_not_held_against_the_fit(experience, rng):
    moves, _ = curved(experience, rng)
    action = moves.action.copy()
    action[:, 2] += rng.uniform(0, 0.1, len(action))
    tall = type(moves)(**{**moves.__dict__, "action": action})
    assert fit_world(tall).error == pytest.approx(fit_world(moves).error, rel=0.05)
    assert fit_world(tall).inlier.all()


def test_rest_is_told_from_motion(experience, rng):
    moves = isolate(experience(100, rng, noise=0.01), "state", "euclidean")
    threshold = still_threshold(moves)
    assert np.quantile(moves.rest, 0.999) < threshold < moves.change.min()


def test_a_lone_entity_still_has_a_threshold(experience, rng):
    moves = isolate(experience(20, rng, slots=1), "state", "euclidean")
    assert 0 < still_threshold(moves) < moves.change.min()


def test_two_states_claim_one_place_within_half_the_gap_but_never_less_than_at_rest():
    none = np.zeros((0, 3), np.float32)
    known = Calibration(0.1, 1.0, 0.0, 0.0, none, none, None, none, np.eye(2, dtype=np.float32))
    assert known.near == 0.5
    assert replace(known, gap=0.1).near == 0.1
