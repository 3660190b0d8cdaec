"""Kills a training run at random moments until it has finished all the same.

A script, run by a test: torch is imported once, and each attempt is a fork of this process.
"""

import argparse
import os
import signal
import time
from pathlib import Path

import numpy as np
import torch
from tests.tiny_world import TinyConfig, tiny_config

from ncs.training.schedule import TrainConfig
from ncs.training.train import train


def slow_config() -> TrainConfig:
    """40 steps of two parts: they take longer than any attempt is given, however fast a machine."""
    return tiny_config(TinyConfig(pause=0.01), steps=40)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("buffer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("seed", type=int)
    parser.add_argument("kills", type=int)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(options.seed)
    kills = 0
    while True:
        child = os.fork()
        if not child:
            train(slow_config(), options.buffer, options.out, resume=True)
            os._exit(0)
        if kills < options.kills:
            time.sleep(rng.uniform(0.0, 0.6))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if status == 0:
            break
        assert os.WIFSIGNALED(status), "training failed on its own"
        kills += 1
    print(kills)


if __name__ == "__main__":
    main()
