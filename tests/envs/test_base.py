"""What every world shares: pictures are drawn when something moved, and are the reader's own."""

from typing import Any

import numpy as np
import pytest

from ncs.envs import make_env

WORLDS = ("block-rearrange", "robogym-rearrange")
NOWHERE = np.array([9.0, 9.0, 0, 0, 0, 0], np.float32)


@pytest.mark.parametrize("world", WORLDS)
def test_a_step_that_moves_nothing_draws_nothing_and_shows_the_same(
    world: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env: Any = make_env(world, n_objects=3)
    before, _ = env.reset(seed=0)
    drawn: list[int] = []
    draw = env._picture
    monkeypatch.setattr(env, "_picture", lambda size: drawn.append(size) or draw(size))
    after = env.step(NOWHERE)[0]
    assert not drawn
    assert np.array_equal(after["image"], before["image"])
    moved = env.step(env.oracle_action())[0]
    assert len(drawn) == 1
    assert not np.array_equal(moved["image"], before["image"])


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("goal", ["complete", "none"])
def test_a_reader_may_write_on_its_pictures(world: str, goal: str) -> None:
    env: Any = make_env(world, n_objects=3, goal=goal)
    first, _ = env.reset(seed=0)
    image, aim = first["image"].copy(), first["goal"].copy()
    first["image"][:] = 0
    first["goal"][:] = 0
    again = env.step(NOWHERE)[0]
    assert np.array_equal(again["image"], image)
    assert np.array_equal(again["goal"], aim)
