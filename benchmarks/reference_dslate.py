"""dSLATE written plainly: the yardstick of ``bench_step.py`` and of the equality test.

It follows the usual description step by step: channels-first convolutions, ``gumbel_softmax``,
one-hot token matrices, attention spelled out, corrected and predicted slots decoded in turn. It
computes what ``ncs.model.dslate.world`` computes, with dropout in the same places.

Legend: B clips, T frames, R pictures, N tokens, K slots, D width, V vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.dslate.world import DslateConfig


@dataclass(frozen=True)
class Draws:
    """Random numbers to use instead of fresh ones, so that two models can be compared."""

    soft: Tensor  # (R, V, G, G) Gumbel noise of the relaxed sample
    hard: Tensor  # (R, V, G, G) Gumbel noise of the tokens
    start: Tensor  # (B, K, S) Gaussian noise of the first slots


class ConvBlock(nn.Module):
    """Convolution, group norm of one group, ReLU."""

    def __init__(self, fan_in: int, fan_out: int, kernel: int, stride: int = 1) -> None:
        super().__init__()
        padding = 1 if kernel == 3 else 0
        self.conv = nn.Conv2d(fan_in, fan_out, kernel, stride, padding, bias=False)
        self.norm = nn.GroupNorm(1, fan_out)

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        return functional.relu(self.norm(self.conv(x)))


class ReferenceDvae(nn.Module):
    """SLATE's autoencoder for patches of four pixels."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            ConvBlock(3, width, 4, 4),
            *(ConvBlock(width, width, 1) for _ in range(6)),
            nn.Conv2d(width, vocabulary, 1),
        )
        self.decoder = nn.Sequential(
            ConvBlock(vocabulary, width, 1),
            ConvBlock(width, width, 3),
            ConvBlock(width, width, 1),
            ConvBlock(width, width, 1),
            ConvBlock(width, 4 * width, 1),
            nn.PixelShuffle(2),
            ConvBlock(width, width, 3),
            ConvBlock(width, width, 1),
            ConvBlock(width, width, 1),
            ConvBlock(width, 4 * width, 1),
            nn.PixelShuffle(2),
            nn.Conv2d(width, 3, 1),
        )


