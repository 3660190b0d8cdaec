"""Takes a buffer or a world, gives clips with ground truth: played again, or played afresh.

Legend: B clips, T frames, N objects, H height, W width.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncs.data.buffer import Buffer, open_truth
from ncs.data.seeds import stream
from ncs.envs import make_env
from ncs.records import Clips, DataError, Env

MOVES = 4  # as in the paper's clips

Advance = Callable[[int], None]  # told how many clips are done


@dataclass(frozen=True)
class LabelledClips:
    """Clips, and what was really there."""

    clips: Clips
    segment: NDArray[np.uint8]  # (B, T, H, W) 0 is background, i + 1 is object i
    moved: NDArray[np.int64]  # (B, T - 1) which object each action was to move
    colour: NDArray[np.float32]  # (B, N, 3)
    position: NDArray[np.float32]  # (B, T, N, 3) metres

    def did_move(self) -> NDArray[np.int64]:
        """Which object each action moved (B, T - 1), -1 where it failed."""
        shift_BTN = np.abs(np.diff(self.position, axis=1)).max(axis=-1)
        own_BT = np.take_along_axis(shift_BTN, self.moved[..., None], axis=2)[..., 0]
        return np.where(own_BT > 0, self.moved, -1)


def replay(
    folder: Path, buffer: Buffer, index_B: NDArray[np.int64], advance: Advance
) -> LabelledClips:
    """Clips of a buffer with their segmentations, which are rendered by playing them again."""
    truth = open_truth(folder)
    clips = buffer.clips(index_B)
    n_objects = truth.colour(0).shape[0]
    env = make_env(buffer.world, n_objects=n_objects, goal="none")
    segments, positions = [], []
    for done, (index, frame_THWC, action_TA) in enumerate(
        zip(index_B.tolist(), clips.frame, clips.action, strict=True)
    ):
        observation, _ = env.reset(options={"task": truth.task(index)})
        if (observation["image"] != frame_THWC[0]).any():
            raise DataError(
                f"{folder}: clip {index} looks different when played again: the world was changed "
                "since; collect a new buffer"
            )
        segment_THW, position_TN3 = _watch(env, action_TA)
        segments.append(segment_THW)
        positions.append(position_TN3)
        advance(done + 1)
    return LabelledClips(
        clips,
        np.stack(segments),
        np.stack([truth.moved(index).astype(np.int64) for index in index_B.tolist()]),
        np.stack([truth.colour(index) for index in index_B.tolist()]),
        np.stack(positions),
    )


def _watch(
    env: Env, action_TA: NDArray[np.float32]
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Segmentations (T, H, W) and positions (T, N, 3) while actions are carried out."""
    segments, positions = [env.segment()], [env.truth().position]
    for action in action_TA:
        env.step(action)
        segments.append(env.segment())
        positions.append(env.truth().position)
    return np.stack(segments), np.stack(positions)


def play(
    world: str, n_objects: int, n_clips: int, seed: int, advance: Advance, style: str = ""
) -> LabelledClips:
    """Fresh clips in which objects are moved as in a buffer, though no more than four of them."""
    looks = {"style": style} if style else {}
    env = make_env(world, n_objects=n_objects, goal="none", **looks)
    frames, actions, segments, moved, colours, positions = [], [], [], [], [], []
    for number in range(n_clips):
        rng = stream("fresh", seed, n_objects, number)
        observation, _ = env.reset(options={"task": env.draw_task(rng)})
        movers = rng.permutation(n_objects)[:MOVES]
        if len(movers) < MOVES:
            movers = rng.integers(n_objects, size=MOVES)
        clip = _play_clip(env, observation["image"], movers.tolist(), rng)
        frames.append(clip[0])
        actions.append(clip[1])
        segments.append(clip[2])
        positions.append(clip[3])
        moved.append(movers)
        colours.append(env.truth().colour)
        advance(number + 1)
    return LabelledClips(
        Clips(np.stack(frames), np.stack(actions)),
        np.stack(segments),
        np.stack(moved).astype(np.int64),
        np.stack(colours),
        np.stack(positions),
    )


def _play_clip(
    env: Env, image: NDArray[np.uint8], movers: Sequence[int], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint8], NDArray[np.float32]]:
    """Frames, actions, segmentations and positions of one clip."""
    frames, actions, segments, positions = [image], [], [env.segment()], [env.truth().position]
    for index in movers:
        actions.append(env.random_move(index, rng))
        observation, *_ = env.step(actions[-1])
        frames.append(observation["image"])
        segments.append(env.segment())
        positions.append(env.truth().position)
    return np.stack(frames), np.stack(actions), np.stack(segments), np.stack(positions)
