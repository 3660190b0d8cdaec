"""Worlds do the same again: in another process, and whatever number of them runs side by side.

python -m benchmarks.figures.repeats rollouts --times 20   # 200 steps a seed, two processes
python -m benchmarks.figures.repeats vectors --times 100   # seeds in vectors of 1, 2 and 4
"""

import argparse
import hashlib
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import ncs.envs

assert ncs.envs  # it registers the worlds
WORLDS = [name for name in gymnasium.registry if name.startswith("ncs/")]
STEPS = 200


def rollout(world: str, seed: int) -> str:
    """A hash of every picture of some random steps."""
    env = gymnasium.make(world)
    env.action_space.seed(seed)
    total = hashlib.sha256(env.reset(seed=seed)[0]["image"].tobytes())
    for step in range(STEPS):
        observation, reward, ended, cut, _ = env.step(env.action_space.sample())
        total.update(observation["image"].tobytes() + str((reward, ended, cut)).encode())
        if ended or cut:
            env.reset(seed=seed + 1000 * step)
    env.close()
    return total.hexdigest()


def vector(world: str, seeds: range, size: int, asynchronous: bool) -> list[str]:
    """Hashes of a few steps of every seed, played in vectors of a size."""
    kind = gymnasium.vector.AsyncVectorEnv if asynchronous else gymnasium.vector.SyncVectorEnv
    envs = kind([lambda: gymnasium.make(world)] * size)
    hashes = []
    for first in range(seeds.start, seeds.stop, size):
        own = [*range(first, first + size)]
        observation, _ = envs.reset(seed=own)
        totals = [hashlib.sha256(image.tobytes()) for image in observation["image"]]
        rngs = [np.random.default_rng(seed) for seed in own]
        low, high = envs.single_action_space.low, envs.single_action_space.high
        for _ in range(4):
            action = np.stack([rng.uniform(low, high) for rng in rngs]).astype(np.float32)
            images = envs.step(action)[0]["image"]
            for total, image in zip(totals, images, strict=True):
                total.update(image.tobytes())
        hashes += [total.hexdigest() for total in totals]
    envs.close()
    return hashes[: len(seeds)]


def compare_rollouts(times: int) -> bool:
    """Checks every world, and plays it in this process and another."""
    warnings.simplefilter("error")
    for world in WORLDS:
        env = gymnasium.make(world, render_mode="rgb_array")
        check_env(env.unwrapped, skip_render_check=True)
        env.close()
    here = [rollout(world, seed) for world in WORLDS for seed in range(times)]
    command = [sys.executable, "-m", "benchmarks.figures.repeats", "hashes", "--times", str(times)]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    same = sum(a == b for a, b in zip(here, there, strict=True))
    print(f"rollouts: {len(WORLDS)} worlds pass check_env without a warning; {same} of {len(here)}")
    return same == len(here)


def compare_vectors(times: int) -> bool:
    """Plays the same seeds in vectors of several sizes, in one process and in several."""
    same = total = 0
    for world in WORLDS:
        seeds = range(times)
        alone = vector(world, seeds, 1, False)
        for size, asynchronous in ((2, False), (4, False), (2, True), (4, True)):
            other = vector(world, seeds, size, asynchronous)
            same += sum(a == b for a, b in zip(alone, other, strict=True))
            total += times
    print(f"vectors: {same} of {total} the same as alone, in {len(WORLDS)} worlds")
    return same == total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["rollouts", "vectors", "hashes"])
    parser.add_argument("--times", type=int, default=20)
    asked = parser.parse_args()
    if asked.what == "hashes":
        print(*(rollout(world, seed) for world in WORLDS for seed in range(asked.times)))
        return 0
    holds = (compare_rollouts if asked.what == "rollouts" else compare_vectors)(asked.times)
    return not holds


if __name__ == "__main__":
    sys.exit(main())