class Attention(nn.Module):
    """Multi-head attention, spelled out."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = nn.Dropout(dropout)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """What each position of x reads of the memory."""
        batch, length, width = x.shape
        query = self.query(x).view(batch, length, self.heads, -1).transpose(1, 2)
        key = self.key(memory).view(batch, memory.shape[1], self.heads, -1).transpose(1, 2)
        value = self.value(memory).view(batch, memory.shape[1], self.heads, -1).transpose(1, 2)
        logits = torch.matmul(query, key.transpose(-1, -2)) / query.shape[-1] ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask, float("-inf"))
        read = torch.matmul(self.dropout(torch.softmax(logits, dim=-1)), value)
        return self.out(read.transpose(1, 2).reshape(batch, length, width))


class DecoderBlock(nn.Module):
    """Self-attention, cross-attention, feed-forward."""

    def __init__(self, width: int, heads: int, dropout: float, first: bool) -> None:
        super().__init__()
        self.first = first
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.self_attention = Attention(width, heads, dropout)
        self.cross_attention = Attention(width, heads, dropout)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """The stream after the block."""
        normed = self.norm1(x)
        if self.first:
            x = normed
        x = x + self.dropout(self.self_attention(normed, normed, mask))
        x = x + self.dropout(self.cross_attention(self.norm2(x), memory))
        return x + self.dropout(self.feed(self.norm3(x)))


class TransformerDecoder(nn.Module):
    """Blocks and a last norm."""

    def __init__(self, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            DecoderBlock(width, heads, dropout, first=number == 0) for number in range(layers)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """The stream after all blocks."""
        for block in self.blocks:
            x = block(x, memory, mask)
        return self.norm(x)


class ReferenceSlotAttention(nn.Module):
    """Slot attention with keys and values of every cell."""

    def __init__(self, width: int, slot_width: int, hidden: int, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations
        self.input_norm = nn.LayerNorm(width)
        self.slot_norm = nn.LayerNorm(slot_width)
        self.mlp_norm = nn.LayerNorm(slot_width)
        self.query = nn.Linear(slot_width, slot_width, bias=False)
        self.key = nn.Linear(width, slot_width, bias=False)
        self.value = nn.Linear(width, slot_width, bias=False)
        self.gru = nn.GRUCell(slot_width, slot_width)
        self.mlp = nn.Sequential(
            nn.Linear(slot_width, hidden), nn.ReLU(), nn.Linear(hidden, slot_width)
        )
        self.mean = nn.Parameter(torch.zeros(slot_width))
        self.log_deviation = nn.Parameter(torch.zeros(slot_width))

    def forward(self, inputs: Tensor, slots: Tensor) -> Tensor:
        """The slots after all iterations."""
        inputs = self.input_norm(inputs)
        key = self.key(inputs) * slots.shape[-1] ** -0.5
        value = self.value(inputs)
        for _ in range(self.iterations):
            query = self.query(self.slot_norm(slots))
            attention = torch.softmax(torch.matmul(key, query.transpose(1, 2)), dim=-1) + 1e-8
            attention = attention / attention.sum(dim=1, keepdim=True)
            updates = torch.matmul(attention.transpose(1, 2), value)
            slots = self.gru(updates.flatten(0, 1), slots.flatten(0, 1)).view_as(slots)
            slots = slots + self.mlp(self.mlp_norm(slots))
        return slots


class ReferenceDslate(nn.Module):
    """The training loss of dSLATE with the paper's choices."""

    def __init__(self, config: DslateConfig) -> None:
        super().__init__()
        self.config = config
        width, state_width = config.decoder_width, config.slot_width - config.type_width
        self.dvae = ReferenceDvae(config.vocabulary, config.dvae_width)
        self.dictionary = nn.Embedding(config.vocabulary + 1, width)
        self.position = nn.Parameter(torch.zeros(1, config.n_tokens + 1, width))
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
        self.slot_attention = ReferenceSlotAttention(
            width, config.slot_width, config.slot_hidden, config.iterations
        )
        self.slot_projection = nn.Linear(config.slot_width, width, bias=False)
        self.decoder = TransformerDecoder(
            width, config.decoder_heads, config.decoder_layers, config.dropout
        )
        self.head = nn.Linear(width, config.vocabulary, bias=False)
        self.action = nn.Sequential(
            nn.Linear(6, state_width), nn.ReLU(), nn.Linear(state_width, state_width)
        )
        self.dynamics = TransformerDecoder(
            state_width, config.dynamics_heads, config.dynamics_layers, config.dropout
        )

    def forward(
        self, video: Tensor, action: Tensor, temperature: float, draws: Draws | None = None
    ) -> dict[str, Tensor]:
        """The parts of the loss, of frames (B, T, 3, H, W) in [0, 1] and actions in [-1, 1]."""
        batch, frames = video.shape[:2]
        picture = video.flatten(0, 1)
        log_chance = functional.log_softmax(self.dvae.encoder(picture), dim=1)
        soft = sample(log_chance, temperature, False, draws and draws.soft)
        mse = ((picture - self.dvae.decoder(soft)) ** 2).sum() / len(picture)

        hard = sample(log_chance, temperature, True, draws and draws.hard).detach()
        target = hard.permute(0, 2, 3, 1).flatten(1, 2)  # (R, N, V) one-hot
        begin = torch.zeros_like(target[:, :1, :1]).expand(-1, target.shape[1], -1)
        entry = torch.cat([begin, target], dim=-1)  # one more column, for the beginning
        first = torch.zeros_like(entry[:, :1])
        first[..., 0] = 1.0
        entry = torch.cat([first, entry], dim=1)
        embedded = self.dropout(self.dictionary(entry.argmax(dim=-1)) + self.position)

        corrected, predicted = self.filter(
            embedded[:, 1:].unflatten(0, (batch, frames)), action, draws and draws.start
        )
        past = embedded[:, :-1].unflatten(0, (batch, frames))
        target = target.unflatten(0, (batch, frames))
        ce_corrected = self.explain(past, target, corrected)
        ce_predicted = self.explain(past[:, 1:], target[:, 1:], predicted)
        total = mse + (ce_corrected + ce_predicted) / 2
        return {
            "total": total,
            "mse": mse,
            "ce_corrected": ce_corrected,
            "ce_predicted": ce_predicted,
        }

    def filter(
        self, embedded: Tensor, action: Tensor, start: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Corrected slots of every frame and predicted slots of all but the first."""
        batch, frames = embedded.shape[:2]
        inputs = self.mlp(self.norm(embedded))
        if start is None:
            start = torch.randn(batch, self.config.n_slots, self.config.slot_width)
        slots = self.slot_attention.mean + self.slot_attention.log_deviation.exp() * start
        corrected, predicted = [], []
        for frame in range(frames):
            if frame > 0:
                kind, state = slots.split([self.config.type_width, self.config.state_width], dim=-1)
                memory = torch.cat([state, self.action(action[:, frame - 1])[:, None]], dim=1)
                slots = torch.cat([kind, self.dynamics(state, memory)], dim=-1)
                predicted.append(slots)
            slots = self.slot_attention(inputs[:, frame], slots)
            corrected.append(slots)
        return torch.stack(corrected, dim=1), torch.stack(predicted, dim=1)

    def explain(self, past: Tensor, target: Tensor, slots: Tensor) -> Tensor:
        """Cross-entropy of the tokens given slots: summed over a picture, averaged over them."""
        past, target, slots = past.flatten(0, 1), target.flatten(0, 1), slots.flatten(0, 1)
        length = past.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
        logits = self.head(self.decoder(past, self.slot_projection(slots), mask))
        return -(target * torch.log_softmax(logits, dim=-1)).flatten(1).sum(dim=-1).mean()


def sample(log_chance: Tensor, temperature: float, hard: bool, noise: Tensor | None) -> Tensor:
    """A Gumbel-softmax sample over the vocabulary, (R, V, G, G)."""
    if noise is None:
        return functional.gumbel_softmax(log_chance, temperature, hard=hard, dim=1)
    soft = torch.softmax((log_chance + noise) / temperature, dim=1)
    if not hard:
        return soft
    index = soft.argmax(dim=1, keepdim=True)
    return torch.zeros_like(soft).scatter_(1, index, 1.0)
