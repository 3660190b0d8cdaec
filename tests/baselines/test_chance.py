"""Random draws its pick and its place uniformly in the arena."""

import numpy as np

from ncs.baselines.chance import Chance, random_action

LOW, HIGH = np.array([-0.4, -0.4, 0.0]), np.array([0.4, 0.4, 0.16])
BLANK = np.zeros((1, 64, 64, 3), np.uint8)


def test_pick_and_place_are_uniform_in_the_arena() -> None:
    rng = np.random.default_rng(0)
    actions = np.stack([random_action(rng, LOW, HIGH) for _ in range(4000)])
    for points in (actions[:, :2], actions[:, :2] + actions[:, 3:5]):
        assert (np.abs(points) <= 0.4 + 1e-6).all()
        histogram = np.histogram2d(points[:, 0], points[:, 1], 4, [(-0.4, 0.4)] * 2)[0]
        np.testing.assert_allclose(histogram / len(points), 1 / 16, atol=0.02)


def test_a_lane_draws_the_same_whatever_its_neighbours_do() -> None:
    policy = Chance(LOW, HIGH)
    policy.begin([(1,), (2,)])
    both = policy.act(BLANK.repeat(2, 0), BLANK.repeat(2, 0), [0, 1])
    policy.begin([(2,)])
    np.testing.assert_array_equal(policy.act(BLANK, BLANK, [0])[0], both[1])
