"""The number of nodes."""

import numpy as np
import pytest

from ncs.graph.count import candidates, choose_count
from ncs.graph.isolate import isolate


@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_actions_tell_that_there_are_sixteen_places(experience, rng, noise):
    moves = isolate(experience(150, rng, noise=noise), "state", "euclidean")
    found = choose_count(moves.before, moves.after, moves.action, 64, "sqeuclidean", rng)
    assert found == 16


def test_the_bound_is_kept(experience, rng):
    moves = isolate(experience(50, rng), "state", "euclidean")
    assert choose_count(moves.before, moves.after, moves.action, 9, "sqeuclidean", rng) <= 9


@pytest.mark.parametrize("n", [0, 1, 3])
def test_hardly_any_moves_are_no_obstacle(n):
    state = np.zeros((n, 2))
    found = choose_count(state, state, np.zeros((n, 6)), 8, "euclidean", np.random.default_rng(0))
    assert 1 <= found <= 8


def test_candidates_rise_from_two_to_the_bound():
    ladder = candidates(64)
    assert ladder[0] == 2
    assert ladder[-1] == 64
    assert (np.diff(ladder) > 0).all()
    assert candidates(1) == [1]
