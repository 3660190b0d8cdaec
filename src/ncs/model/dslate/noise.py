"""Random numbers for training, made cheaply on a CPU: Gumbel noise, dropout, Gaussian draws.

torch's CPU samplers cost 12 ns (Bernoulli) to 22 ns (exponential) a number; 16-bit words cut
from a raw generator cost under 1 ns, which at a vocabulary of 4096 is a third of a training step.
"""

import functools
from collections.abc import Sequence
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncs.model.randomness import Randomness

WORD_VALUES = 1 << 16


class Noise:
    """One stream of random numbers, all of it fixed by one draw from the given generator."""

    def __init__(
        self,
        generator: torch.Generator | None = None,
        dropout: float = 0.0,
        device: torch.device | None = None,
    ) -> None:
        self.device = device or torch.device("cpu")
        self.keep = 1.0 - dropout
        source = generator.device if generator is not None else torch.device("cpu")
        # The one draw: everything below follows from it, so a saved generator resumes to the bit.
        seed = int(torch.randint(2**62, (), generator=generator, device=source).item())
        self._raw = np.random.SFC64(seed)
        self._torch = torch.Generator(self.device).manual_seed(seed)

    def fill_gumbel(self, out: Tensor, scale: float = 1.0) -> None:
        """Overwrites with scaled Gumbel noise; on a CPU one of 65536 equally likely quantiles."""
        if self.device.type == "cpu":
            index = torch.from_numpy(self._words(out.shape).astype(np.int32).ravel())
            torch.index_select(gumbel_quantiles() * scale, 0, index, out=out.view(-1))
        else:
            out.uniform_(generator=self._torch).clamp_(1e-7).log_().neg_().log_().mul_(-scale)

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        """Standard Gaussian noise."""
        return torch.randn(shape, generator=self._torch, device=self.device)

    def of_rows(self, row_R: Tensor) -> Self:
        """The noise of some pictures, which is that of all."""
        return self

    def drop(self, value: Tensor) -> Tensor:
        """The values with a share of them set to zero and the rest scaled up."""
        if self.keep == 1.0:
            return value
        return value * self._kept(value.shape).div_(self.keep)

    def add_dropped(self, stream: Tensor, branch: Tensor) -> Tensor:
        """``stream + drop(branch)`` in one pass."""
        if self.keep == 1.0:
            return stream + branch
        return torch.addcmul(stream, branch, self._kept(branch.shape), value=1.0 / self.keep)

    def signs(self, shape: tuple[int, ...]) -> Tensor:
        """One where a value is kept, minus one where it is dropped."""
        if self.device.type != "cpu":
            return self._kept(shape).mul_(2).sub_(1)
        return torch.from_numpy(self._keeps(shape).view(np.int8)).mul_(2).sub_(1).float()

    def _kept(self, shape: tuple[int, ...]) -> Tensor:
        """Ones where a value is kept, zeros where it is dropped."""
        if self.device.type != "cpu":
            chance = torch.rand(shape, generator=self._torch, device=self.device)
            return (chance < self.keep).float()
        return torch.from_numpy(self._keeps(shape).view(np.uint8)).float()

    def _keeps(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        kept: NDArray[np.bool_] = self._words(shape) < round(self.keep * WORD_VALUES)
        return kept

    def _words(self, shape: tuple[int, ...]) -> NDArray[np.uint16]:
        """Uniform 16-bit words, four to each raw draw."""
        count = int(np.prod(shape))
        raw = np.asarray(self._raw.random_raw((count + 3) // 4))
        return raw.view(np.uint16)[:count].reshape(shape)


class PictureNoise:
    """A stream for each picture of a batch, each fixed by one draw from its own generator."""

    def __init__(self, streams: Sequence[Noise]) -> None:
        self._streams = streams

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        """Standard Gaussian noise; the first axis of the shape goes over pictures."""
        return torch.stack([stream.normal(shape[1:]) for stream in self._streams])

    def of_rows(self, row_R: Tensor) -> Self:
        """The noise of some pictures."""
        return type(self)([self._streams[row] for row in row_R.tolist()])


def start_noise(source: Randomness | None, device: torch.device) -> Noise | PictureNoise:
    """The noise that slots start from."""
    if isinstance(source, tuple):
        return PictureNoise([Noise(generator, device=device) for generator in source])
    return Noise(source, device=device)


@functools.cache
def gumbel_quantiles() -> Tensor:
    """The Gumbel value of every word: a look-up costs a third of two logarithms."""
    middle = (torch.arange(WORD_VALUES, dtype=torch.float64) + 0.5) / WORD_VALUES
    return (-torch.log(-torch.log(middle))).float()


def add(stream: Tensor, branch: Tensor, noise: Noise | None) -> Tensor:
    """A residual sum, with dropout on the branch when there is noise."""
    return stream + branch if noise is None else noise.add_dropped(stream, branch)
