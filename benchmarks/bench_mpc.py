"""What a decision of MPC costs beside one of NCS, on the same checkpoint and pictures, in one run.

The paper reports 11 hours for MPC and 20 minutes for NCS: 33 times as long.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from ncs.agent import Preset, Trained, arena, control_preset, shipped_model
from ncs.baselines.mpc import MpcConfig, MpcPolicy
from ncs.envs import make_env
from ncs.records import Policy

LANES = 10
ROUNDS = 3
MODELS: dict[str, Preset] = {"blocks-cpu-0": "paper", "blocks-fast-0": "best"}
WANTED = 33  # the paper's ratio


def seconds_per_decision(policy: Policy, image: np.ndarray, goal: np.ndarray) -> float:
    """The median over rounds, goals looked at beforehand."""
    policy.begin([(seed,) for seed in range(LANES)])
    policy.act(image, goal, range(LANES))
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        policy.act(image, goal, range(LANES))
        rounds.append(time.perf_counter() - began)
    return float(np.median(rounds)) / LANES


def compare(model: Path, preset: Preset, objects: int) -> None:
    """Prints what a decision of either costs with a model, the paper's way or with extensions."""
    trained = Trained.load(model, preset)
    reach, config = arena(trained.world), MpcConfig(presence=preset == "best")
    envs = [make_env(trained.world, n_objects=objects) for _ in range(LANES)]
    seen = [env.reset(seed=seed)[0] for seed, env in enumerate(envs)]
    image, goal = (np.stack([o[name] for o in seen]) for name in ("image", "goal"))
    slots = trained.slots_for(objects, preset)
    ours = seconds_per_decision(trained.policy(control_preset(preset), slots), image, goal)
    rival = MpcPolicy(trained.model, slots, reach.low, reach.high, config)
    theirs = seconds_per_decision(rival, image, goal)
    print(
        f"{model.name}, {objects} objects: NCS {1000 * ours:7.2f} ms a decision, "
        f"MPC {1000 * theirs:7.2f} ms, {theirs / ours:.1f} times as long (paper: {WANTED})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="+", default=[4, 7])
    options = parser.parse_args()
    torch.set_num_threads(1)
    for objects in options.objects:
        for name, preset in MODELS.items():
            compare(shipped_model(name), preset, objects)


if __name__ == "__main__":
    main()
