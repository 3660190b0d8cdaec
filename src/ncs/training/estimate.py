"""What a run will cost in time, memory and disk, from a few real steps on small batches."""

import contextlib
import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ncs.data.buffer import Buffer
from ncs.training.callback import duration
from ncs.training.learner import Batch, Learner, new_model
from ncs.training.preparation import prepare
from ncs.training.schedule import TrainConfig
from ncs.training.team import make_team
from ncs.training.train import working_threads

ENOUGH_SECONDS = 3.0  # a trial of that length is long enough to scale from
REPEATS = 5


@dataclass(frozen=True)
class Estimate:
    """The cost of a run on this machine, and of what it consists."""

    seconds_per_step: float
    steps: int
    frames_per_second: float
    memory: int  # bytes, of all processes together
    disk: int  # bytes of one checkpoint
    parameters: dict[str, int]  # by part of the model
    load: float  # processes that wanted a core when it was made, for each core there is

    @property
    def is_disturbed(self) -> bool:
        """Whether others used the cores so much that a quiet machine will be quicker."""
        return self.load > 1.0

    @property
    def seconds(self) -> float:
        """The whole run."""
        return self.steps * self.seconds_per_step


@dataclass(frozen=True)
class _Trial:
    clips: int
    seconds: float  # of forward and backward
    memory: int


def count_parameters(model: torch.nn.Module) -> dict[str, int]:
    """Trainable numbers by top-level part; those of no part stand under 'own'."""
    counts: dict[str, int] = {}
    for name, parameter in model.named_parameters():
        part = name.split(".")[0] if "." in name else "own"
        counts[part] = counts.get(part, 0) + parameter.numel() * parameter.requires_grad
    return counts


def describe(cost: Estimate) -> str:
    """An estimate on one line."""
    busy = "; others are using the cores, alone it would be quicker" if cost.is_disturbed else ""
    return (
        f"about {duration(cost.seconds)} for {cost.steps} steps of "
        f"{cost.seconds_per_step:.3g} s ({cost.frames_per_second:.0f} frames/s), "
        f"{cost.memory / 1e9:.1f} GB of memory, "
        f"{sum(cost.parameters.values()) / 1e6:.2f} M parameters, "
        f"{cost.disk / 1e6:.1f} MB on disk{busy}"
    )


def estimate(config: TrainConfig, buffer: Buffer, repeats: int = REPEATS) -> Estimate:
    """The cost of a run: parts of a batch are tried, ever larger ones, and scaled to its size.

    Args:
        config: Settings of the run.
        buffer: What it would learn from.
        repeats: Times that a part is tried; once is enough for a first word before a run.
    """
    single = config.model_copy(update={"devices": 1})
    load = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0
    with working_threads(config):
        learner = Learner(new_model(single), single, make_team(single))
        n_frames = config.clip_frames or int(buffer.manifest["frames"])
        size = config.batch // config.shards
        prepare(learner.model, buffer.clips(np.arange(min(16, len(buffer)))))
        trials = [
            _try(learner, buffer, min(size, 1), n_frames, repeats)
        ]  # pays for everything lazy
        while len(trials) < 2 or (trials[-1].clips < size and trials[-1].seconds < ENOUGH_SECONDS):
            more_clips = min(size, 2 * trials[-1].clips)
            trials.append(_try(learner, buffer, more_clips, n_frames, repeats))
        began = time.perf_counter()
        learner.commit()
        own = time.perf_counter() - began
    first, last = trials[-2:]
    slope, more = max(1, last.clips - first.clips), size - last.clips
    seconds = last.seconds + more * max(0.0, last.seconds - first.seconds) / slope
    memory = last.memory + more * max(0, last.memory - first.memory) // slope
    step = own + seconds * config.shards / config.devices
    counts = count_parameters(learner.model)
    averages = 2 if config.average else 1
    return Estimate(
        seconds_per_step=step,
        steps=config.steps,
        frames_per_second=config.batch * n_frames / step,
        memory=memory * config.devices,
        disk=4 * sum(counts.values()) * (2 + averages),
        parameters=counts,
        load=load,
    )


def _try(learner: Learner, buffer: Buffer, n_clips: int, n_frames: int, repeats: int) -> _Trial:
    clips = buffer.clips(np.arange(n_clips) % len(buffer))
    device = learner.team.device
    batch = Batch(
        torch.from_numpy(clips.frame[:, :n_frames]).to(device),
        torch.from_numpy(clips.action[:, : n_frames - 1]).to(device),
        seed=0,
    )
    _forget_peak(device)
    times: list[float] = []
    while len(times) < repeats and sum(times) < ENOUGH_SECONDS:
        began = time.perf_counter()
        learner.gradient([batch])
        times.append(time.perf_counter() - began)
    # The quickest: whoever else uses the cores can only make it slower.
    return _Trial(n_clips, min(times), _peak(device))


def _forget_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        return
    with contextlib.suppress(OSError):  # then the peak is that of the process's whole life
        Path("/proc/self/clear_refs").write_text("5")


def _peak(device: torch.device) -> int:
    """The most memory in use since ``_forget_peak``, bytes."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
