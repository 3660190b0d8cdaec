"""Actions that know nothing."""

import numpy as np

from ncs.graph.arena import Arena, idle_action, random_action

ARENA = Arena(low=np.array([-1.0, 2.0, 0.4]), high=np.array([1.0, 3.0, 0.4]))


def test_random_picks_and_places_fill_the_arena_and_stay_inside():
    rng = np.random.default_rng(0)
    actions = np.array([random_action(ARENA, rng) for _ in range(2000)])
    for point in (actions[:, :3], actions[:, :3] + actions[:, 3:]):
        assert (point >= ARENA.low - 1e-6).all()
        assert (point <= ARENA.high + 1e-6).all()
        np.testing.assert_allclose(point.mean(0), [0, 2.5, 0.4], atol=0.05)
    assert (actions[:, 5] == 0).all()


def test_heights_are_drawn_where_they_matter():
    tall = Arena(low=np.zeros(3), high=np.ones(3))
    actions = np.array([random_action(tall, np.random.default_rng(i)) for i in range(200)])
    assert actions[:, 2].std() > 0.2
    assert actions[:, 5].std() > 0.2


def test_an_idle_action_puts_things_back():
    action = idle_action(ARENA)
    assert (action[3:] == 0).all()
    np.testing.assert_allclose(action[:3], [0, 2.5, 0.4])
