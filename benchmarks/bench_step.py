"""Times one training step of dSLATE beside the plain reference: same architecture, same batch.

Run ``python benchmarks/bench_step.py``; the last line is the ratio.
"""

import argparse
import os
import resource
import time
from collections.abc import Callable

import torch
from reference_dslate import ReferenceDslate
from torch import Tensor

from ncs.model.dslate.world import Dslate, DslateConfig


def make_steps(config: DslateConfig, clips: int) -> dict[str, Callable[[], None]]:
    generator = torch.Generator().manual_seed(0)
    shape = (clips, config.clip_length, config.image_size, config.image_size, 3)
    frame = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    action = torch.rand(clips, config.clip_length - 1, 6, generator=generator) * 2 - 1
    torch.manual_seed(0)
    ours, plain = Dslate(config), ReferenceDslate(config)
    fused = torch.optim.Adam(ours.parameters(), lr=1e-4, fused=True)
    usual = torch.optim.Adam(plain.parameters(), lr=1e-4)

    def step_ours() -> None:
        update(fused, ours.loss(frame, action, 0, generator).total)

    def step_plain() -> None:
        video = frame.permute(0, 1, 4, 2, 3).float() / 255
        update(usual, plain(video, action, config.temperature(0))["total"])

    return {"reference": step_plain, "ncs": step_ours}


def update(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.1)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    torch.set_num_threads(options.threads)
    config = DslateConfig.paper().model_copy(update={"dropout": options.dropout})
    steps = make_steps(config, options.clips)
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(options.rounds + 1):
        for name, step in steps.items():  # in turn, so that both meet the same machine
            begin = time.perf_counter()
            step()
            if turn > 0:  # the first step warms up
                seconds[name].append(time.perf_counter() - begin)
    frames = options.clips * config.clip_length
    middle = {name: sorted(taken)[len(taken) // 2] for name, taken in seconds.items()}
    for name, taken in middle.items():
        print(f"{name:10s} {taken:6.2f} s a step, {frames / taken:6.1f} frames/s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"paper preset, {options.clips} clips of {config.clip_length} frames, ", end="")
    print(f"{options.threads} threads, median of {options.rounds}, peak memory {peak:.1f} GB")
    if load > 0.5:
        print(f"others used {load:.1f} cores when this began: run it again on a quiet machine")
    print(f"ratio {middle['reference'] / middle['ncs']:.2f}")


if __name__ == "__main__":
    main()
