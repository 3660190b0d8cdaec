"""An agent that is watched: every step of an episode, or of a plan, with its reason and picture.

Legend: B pictures, H height, W width, C channels.
"""

import itertools
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.agent.agent import Agent
from ncs.agent.players import players_of
from ncs.agent.presets import Manner
from ncs.agent.trained import Trained
from ncs.analysis.pictures import enlarge, save_png, strip
from ncs.analysis.trace import (
    Look,
    Panels,
    draw_legend,
    draw_panels,
    join_panels,
    save_gif,
    scale_of,
    stack,
)
from ncs.control.decision import Decision
from ncs.control.explain import describe
from ncs.records import Entities, Env, Task
from ncs.storage import write_bytes

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
    seen: tuple[Entities, Entities] | None = None  # in scene and goal, where something is decided


def solve_command(asked: Mapping[str, Any]) -> str:
    """The command line of 'ncs solve' with the given options, but for those without a value."""
    words = ["ncs", "solve"]
    for name, value in asked.items():
        values = list(value) if isinstance(value, tuple | list) else [value]
        if values and value is not None:
            words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)


class Recorder:
    """An agent whose every step is drawn."""

    def __init__(self, trained: Trained, manner: Manner, n_slots: int, seed: int) -> None:
        self.trained = trained.seeing(manner.sight)
        self._agent = Agent(players_of(trained, manner, n_slots, most=1), seed)
        self.rows: list[Picture] = []  # a picture of each step

    def act(self, image: Picture, goal: Picture) -> Decision:
        """The next decision."""
        return self._agent.act(image, goal)

    def draw(self, decision: Decision, image: Picture, goal: Picture, title: str) -> Panels:
        """The pictures of a step; a row of them is kept for the film."""
        step, problem = describe(decision), decision.problem
        now, then = as_look(image, problem.now), as_look(goal, problem.goal)
        panels = draw_panels(now, then, step, self.trained.graph.mask)
        self.rows.append(join_panels(panels, step, title))
        return panels

    def finish(self, image: Picture, goal: Picture, title: str) -> None:
        """Draws the end of an episode."""
        self.rows.append(
            strip(
                [enlarge(image, scale_of(image)), enlarge(goal, scale_of(goal))], [title, "goal"], 0
            )
        )

    def trace(self, facts: dict[str, Any]) -> bytes:
        """What happened as JSON: the checkpoint, and the given facts."""
        return json.dumps({"checkpoint": str(self.trained.checkpoint), **facts}, indent=1).encode()


def as_look(image: Picture, entities: Entities) -> Look:
    """What was seen in a picture, to be drawn."""
    return Look(image, entities.mask, entities.presence)


def seen_in(decision: Decision) -> tuple[Entities, Entities]:
    """What a decision was made on: entities of the scene and of the goal."""
    return decision.problem.now, decision.problem.goal


def play(env: Env, task: Task, recorder: Recorder) -> Iterator[Moment]:
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
            recorder.finish(image, goal, "solved" if solved else "out of steps")
            yield Moment(image, goal, *counts, None, None, solved)
            return
        number += 1
        decision = recorder.act(image, goal)
        title = f"step {number}: {info['satisfied']}/{info['constraints']} hold"
        panels = recorder.draw(decision, image, goal, title)
        yield Moment(image, goal, *counts, describe(decision), panels, seen=seen_in(decision))
        observation, _, solved, truncated, info = env.step(decision.action)
        over = solved or truncated


def play_and_save(
    env: Env, task: Task, recorder: Recorder, out: Path, command: str
) -> tuple[Moment, int]:
    """An episode as a GIF, a strip and a trace in a folder; its last moment and length come back.

    ``command`` is what does the same again.
    """
    moments = list(play(env, task, recorder))
    steps = [
        {**(before.decision or {}), "satisfied_after": after.satisfied}
        for before, after in itertools.pairwise(moments)
    ]
    last = moments[-1]
    save_record(recorder, out, {"command": command, "solved": last.solved, "steps": steps})
    return last, len(steps)


def save_record(recorder: Recorder, out: Path, facts: dict[str, Any]) -> None:
    """Writes solve.gif, strip.png and, last, trace.json with the given facts."""
    save_gif(out / "solve.gif", recorder.rows)
    legend = draw_legend(max(row.shape[1] for row in recorder.rows))
    save_png(out / "strip.png", stack([legend, *recorder.rows]))
    write_bytes(out / "trace.json", recorder.trace(facts))


def imagine(
    recorder: Recorder, image: Picture, goal: Picture, n_slots: int, most: int
) -> Iterator[Moment]:
    """The plan for two pictures without a world: after each move the model predicts the scene.

    The model's own picture of what it predicts takes the place of the next observation. The
    plan ends when every constraint seems to hold, when nothing can be done, or after ``most``
    moves.
    """
    generator, model = torch.Generator().manual_seed(0), recorder.trained.model
    with torch.no_grad():
        slots = model.encode(torch.from_numpy(image[None].copy()), n_slots, generator)
    for number in range(most + 1):
        decision = recorder.act(image, goal)
        ended = number == most or decision.holds or decision.choice is None
        if ended and number:
            solved = decision.holds
            recorder.finish(image, goal, "as foreseen" if solved else "no further")
            yield Moment(image, goal, -1, len(decision.pairs), number, None, None, solved)
            return
        title = "now" if number == 0 else f"foreseen {number}"
        panels = recorder.draw(decision, image, goal, title)
        counts, step = (-1, len(decision.pairs), 0), describe(decision)
        yield Moment(image, goal, *counts, step, panels, seen=seen_in(decision))
        if ended:
            return
        with torch.no_grad():
            after = model.predict(slots, torch.from_numpy(decision.action[None]))
            frame = torch.from_numpy(image[None].copy())
            image = model.picture_after(frame, slots, after)[0].numpy()
            slots = after
