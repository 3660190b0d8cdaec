"""A model under training: weights, optimiser and running mean, moved one step at a time.

Legend: B clips, T frames, H height, W width, C channels, A action numbers.
"""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ncs.model.build import build_model
from ncs.model.contract import ParameterGroup, Trainable
from ncs.records import Clips, ConfigError, DataError, NcsError
from ncs.training.checkpoint import Arrays, fill, to_arrays
from ncs.training.schedule import Draw, TrainConfig, rate, torch_seed, torch_seeded
from ncs.training.team import Team

MOMENTS = ("step", "exp_avg", "exp_avg_sq")


class DivergenceError(NcsError):
    """Training that no longer leads anywhere, and why."""


@dataclass(frozen=True)
class Batch:
    """One part of a step's clips on the device, and the seed of its randomness."""

    frame: Tensor  # (B, T, H, W, C) uint8
    action: Tensor  # (B, T - 1, A)
    seed: int


def cut_batches(
    config: TrainConfig, clips: Clips, draw: Draw, step: int, mine: range, device: torch.device
) -> list[Batch]:
    """The parts numbered ``mine`` of a step's clips, each clip cut to its window."""
    size = config.batch // config.shards
    batches = []
    for place, shard in enumerate(mine):
        rows = range(place * size, (place + 1) * size)
        first_B = draw.first[shard * size : (shard + 1) * size]
        n_frames = config.clip_frames or clips.frame.shape[1]
        windows = [slice(first, first + n_frames) for first in first_B]
        frame = np.stack([clips.frame[i, w] for i, w in zip(rows, windows, strict=True)])
        action = np.stack(
            [clips.action[i, w.start : w.stop - 1] for i, w in zip(rows, windows, strict=True)]
        )
        batches.append(
            Batch(
                torch.from_numpy(frame).to(device),
                torch.from_numpy(action).to(device),
                torch_seed(config, "noise", step, shard),
            )
        )
    return batches


def new_model(config: TrainConfig) -> Trainable:
    """A fresh model whose first weights depend on the settings alone."""
    with torch_seeded(torch_seed(config, "weights"), torch.device("cpu")):
        return build_model(config.model, config.network)


def check_groups(model: Trainable, groups: Sequence[ParameterGroup]) -> None:
    """Refuses groups that leave a trainable parameter out or hold one twice."""
    held = [id(parameter) for group in groups for parameter in group.parameters]
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and held.count(id(parameter)) != 1:
            raise ConfigError(
                f"parameter_groups: {name} is in {held.count(id(parameter))} groups, must be in 1"
            )


