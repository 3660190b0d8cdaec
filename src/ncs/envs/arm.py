"""A robot arm of rods: where its links are in a pose drawn at random.

It stands beside the arena, reaches over it with two links, and ends in a hand with two fingers. It
is part of the picture only: it touches nothing and is no object. Its poses leave the middle of
every object in sight.

Legend: C candidate poses, L links, N objects, 2 picture and 3 world coordinates.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.envs.sight import Eye

CANDIDATES = 24  # poses drawn at a time, of which the first that hides nothing is taken
PARKED = 6  # further ones with the hand outside the arena, nearer and nearer to the base
FINGER_GAP = 0.5  # half the distance of the fingers, in lengths of the hand
STEEL, DARK = (0.45, 0.5, 0.58), (0.18, 0.2, 0.24)
COLOURS = (DARK, STEEL, STEEL, DARK, STEEL, DARK, DARK)


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm's build, in metres."""

    base: NDArray[np.float64]  # (3,) where it stands
    shoulder: float  # height of the shoulder above the base
    upper: float  # length of the first link
    fore: float  # length of the second link
    hand: float  # length of the hand, and of the fingers
    thick: float  # radius of the first link
    area: NDArray[np.float64]  # (2, 2) low and high corner of what the hand moves over
    height: tuple[float, float]  # of the wrist above the arena's floor

    @property
    def rods(self) -> list[tuple[float, float]]:
        """Length and radius of every link: column, two links, hand, palm and two fingers."""
        gap = 2 * FINGER_GAP * self.hand
        thin = self.thick * 0.45
        return [
            (self.shoulder, self.thick * 1.3),
            (self.upper, self.thick),
            (self.fore, self.thick * 0.8),
            (self.hand, self.thick * 0.6),
            (gap, thin),
            (self.hand, thin),
            (self.hand, thin),
        ]


def draw_pose(
    arm: Arm, rng: np.random.Generator, eye: Eye, shown_N3: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Both ends of every link, (L, 2, 3), in a pose that hides none of the points."""
    low_2, high_2 = arm.area
    wrist_C2 = rng.uniform(low_2, high_2, (CANDIDATES, 2))
    near_2 = np.clip(arm.base[:2], low_2, high_2)
    share_P1 = np.linspace(0, 0.9, PARKED)[:, None]
    parked_P2 = near_2 + share_P1 * (arm.base[:2] - near_2)
    wrist_C2 = np.concatenate([wrist_C2, parked_P2])
    height_C1 = rng.uniform(*arm.height, (len(wrist_C2), 1))
    roll_C = rng.uniform(0, np.pi, len(wrist_C2))
    link_CL23 = _reach(arm, np.concatenate([wrist_C2, height_C1], axis=1), roll_C)
    clear_C = _clearance(arm, link_CL23, eye, shown_N3)
    return np.asarray(link_CL23[(clear_C > 0).argmax() if (clear_C > 0).any() else -1])


def _reach(
    arm: Arm, wrist_C3: NDArray[np.float64], roll_C: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Both ends of every link (C, L, 2, 3) for hands at these places, elbows up."""
    shoulder_3 = arm.base + np.array([0.0, 0.0, arm.shoulder])
    way_C3 = wrist_C3 - shoulder_3
    far_C1 = np.linalg.norm(way_C3, axis=1, keepdims=True)
    way_C3 = way_C3 / far_C1
    # The links' lengths stay what they are: a hand too near or too far goes where they reach.
    least, most = abs(arm.upper - arm.fore) * 1.05, (arm.upper + arm.fore) * 0.995
    far_C1 = np.clip(far_C1, least, most)
    along_C1 = (far_C1**2 + arm.upper**2 - arm.fore**2) / (2 * far_C1)
    up_C3 = np.array([0.0, 0.0, 1.0]) - way_C3[:, 2:] * way_C3
    up_C3 /= np.linalg.norm(up_C3, axis=1, keepdims=True)
    rise_C1 = np.sqrt(np.maximum(arm.upper**2 - along_C1**2, 0))
    elbow_C3 = shoulder_3 + along_C1 * way_C3 + rise_C1 * up_C3
    wrist_C3 = shoulder_3 + far_C1 * way_C3
    down_3 = np.array([0.0, 0.0, -arm.hand])
    palm_C3 = wrist_C3 + down_3
    aside_C3 = np.stack([np.cos(roll_C), np.sin(roll_C), 0 * roll_C], axis=1)
    left_C3 = palm_C3 + aside_C3 * (arm.hand * FINGER_GAP)
    right_C3 = palm_C3 - aside_C3 * (arm.hand * FINGER_GAP)
    base_C3 = np.broadcast_to(arm.base, wrist_C3.shape)
    shoulder_C3 = np.broadcast_to(shoulder_3, wrist_C3.shape)
    ends = [
        (base_C3, shoulder_C3),
        (shoulder_C3, elbow_C3),
        (elbow_C3, wrist_C3),
        (wrist_C3, palm_C3),
        (left_C3, right_C3),
        (left_C3, left_C3 + down_3),
        (right_C3, right_C3 + down_3),
    ]
    return np.stack([np.stack(pair, axis=1) for pair in ends], axis=1)


def _clearance(
    arm: Arm, link_CL23: NDArray[np.float64], eye: Eye, shown_N3: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far each pose stays clear of the points in the picture (C,), in half heights."""
    if not len(shown_N3):
        return np.ones(len(link_CL23))
    radius_L = np.array([radius for _, radius in arm.rods])
    width_CL = radius_L * eye.scale(link_CL23).max(axis=-1)
    start_CL12, end_CL12 = np.split(eye.project(link_CL23), 2, axis=2)
    point_N2 = eye.project(shown_N3)
    line_CL12 = end_CL12 - start_CL12
    length_CL1 = np.maximum((line_CL12**2).sum(axis=-1), 1e-12)
    share_CLN = ((point_N2 - start_CL12) * line_CL12).sum(axis=-1) / length_CL1
    foot_CLN2 = start_CL12 + np.clip(share_CLN, 0, 1)[..., None] * line_CL12
    apart_CLN = np.linalg.norm(point_N2 - foot_CLN2, axis=-1)
    # A little more than the rod itself: the pixels about the middle stay in sight.
    clear: NDArray[np.float64] = (apart_CLN - 1.15 * width_CL[..., None] - 0.045).min(axis=(1, 2))
    return clear


def stand(link_L23: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles (L, 3) of rods and rotations (L, 3, 3) that bring the z axis along them."""
    middle_L3 = link_L23.mean(axis=1)
    along_L3 = link_L23[:, 1] - link_L23[:, 0]
    along_L3 = along_L3 / np.linalg.norm(along_L3, axis=1, keepdims=True)
    # Whichever axis lies least along the rod makes a sound cross product.
    other_L3 = np.eye(3)[np.abs(along_L3).argmin(axis=1)]
    first_L3 = np.cross(other_L3, along_L3)
    first_L3 /= np.linalg.norm(first_L3, axis=1, keepdims=True)
    return middle_L3, np.stack([first_L3, np.cross(along_L3, first_L3), along_L3], axis=2)
