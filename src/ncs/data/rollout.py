"""Plays tasks side by side. What is judged is run by the same lines as what is recorded.

Legend: B lanes, T steps, H height, W width, C channels.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncs.records import Env, Episode, Observation, Policy, Task, Truth


@dataclass(frozen=True)
class Start:
    """A task to play and the key of the random stream its player gets."""

    task: Task
    seed: Sequence[int]


@dataclass
class _Lane:
    """One episode under way."""

    env: Env
    start: Start
    keep: bool
    observation: Observation = field(init=False)
    done: bool = field(init=False, default=False)
    n_constraints: int = field(init=False)
    seconds: float = field(init=False, default=0.0)
    action: list[NDArray[np.float32]] = field(init=False, default_factory=list)
    satisfied: list[int] = field(init=False, default_factory=list)
    frame: list[NDArray[np.uint8]] = field(init=False, default_factory=list)
    truth: list[Truth] = field(init=False, default_factory=list)

    def reset(self) -> None:
        self.observation, info = self.env.reset(options={"task": self.start.task})
        self.n_constraints = info["constraints"]
        self._note(info["satisfied"])

    def step(self, action: NDArray[np.float32]) -> None:
        self.observation, _, terminated, truncated, info = self.env.step(action)
        self.done = terminated or truncated
        self.action.append(action)
        self._note(info["satisfied"])

    def _note(self, satisfied: int) -> None:
        self.satisfied.append(satisfied)
        if self.keep:
            self.frame.append(self.observation["image"])
            self.truth.append(self.env.truth())

    def episode(self) -> Episode:
        return Episode(
            task=self.start.task,
            action=np.array(self.action, np.float32).reshape(-1, 6),
            satisfied=np.array(self.satisfied, np.int32),
            n_constraints=self.n_constraints,
            seconds=self.seconds,
            frame=np.stack(self.frame) if self.keep else None,
            truth=self.truth,
        )


def rollout(
    envs: Sequence[Env],
    policy: Policy,
    starts: Sequence[Start],
    *,
    keep: bool = False,
    max_steps: int | None = None,
) -> list[Episode]:
    """The episodes of a policy on tasks, one lane each; ``keep`` also keeps frames and truth.

    Lanes advance together so that a policy sees full batches; each ends when its world says so, or
    after ``max_steps``.
    """
    lanes = [_Lane(env, start, keep) for env, start in zip(envs, starts, strict=False)]
    if len(lanes) < len(starts):
        raise ValueError(f"{len(starts)} tasks need as many worlds, got {len(envs)}")
    began = time.perf_counter()
    policy.begin([start.seed for start in starts])
    for lane in lanes:
        lane.reset()
    steps = 0
    while (alive := [i for i, lane in enumerate(lanes) if not lane.done]) and steps != max_steps:
        image_BHWC = _batch([lanes[i].observation["image"] for i in alive])
        goal_BHWC = _batch([lanes[i].observation["goal"] for i in alive])
        action_B6 = policy.act(image_BHWC, goal_BHWC, alive)
        for index, action in zip(alive, action_B6, strict=True):
            lanes[index].step(action)
        now = time.perf_counter()
        for index in alive:
            lanes[index].seconds += (now - began) / len(alive)
        began = now
        steps += 1
    return [lane.episode() for lane in lanes]


def _batch(pictures: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Pictures as one array; a single one is not copied."""
    return pictures[0][None] if len(pictures) == 1 else np.stack(pictures)
