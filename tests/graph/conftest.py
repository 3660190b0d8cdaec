"""Made-up clips on a 4 x 4 grid of places, in which slot k is always entity k."""

import numpy as np
import pytest

from ncs.graph import Experience

LINE = np.array([-0.3, -0.1, 0.1, 0.3])
PLACE_C2 = np.stack(np.meshgrid(LINE, LINE), -1).reshape(-1, 2)


def make_experience(n_clips, rng, noise=0.0, slots=4, frames=5, absent=0) -> Experience:
    """Each transition moves one entity to a free place; its state is its place, doubled."""
    cell_CTK = np.zeros((n_clips, frames, slots), int)
    action_CT6 = np.zeros((n_clips, frames - 1, 6), np.float32)
    for clip in range(n_clips):
        cell_CTK[clip, 0] = rng.permutation(16)[:slots]
        for t in range(frames - 1):
            here = cell_CTK[clip, t]
            moved = t % slots
            target = rng.choice(np.setdiff1d(np.arange(16), here))
            start = PLACE_C2[here[moved]]
            action_CT6[clip, t] = [*start, 0.05, *(PLACE_C2[target] - start), 0.0]
            cell_CTK[clip, t + 1] = np.where(np.arange(slots) == moved, target, here)
    state = PLACE_C2[cell_CTK] * 2
    state = state + rng.normal(size=state.shape) * noise
    kind = np.repeat(rng.random((n_clips, 1, slots, 3)), frames, 1)
    mask = 0.05 + 0.9 * np.eye(16)[cell_CTK]
    presence = np.ones((n_clips, frames, slots + absent), bool)
    presence[..., slots:] = False

    def padded(array):
        junk = rng.uniform(-9, 9, (*array.shape[:2], absent, array.shape[3]))
        return np.concatenate([array, junk], 2).astype(np.float32)

    return Experience(padded(kind), padded(state), padded(mask), presence, action_CT6)


@pytest.fixture(scope="session")
def experience():
    """Makes experience: see ``make_experience``."""
    return make_experience


@pytest.fixture
def rng():
    return np.random.default_rng(0)
