"""Frames per second of collecting and judging, beside the bare renderer's, in one run."""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from ncs.agent.methods import RandomMethod
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.envs import make_env
from ncs.envs.blocks.scene import shared_scene
from ncs.evaluation.harness import JudgeConfig, evaluate
from ncs.evaluation.results import read_results

CLIPS = 400  # four shards: beginning and ending a run weigh as little as in a real one
ROUNDS = 5
FRAMES = 5 * CLIPS


def bare_renderer() -> float:
    """Seconds to show random scenes of four cubes, with nothing else done."""
    scene = shared_scene(12)
    rng = np.random.default_rng(0)
    cells = [rng.choice(16, 4, replace=False).tolist() for _ in range(FRAMES)]
    scene.paint(rng.random((4, 3)).astype(np.float32))
    began = time.perf_counter()
    for cell in cells:
        scene.arrange(cell)
        scene.picture(64)
    return (time.perf_counter() - began) / FRAMES


def collecting(folder: Path) -> float:
    """Seconds a frame of collecting in one process, disk and checksums included."""
    began = time.perf_counter()
    config = CollectConfig(world="block-rearrange", episodes=CLIPS, seed=1)
    for _ in collect(make_env, config, folder):
        pass
    return (time.perf_counter() - began) / FRAMES


def judging(path: Path) -> float:
    """Seconds a frame of judging the random policy in one process, goal pictures included."""
    config = JudgeConfig(
        world="block-rearrange", objects=(4,), goals=("complete",), seeds=1, episodes=50
    )
    began = time.perf_counter()
    for _ in evaluate(make_env, RandomMethod(name="random"), config, path):
        pass
    frames = sum(result.steps + 2 for result in read_results(path))
    return (time.perf_counter() - began) / frames


def reading(folder: Path) -> float:
    """Seconds to read a random clip."""
    buffer = open_buffer(folder)
    rng = np.random.default_rng(0)
    began = time.perf_counter()
    for _ in range(50):
        buffer.clips(rng.integers(len(buffer), size=32))
    return (time.perf_counter() - began) / (50 * 32)


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    rounds = []
    try:
        bare_renderer()
        for turn in range(ROUNDS):  # interleaved, so that a busy machine hurts all alike
            buffer = folder / f"buffer{turn}"
            rounds.append((bare_renderer(), collecting(buffer), judging(folder / f"r{turn}")))
        clip = reading(folder / "buffer0")
    finally:
        shutil.rmtree(folder)
    bare, collected, judged = np.array(rounds).T
    print(f"bare renderer   {np.median(1 / bare):7.0f} frames/s")
    for name, seconds, wanted in (("collecting", collected, 0.8), ("judging random", judged, 0.5)):
        speed, share = np.median(1 / seconds), np.median(bare / seconds)
        print(f"{name:15} {speed:7.0f} frames/s, {share:.2f} of bare (wanted: {wanted})")
    print(f"random clips    {1 / clip:7.0f} clips/s")


if __name__ == "__main__":
    main()
