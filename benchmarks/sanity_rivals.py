"""Whether the rivals can learn at all: block-rearrange with a single block.

With one block a clip is a single move and its last frame the goal, so every move is the best there
is. Networks and numbers are those of 'ncs train-rival', with fewer steps. A rival that solves this
and not four blocks fails by its method, not by a mistake in it.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import torch

from ncs.agent.rivals import rival_training
from ncs.baselines.chance import Chance
from ncs.baselines.presets import CPU_STEPS
from ncs.baselines.rival import PixelPolicy, save_policy
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.data.rollout import Start, rollout
from ncs.data.seeds import stream
from ncs.envs import arena_of, make_env
from ncs.evaluation.metrics import fractional_success
from ncs.records import Policy
from ncs.training.schedule import TrainConfig
from ncs.training.train import train

WORLD = "block-rearrange"
CLIPS = 2000
TASKS = 100
STEPS = {"bc": 600, "iql": 400, "gcivl": 400}


def success(policy: Policy) -> float:
    """The mean share of fresh one-block tasks that are solved."""
    envs = [make_env(WORLD, n_objects=1) for _ in range(TASKS)]
    starts = [Start(envs[0].draw_task(stream("fresh", 8, i)), (8, i)) for i in range(TASKS)]
    episodes = rollout(envs, policy, starts)
    return float(np.mean([fractional_success(e.satisfied, e.n_constraints).best for e in episodes]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--methods", nargs="+", default=sorted(CPU_STEPS), choices=sorted(CPU_STEPS)
    )
    methods = parser.parse_args().methods
    torch.set_num_threads(1)
    low, high = arena_of(WORLD)
    print(f"random: {success(Chance(low, high)):.2f} of {TASKS} fresh tasks", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = CollectConfig(world=WORLD, objects=1, episodes=CLIPS)
        for _ in collect(make_env, plan, folder / "buffer"):
            pass
        open_buffer(folder / "buffer")
        for method in methods:
            values = rival_training(method, WORLD, "cpu").model_dump()
            config = TrainConfig(**{**values, "steps": STEPS[method], "threads": 1})
            outcome = train(config, folder / "buffer", folder / method)
            share = success(PixelPolicy(save_policy(folder / method).actor))
            print(
                f"{method}: {share:.2f} after {outcome.step} steps in {outcome.seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
