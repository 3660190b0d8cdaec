"""The arm: rods that hang together, and never before the middle of an object."""

from dataclasses import replace

import numpy as np
import pytest

from ncs.envs.arm import Arm, draw_pose, stand
from ncs.envs.sight import look_from

ARM = Arm(
    base=np.array([0.0, 0.6, 0.0]),
    shoulder=0.3,
    upper=0.5,
    fore=0.45,
    hand=0.06,
    thick=0.03,
    area=np.array([[-0.4, -0.4], [0.4, 0.4]]),
    height=(0.3, 0.4),
)
EYE = look_from(np.array([0.0, -2.0, 3.0]), np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.15)
NOTHING = np.zeros((0, 3))


@pytest.mark.parametrize("seed", range(20))
def test_links_keep_their_lengths_and_hang_together(seed: int) -> None:
    arm = replace(ARM, base=np.array([[-0.6, 0.1, 0.0], [0.0, 0.6, 0.0]][seed % 2]))
    link = draw_pose(arm, np.random.default_rng(seed), EYE, NOTHING)
    lengths = np.linalg.norm(link[:, 1] - link[:, 0], axis=-1)
    np.testing.assert_allclose(lengths, [length for length, _ in arm.rods], atol=1e-9)
    np.testing.assert_allclose(link[0, 0], arm.base)
    np.testing.assert_allclose(link[:3, 1], link[1:4, 0], atol=1e-12)
    assert link[1, 1, 2] > link[2, 1, 2], "the elbow is above the hand"
    assert link[5:, 1, 2].min() > 0.15, "fingers stay above what stands on the floor"


def test_poses_differ_from_moment_to_moment() -> None:
    poses = [draw_pose(ARM, np.random.default_rng(seed), EYE, NOTHING) for seed in range(5)]
    hands = np.array([pose[3, 1] for pose in poses])
    assert np.ptp(hands, axis=0)[:2].min() > 0.1


@pytest.mark.parametrize("seed", range(50))
def test_the_middles_of_objects_stay_in_sight(seed: int) -> None:
    rng = np.random.default_rng(seed)
    middle = np.column_stack([rng.uniform(-0.3, 0.3, (8, 2)), np.full(8, 0.05)])
    link = draw_pose(ARM, rng, EYE, middle)
    share = np.linspace(0, 1, 200)[:, None, None]
    along = link[None, :, 0] + share * (link[:, 1] - link[:, 0])
    apart = np.linalg.norm(EYE.project(along)[:, :, None] - EYE.project(middle), axis=-1)
    width = np.array([radius for _, radius in ARM.rods]) * EYE.scale(along).max(axis=0)
    assert (apart.min(axis=0) > width[:, None]).all()


def test_rods_stand_along_their_links() -> None:
    link = draw_pose(ARM, np.random.default_rng(0), EYE, NOTHING)
    middle, turn = stand(link)
    half = (link[:, 1] - link[:, 0]) / 2
    length = np.linalg.norm(half, axis=1, keepdims=True)
    np.testing.assert_allclose(middle + turn[:, :, 2] * length, link[:, 1], atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turn), 1)
