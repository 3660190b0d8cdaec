"""What robogym-rearrange must show: speed beside the bare renderer, random and oracle scores.

python benchmarks/bench_tabletop.py speed [--clips 5000]
python benchmarks/bench_tabletop.py random [--meshes FOLDER]
python benchmarks/bench_tabletop.py oracle [--meshes FOLDER]
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncs.data.collect import CollectConfig, collect
from ncs.data.workers import spread
from ncs.envs import make_env
from ncs.envs.tabletop.facts import FRAME, PALETTE
from ncs.envs.tabletop.scene import Cast, stage_for
from ncs.envs.tabletop.world import RobogymRearrange

WORLD = "robogym-rearrange"
WORKERS = 2


def bare_seconds(n_clips: int) -> float:
    """Seconds to draw scenes of four objects, five pictures each, with nothing else done."""
    env = make_env(WORLD, goal="none")
    assert isinstance(env, RobogymRearrange)
    stage = stage_for(env.mesh_set)
    rng = np.random.default_rng(0)
    total = 0.0
    for _ in range(n_clips):
        scene = env.draw_task(rng).scene
        cast = Cast(scene["kind"].astype(np.int64), PALETTE[scene["colour"]], scene["yaw"])
        stage.picture(cast, scene["start"], FRAME)
        began = time.perf_counter()
        for _ in range(5):
            stage.expose(FRAME)
        total += time.perf_counter() - began
    return total


def bare_rate(n_clips: int) -> float:
    """Frames a second of bare drawing, all processes together."""
    seconds = max(spread(bare_seconds, [n_clips // WORKERS] * WORKERS, WORKERS))
    return 5 * n_clips / seconds


def speed(n_clips: int) -> None:
    """Collecting, and bare drawing before and after it, so that a busy machine hurts both."""
    before = bare_rate(n_clips // 2)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        config = CollectConfig(world=WORLD, episodes=n_clips)
        for _ in collect(make_env, config, Path(folder) / "buffer", workers=WORKERS):
            pass
        collected = 5 * n_clips / (time.perf_counter() - began)
    bare = (before + bare_rate(n_clips // 2)) / 2
    print(f"bare renderer   {bare:6.0f} frames/s in {WORKERS} processes")
    print(f"collecting      {collected:6.0f} frames/s   {collected / bare:.2f} of bare (>= 0.6)")


class Blind(RobogymRearrange):
    """The same world without its pictures: random looks at none."""

    def _picture(self, size: int) -> NDArray[np.uint8]:
        return np.zeros((size, size, 3), np.uint8)

    _goal_picture = _picture


def random_scores(n_objects: int, n_episodes: int, meshes: str | None) -> NDArray[np.float64]:
    """Best and final fractional success of random episodes, (episodes, 2)."""
    env = Blind(n_objects, meshes=meshes)
    rng = np.random.default_rng(n_objects)
    low, high = env.arena_low, env.arena_high
    scores = np.empty((n_episodes, 2))
    for episode in range(n_episodes):
        info = env.reset(seed=episode)[1]
        start, unsatisfied = info["satisfied"], info["unsatisfied_at_start"]
        satisfied, ended = [start], False
        while not ended:
            pick, place = rng.uniform(low, high, (2, 3))
            action = np.concatenate([pick, place - pick]).astype(np.float32)
            _, reward, terminated, truncated, _ = env.step(action)
            satisfied.append(reward)
            ended = terminated or truncated
        scores[episode] = max(satisfied) - start, satisfied[-1] - start
        scores[episode] /= unsatisfied
    return scores


def oracle_scores(n_objects: int, goal: str, n_episodes: int, meshes: str | None) -> list[bool]:
    """Whether each episode was solved in exactly the fewest moves."""
    env = RobogymRearrange(n_objects, goal, meshes=meshes)
    perfect = []
    for episode in range(n_episodes):
        info = env.reset(seed=episode)[1]
        steps, ended = 0, False
        while not ended:
            _, _, terminated, truncated, info = env.step(env.oracle_action())
            steps, ended = steps + 1, terminated or truncated
        perfect.append(terminated and steps == info["minimum_moves"])
    return perfect


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "random", "oracle"])
    parser.add_argument("--clips", type=int, default=5000)
    parser.add_argument("--episodes", type=int, default=None)
    parser.add_argument("--meshes", default=None)
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.clips)
    elif options.what == "random":
        for n in range(3, 9):
            scores = random_scores(n, options.episodes or 4000, options.meshes)
            mean, error = scores.mean(axis=0), scores.std(axis=0) / len(scores) ** 0.5
            print(f"random {n} objects: best {mean[0]:.4f} +- {error[0]:.4f}  final {mean[1]:.4f}")
    else:
        for goal in ("complete", "partial"):
            for n in range(3, 9):
                perfect = oracle_scores(n, goal, options.episodes or 20, options.meshes)
                print(f"oracle {goal} {n} objects: {np.mean(perfect):.3f} in the fewest moves")


if __name__ == "__main__":
    main()
