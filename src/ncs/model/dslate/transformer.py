"""Transformer decoder blocks: pre-norm, self-attention, attention to slots, feed-forward.

Legend: M sequences, N positions, K memory entries, D width, H heads, E width of a head.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.dslate.causal import causal_attention
from ncs.model.dslate.chunked import feed_forward
from ncs.model.dslate.noise import Noise, add


@dataclass
class Past:
    """Keys and values of the positions already generated."""

    key: Tensor  # (M, H, N, E)
    value: Tensor


class SelfAttention(nn.Module):
    """Positions read one another, all of them or only those before."""

    def __init__(self, width: int, heads: int, gain: float) -> None:
        super().__init__()
        self.heads = heads
        self.mix = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        for part in self.mix.weight.detach().chunk(3):
            nn.init.xavier_uniform_(part)
        nn.init.xavier_uniform_(self.out.weight, gain)

    def forward(self, value_MND: Tensor, causal: bool, noise: Noise | None = None) -> Tensor:
        """What each position reads."""
        if causal:
            read: Tensor = self.out(causal_attention(self.mix(value_MND), self.heads, noise))
            return read
        query, key, value = self._split(value_MND)
        weight_MHNN = (query @ key.mT * key.shape[-1] ** -0.5).softmax(dim=-1)
        return self._join((weight_MHNN if noise is None else noise.drop(weight_MHNN)) @ value)

    def step(self, value_M1D: Tensor, past: Past | None) -> tuple[Tensor, Past]:
        """What one new position reads of the past and itself, and the past with it appended."""
        query, key, value = self._split(value_M1D)
        if past is not None:
            key = torch.cat([past.key, key], dim=2)
            value = torch.cat([past.value, value], dim=2)
        read = functional.scaled_dot_product_attention(query, key, value)
        return self._join(read), Past(key, value)

    def _split(self, value_MND: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        # Always fp32: the CPU's bf16 attention kernel is the slower one, backward by far.
        mixed = self.mix(value_MND).float().view(*value_MND.shape[:2], 3, self.heads, -1)
        query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        return query, key, value

    def _join(self, read_MHNE: Tensor) -> Tensor:
        joined: Tensor = self.out(read_MHNE.transpose(1, 2).flatten(2))
        return joined


class CrossAttention(nn.Module):
    """Positions read a few memory entries.

    With K entries and H heads there are only H·K patterns to compare a position with, so the
    query and output matrices are folded into the memory first: a position then costs 2·D·H·K
    products instead of 2·D·D, for the same result.
    """

    def __init__(self, width: int, heads: int, gain: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        for layer in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(layer.weight)
        nn.init.xavier_uniform_(self.out.weight, gain)

    def forward(self, value_MND: Tensor, memory_MKD: Tensor, noise: Noise | None = None) -> Tensor:
        """What each position reads of the memory."""
        sequences, entries, width = memory_MKD.shape
        key_MKHE = self.key(memory_MKD).view(sequences, entries, self.heads, -1)
        held_MKHE = self.value(memory_MKD).view(sequences, entries, self.heads, -1)
        query_HED = self.query.weight.view(self.heads, -1, width)
        out_DHE = self.out.weight.view(width, self.heads, -1)
        scale = key_MKHE.shape[-1] ** -0.5
        pattern_MPD = torch.einsum("mkhe,hed->mhkd", key_MKHE * scale, query_HED).flatten(1, 2)
        answer_MPD = torch.einsum("mkhe,dhe->mhkd", held_MKHE, out_DHE).flatten(1, 2)
        logit_MNP = (value_MND @ pattern_MPD.transpose(1, 2)).float()
        share_MNHK = logit_MNP.view(sequences, -1, self.heads, entries).softmax(dim=-1)
        if noise is not None:
            share_MNHK = noise.drop(share_MNHK)
        read: Tensor = share_MNHK.flatten(2) @ answer_MPD
        return read


class FeedForward(nn.Module):
    """Two layers, four times as wide inside."""

    def __init__(self, width: int, gain: float) -> None:
        super().__init__()
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        nn.init.kaiming_uniform_(self.widen.weight, nonlinearity="relu")
        nn.init.xavier_uniform_(self.narrow.weight, gain)
        nn.init.zeros_(self.widen.bias)
        nn.init.zeros_(self.narrow.bias)

    def forward(self, value_MND: Tensor) -> Tensor:
        """The output of every position."""
        widen, narrow = self.widen, self.narrow
        value_RD = value_MND.flatten(0, 1)
        out_RD = feed_forward(value_RD, widen.weight, widen.bias, narrow.weight, narrow.bias)
        return out_RD.view(value_MND.shape)


class Block(nn.Module):
    """One decoder layer, in three residual steps that a caller may take one at a time."""

    def __init__(self, width: int, heads: int, layers: int, norm_stream: bool = False) -> None:
        """Builds one of ``layers`` blocks.

        ``norm_stream`` normalises the residual stream itself before the first step, as SLATE's
        first block does, rather than only what the branch reads.
        """
        super().__init__()
        gain = (3 * layers) ** -0.5  # three branches a layer add up to unit variance
        self.norm_stream = norm_stream
        self.self_norm = nn.LayerNorm(width)
        self.self_attention = SelfAttention(width, heads, gain)
        self.memory_norm = nn.LayerNorm(width)
        self.memory_attention = CrossAttention(width, heads, gain)
        self.feed_norm = nn.LayerNorm(width)
        self.feed = FeedForward(width, gain)

    def forward(
        self, stream_MND: Tensor, memory_MKD: Tensor, causal: bool, noise: Noise | None = None
    ) -> Tensor:
        """The stream after all three steps."""
        stream_MND = self.read_itself(stream_MND, causal, noise)
        return self.read_memory(stream_MND, memory_MKD, noise)

    def read_itself(self, stream_MND: Tensor, causal: bool, noise: Noise | None = None) -> Tensor:
        """The stream after self-attention: the only step that does not see the memory."""
        normed_MND = self.self_norm(stream_MND)
        base_MND = normed_MND if self.norm_stream else stream_MND
        return add(base_MND, self.self_attention(normed_MND, causal, noise), noise)

    def read_memory(
        self, stream_MND: Tensor, memory_MKD: Tensor, noise: Noise | None = None
    ) -> Tensor:
        """The stream after attention to the memory and the feed-forward step."""
        read_MND = self.memory_attention(self.memory_norm(stream_MND), memory_MKD, noise)
        stream_MND = add(stream_MND, read_MND, noise)
        return add(stream_MND, self.feed(self.feed_norm(stream_MND)), noise)

    def step(
        self, stream_M1D: Tensor, memory_MKD: Tensor, past: Past | None
    ) -> tuple[Tensor, Past]:
        """The stream of one new position, and the past to hand to the next."""
        normed_M1D = self.self_norm(stream_M1D)
        base_M1D = normed_M1D if self.norm_stream else stream_M1D
        read_M1D, past = self.self_attention.step(normed_M1D, past)
        return self.read_memory(base_M1D + read_M1D, memory_MKD), past
