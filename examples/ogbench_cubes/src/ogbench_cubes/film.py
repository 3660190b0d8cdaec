"""Takes a model, gives a GIF of the arm at one of OGBench's tasks, the arm drawn solid.

    python -m ogbench_cubes.film MODEL --objects 3 --task 5 --seed 1 --out docs/ogbench-tower.gif

Without a model the moves come from the ground truth. Pictures for people: the agent saw OGBench's.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ncs.agent import Agent
from ogbench_cubes.arm import Feeling, Stopped
from ogbench_cubes.facts import VARIANTS
from ogbench_cubes.table import OfficialCubes
from ogbench_cubes.tasks import official_task
from ogbench_cubes.world import Cubes

EVERY = 6  # control steps between pictures
SIZE = 192  # pixels of a side
COLOURS = 128
PAUSE = 12  # pictures' worth of standing still at the end


class Filmed(Cubes):
    """The same world, remembering how the arm went; the move that solves a task is finished."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.states: list[NDArray[np.float64]] = []

    def _control(self, action_5: NDArray[np.float32]) -> Feeling:
        try:
            feeling = super()._control(action_5)
        except Stopped:
            if self.control_steps >= self._limit:
                raise
            feeling = self._simulator.feel()
        if self.control_steps % EVERY == 0:
            self.states.append(self._simulator.snapshot())
        return feeling


class Solid(OfficialCubes):
    """OGBench's world as people see it."""

    def __init__(self, variant: str) -> None:
        super().__init__(variant, SIZE)
        self._pixel_transparent_arm = False


def play(env: Filmed, agent: Agent | None, observation: dict[str, NDArray[np.uint8]]) -> bool:
    """Plays an episode to its end; whether it was solved."""
    terminated = truncated = False
    while not (terminated or truncated):
        if agent is None:
            action = env.oracle_action()
        else:
            action = agent.act(observation["image"], observation["goal"]).action
        observation, _, terminated, truncated, info = env.step(action)
    print(f"{'solved' if terminated else 'not solved'} in {info['control_steps']} control steps")
    return terminated


def save(states: list[NDArray[np.float64]], n_cubes: int, out: Path) -> None:
    """Draws states and writes them as a GIF."""
    camera = Solid(VARIANTS[n_cubes])
    camera.reset(seed=0, options={"task_id": 1})
    frames = []
    for state in states:
        camera.restore(state)
        frames.append(Image.fromarray(camera.render(camera="front")))
    # Cubes are few pixels of many: the palette is taken from the part of a picture they are in.
    parts = [np.asarray(f)[SIZE // 2 :] for f in frames[:: max(1, len(frames) // 8)]]
    palette = Image.fromarray(np.concatenate(parts)).quantize(COLOURS)
    small = [f.quantize(COLOURS, palette=palette, dither=Image.Dither.NONE) for f in frames]
    small += [small[-1]] * PAUSE
    small[0].save(out, save_all=True, append_images=small[1:], duration=90, loop=0, optimize=True)
    print(f"{out}: {len(small)} pictures, {out.stat().st_size // 1024} kB")


def main() -> None:
    """Films an episode."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--objects", type=int, default=3)
    parser.add_argument("--task", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    env = Filmed(n_objects=asked.objects)
    task = official_task(asked.objects, asked.task, asked.seed)
    observation, _ = env.reset(options={"task": task})
    play(env, Agent.load(asked.model) if asked.model else None, observation)
    save(env.states, asked.objects, asked.out)


if __name__ == "__main__":
    main()