class Learner:
    """Holds what training changes. Between two steps it can be written down and taken up again."""

    def __init__(self, model: Trainable, config: TrainConfig, team: Team) -> None:
        self.config = config
        self.team = team
        self.model = model.to(team.device).train()
        self.groups = model.parameter_groups()
        check_groups(model, self.groups)
        self.names = {id(p): n for n, p in model.named_parameters()}
        self.parameters = [p for group in self.groups for p in group.parameters]
        self.optimiser = torch.optim.Adam(
            [{"params": group.parameters, "lr": 0.0} for group in self.groups], fused=True
        )
        self.mean: dict[str, Tensor] = {}
        if config.average:
            self.mean = {self.names[id(p)]: p.detach().clone() for p in self.parameters}
        self.step = 0

    def gradient(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Leaves the whole batch's gradient in the parameters; the loss and its parts come back."""
        self.optimiser.zero_grad()
        sums: dict[str, Tensor] = {}
        for batch in batches:
            with torch_seeded(batch.seed, self.team.device) as generator:
                with self.team.autocast():
                    loss = self.model.loss(batch.frame, batch.action, self.step, generator)
                (loss.total / self.config.shards).backward()  # type: ignore[no-untyped-call]
            for name, value in {"loss": loss.total.detach(), **loss.parts}.items():
                sums[name] = sums.get(name, torch.zeros_like(value)) + value / self.config.shards
        values = torch.stack([value.float() for value in sums.values()])
        if self.team.size > 1:
            values = self._sum_over_processes(values)
        return dict(zip(sums, values.tolist(), strict=True))

    def _sum_over_processes(self, values: Tensor) -> Tensor:
        """Adds up gradients in place and the given numbers, in one message."""
        used = torch.tensor([float(p.grad is not None) for p in self.parameters])
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters]
        pieces = [*gradients, values, used.to(values)]
        flat = torch.cat([piece.reshape(-1) for piece in pieces])
        flat = self.team.sum(flat)
        parts = torch.split(flat, [piece.numel() for piece in pieces])
        for parameter, total, count in zip(self.parameters, parts, parts[-1], strict=False):
            # A parameter that no process used stays without a gradient, as in one process.
            parameter.grad = total.view_as(parameter).clone() if count else None
        return parts[-2]

    def commit(self) -> float:
        """Takes the step along the gradient; its norm before clipping comes back."""
        order = math.inf if self.config.clip_order == "linf" else 2.0
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        norm = nn.utils.get_total_norm(gradients, order)
        if not bool(norm.isfinite()):
            raise DivergenceError(
                f"step {self.step}: the gradient is not finite; lower the learning rate or "
                "clip_norm, or train in 32-true"
            )
        nn.utils.clip_grads_with_norm_(self.parameters, self.config.clip_norm, norm)
        for group, settings in zip(self.groups, self.optimiser.param_groups, strict=True):
            settings["lr"] = self.rate(group)
        self.optimiser.step()
        self.model.settle()
        self.step += 1
        if self.mean:
            # Early weights are soon forgotten: the mean starts short and grows long.
            decay = min(self.config.average, self.step / (self.step + 10))
            for parameter in self.parameters:
                self.mean[self.names[id(parameter)]].lerp_(parameter.detach(), 1 - decay)
        return float(norm)

    def rate(self, group: ParameterGroup) -> float:
        """The learning rate of a group at the present step."""
        share = group.decay_share
        config = self.config.model_copy(update={} if share is None else {"decay_share": share})
        return rate(config, group.peak_rate, group.warmup_steps, self.step)

    @contextlib.contextmanager
    def in_use(self) -> Iterator[Trainable]:
        """The model as a user would load it: averaged weights if there are any, no dropout."""
        raw = {name: p.detach().clone() for name, p in self._averaged_parameters()}
        for name, parameter in self._averaged_parameters():
            parameter.data.copy_(self.mean[name])
        try:
            with torch.no_grad():
                yield self.model.eval()
        finally:
            for name, parameter in self._averaged_parameters():
                parameter.data.copy_(raw[name])
            self.model.train()

    def _averaged_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        return ((n, p) for n, p in self.model.named_parameters() if n in self.mean)

    def weights(self) -> Arrays:
        """What a user loads."""
        return to_arrays({**self.model.state_dict(), **self.mean})

    def state(self) -> Arrays:
        """What only training needs: Adam's moments, and raw weights where weights are averaged."""
        tensors: dict[str, Tensor] = {}
        for parameter, moments in self.optimiser.state.items():
            for kind in MOMENTS:
                tensors[f"adam/{self.names[id(parameter)]}/{kind}"] = moments[kind]
        for name, parameter in self._averaged_parameters():
            tensors[f"raw/{name}"] = parameter
        return to_arrays(tensors)

    def restore(self, step: int, weights: Arrays, state: Arrays, folder: Path) -> None:
        """Takes up training where it was written down."""
        fill(self.model, weights, folder)
        try:
            for name, parameter in self._averaged_parameters():
                self.mean[name].copy_(parameter.detach())
                parameter.data.copy_(_tensor(state[f"raw/{name}"], parameter.shape))
            for parameter in self.parameters:
                key = f"adam/{self.names[id(parameter)]}"
                if f"{key}/step" in state:
                    self.optimiser.state[parameter] = {
                        kind: _tensor(
                            state[f"{key}/{kind}"], () if kind == "step" else parameter.shape
                        ).to(parameter.device)
                        for kind in MOMENTS
                    }
        except (KeyError, RuntimeError) as error:
            raise DataError(f"{folder}: its optimiser state does not fit ({error})") from None
        self.step = step


def _tensor(array: NDArray[Any], shape: Sequence[int]) -> Tensor:
    return torch.from_numpy(array.copy()).reshape(tuple(shape))
