"""Processes that train together: each has a device and a number, and sums go over all of them."""

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed
from torch.multiprocessing.spawn import start_processes

from ncs.data.workers import SIGNALS, held_back
from ncs.records import ConfigError
from ncs.training.schedule import TrainConfig


@dataclass(frozen=True)
class Team:
    """All processes of a run, as one of them sees it."""

    device: torch.device
    precision: str = "32-true"
    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes."""
        return self.rank == 0

    def autocast(self) -> contextlib.AbstractContextManager[Any]:
        """Where a model is run: in bf16 where the settings say so."""
        if self.precision == "bf16-mixed":
            return torch.autocast(self.device.type, torch.bfloat16)
        return contextlib.nullcontext()

    def sum(self, tensor: Tensor) -> Tensor:
        """Adds up a tensor over all processes, in place."""
        if self.size > 1:
            distributed.all_reduce(tensor)
        return tensor


def make_team(config: TrainConfig, rank: int = 0) -> Team:
    """The team of a run's settings, seen by the process of a number."""
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device: this machine has no CUDA device; use cpu or auto")
    on_cuda = config.device == "cuda" or (config.device == "auto" and torch.cuda.is_available())
    if on_cuda and config.devices > torch.cuda.device_count():
        raise ConfigError(
            f"devices: this machine has {torch.cuda.device_count()} CUDA devices, got "
            f"{config.devices}"
        )
    device = torch.device("cuda", rank) if on_cuda else torch.device("cpu")
    return Team(device, config.precision, rank, config.devices)


def launch(work: Callable[..., Any], config: TrainConfig, *arguments: Any) -> Any:
    """What ``work(team, config, *arguments)`` gives in process 0, run here or one a device."""
    team = make_team(config)
    if team.size == 1:
        return work(team, config, *arguments)
    with tempfile.TemporaryDirectory(prefix="ncs-team-") as meeting:
        with held_back():
            answers = multiprocessing.get_context("spawn").SimpleQueue()
            handed = (work, config, arguments, Path(meeting) / "store", answers)
            mates = start_processes(  # type: ignore[no-untyped-call]
                _join, handed, team.size, join=False, start_method="spawn"
            )
        while not mates.join():
            pass
        return answers.get()


def _join(
    rank: int,
    work: Callable[..., Any],
    config: TrainConfig,
    arguments: tuple[Any, ...],
    store: Path,
    answers: Any,
) -> None:
    """Joins the team in a process of its own, and works."""
    for number in SIGNALS:  # before there is anything to tidy up, the parent says what is said
        signal.signal(number, lambda number, _: os._exit(128 + number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    team = make_team(config, rank)
    if sys.platform == "linux":  # they talk within this machine, whatever its name stands for
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // team.size))
    if team.device.type == "cuda":
        torch.cuda.set_device(team.device)
    distributed.init_process_group(
        "nccl" if team.device.type == "cuda" else "gloo",
        init_method=f"file://{store}",
        rank=rank,
        world_size=team.size,
    )
    try:
        answer = work(team, config, *arguments)
    finally:
        distributed.destroy_process_group()
    if team.leads:
        answers.put(answer)
