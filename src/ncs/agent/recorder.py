"""An agent that is watched: every step of an episode, or of a plan, with its reason and picture.

Legend: B pictures, H height, W width, C channels.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.agent import Agent, Eye, Mind, Preset, arena, control_preset
from ncs.analysis.pictures import enlarge, strip
from ncs.analysis.trace import SCALE, Look, Panels, draw_panels, join_panels
from ncs.control.config import ControlConfig
from ncs.control.decision import Decision
from ncs.control.explain import describe
from ncs.control.policy import GraphPolicy
from ncs.records import Entities, Env, Task

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Moment:
    """A scene, and what is done about it."""

    image: Picture  # (H, W, C)
    goal: Picture  # (H, W, C)
    satisfied: int  # constraints that hold in the scene; -1 where nobody knows
    constraints: int
    minimum_moves: int
    decision: dict[str, Any] | None  # as ``describe`` puts it; None at the end
    panels: Panels | None
    solved: bool = False


def adjusted_control(
    preset: Preset, without: Sequence[str] = (), only: Sequence[str] = (), choice: str | None = None
) -> ControlConfig:
    """A preset's control with some extensions switched off, or on, and another way to choose."""
    return control_preset(preset).changed(without, only, choice)


def solve_command(asked: Mapping[str, Any]) -> str:
    """The command line of 'ncs solve' with the given options, but for those without a value."""
    words = ["ncs", "solve"]
    for name, value in asked.items():
        values = list(value) if isinstance(value, tuple | list) else [value]
        if values and value is not None:
            words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)


class Watcher:
    """An agent whose every step is drawn."""

    def __init__(self, mind: Mind, config: ControlConfig, n_slots: int, seed: int) -> None:
        self._mind = mind
        self._eye = Eye(mind.model, n_slots, seed)
        self._seen: dict[bytes, Entities] = {}
        policy = GraphPolicy(self._look, mind.graph, config, arena(mind.world))
        self._agent = Agent(policy, seed)
        self.rows: list[Picture] = []  # a picture of each step

    def _look(self, image_BHWC: Picture, lane_B: Sequence[int]) -> list[Entities]:
        """The eye, with what it saw kept for the drawing."""
        found = self._eye(image_BHWC, lane_B)
        for image, entities in zip(image_BHWC, found, strict=True):
            self._seen[image.tobytes()] = entities
        return found

    def _as_look(self, image: Picture) -> Look:
        entities = self._seen[image.tobytes()]
        return Look(image, entities.mask, entities.presence)

    def act(self, image: Picture, goal: Picture) -> Decision:
        """The next decision."""
        return self._agent.act(image, goal)

    def draw(self, step: dict[str, Any], image: Picture, goal: Picture, title: str) -> Panels:
        """The pictures of a step; a row of them is kept for the film."""
        now, then = self._as_look(image), self._as_look(goal)
        panels = draw_panels(now, then, step, self._mind.graph.mask)
        self.rows.append(join_panels(panels, step, title))
        return panels

    def finish(self, image: Picture, goal: Picture, title: str) -> None:
        """Draws the end of an episode."""
        self.rows.append(strip([enlarge(image, SCALE), enlarge(goal, SCALE)], [title, "goal"], 0))

    def trace(self, facts: dict[str, Any]) -> bytes:
        """What happened as JSON: the checkpoint, and the given facts."""
        return json.dumps({"checkpoint": self._mind.checkpoint, **facts}, indent=1).encode()


def play(env: Env, task: Task, watcher: Watcher) -> Iterator[Moment]:
    """An episode, step by step; the last moment has no decision.

    The world moves on when the next moment is asked for.
    """
    observation, info = env.reset(options={"task": task})
    solved = info["satisfied"] == info["constraints"]
    number, over = 0, solved
    while True:
        image, goal = observation["image"], observation["goal"]
        counts = (info["satisfied"], info["constraints"], info["minimum_moves"])
        if over:
            watcher.finish(image, goal, "solved" if solved else "out of steps")
            yield Moment(image, goal, *counts, None, None, solved)
            return
        number += 1
        decision = watcher.act(image, goal)
        step = describe(decision)
        title = f"step {number}: {info['satisfied']}/{info['constraints']} hold"
        panels = watcher.draw(step, image, goal, title)
        yield Moment(image, goal, *counts, step, panels)
        observation, _, solved, truncated, info = env.step(decision.action)
        over = solved or truncated


def imagine(
    mind: Mind, watcher: Watcher, image: Picture, goal: Picture, n_slots: int, most: int
) -> Iterator[Moment]:
    """The plan for two pictures without a world: after each move the model predicts the scene.

    The model's own picture of what it predicts takes the place of the next observation. The
    plan ends when every constraint seems to hold, when nothing can be done, or after ``most``
    moves.
    """
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        slots = mind.model.encode(torch.from_numpy(image[None].copy()), n_slots, generator)
    for number in range(most + 1):
        decision = watcher.act(image, goal)
        ended = number == most or decision.holds or decision.choice is None
        if ended and number:
            solved = decision.holds
            watcher.finish(image, goal, "as foreseen" if solved else "no further")
            yield Moment(image, goal, -1, len(decision.pairs), number, None, None, solved)
            return
        step = describe(decision)
        panels = watcher.draw(step, image, goal, "now" if number == 0 else f"foreseen {number}")
        yield Moment(image, goal, -1, len(decision.pairs), 0, step, panels)
        if ended:
            return
        with torch.no_grad():
            after = mind.model.predict(slots, torch.from_numpy(decision.action[None]))
            frame = torch.from_numpy(image[None].copy())
            image = mind.model.picture_after(frame, slots, after)[0].numpy()
            slots = after
