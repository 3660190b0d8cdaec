"""Attention of every position to itself and those before it, with its gradient written out.

Legend: S sequences, N positions, D channels, X sequences of one head each, E channels of a head,
P parts: queries, keys and values.
"""

from typing import Any

import torch
from torch import Tensor

from ncs.model.dslate.noise import Noise

QUERY_BLOCK = 64  # queries at a time, so that few of the keys behind them are masked
GROUP_NUMBERS = 1 << 19  # 2 MB of weights


def causal_attention(mixed_SND: Tensor, heads: int, noise: Noise | None = None) -> Tensor:
    """What each position reads, always in fp32; a third as wide as what comes in."""
    with torch.autocast(mixed_SND.device.type, enabled=False):
        arguments = (mixed_SND.float(), heads, noise)
        read_SND: Tensor = CausalAttention.apply(*arguments)  # type: ignore[no-untyped-call]
    return read_SND


class CausalAttention(torch.autograd.Function):
    """Takes a few sequences at a time, which stay in the cache, and their queries by blocks.

    Keeps the attention weights: the library's fused kernel computes them again on the way back,
    takes half as long again for it, and knows no dropout. A dropped weight is kept with a minus
    sign, so that one matrix tells both what it was and that it was dropped.
    """

    @staticmethod
    def forward(ctx: Any, mixed_SND: Tensor, heads: int, noise: Noise | None) -> Tensor:
        """What each position reads."""
        sequences, length, width = mixed_SND.shape
        read_SND = mixed_SND.new_empty(sequences, length, width // 3)
        weights = []
        for group in groups(sequences, heads, length):
            parts = split_heads(mixed_SND[group], 3, heads)
            read_1XNE = torch.empty_like(parts[:1])
            weights += attend(parts, read_1XNE[0], noise)
            read_SND[group] = join_heads(read_1XNE, heads)
        ctx.save_for_backward(mixed_SND, *weights)
        ctx.heads, ctx.keep = heads, 1.0 if noise is None else noise.keep
        return read_SND

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of queries, keys and values side by side."""
        mixed_SND, *weights = ctx.saved_tensors
        sequences, length, _ = mixed_SND.shape
        grad_SND = torch.empty_like(mixed_SND)
        blocks = (length + QUERY_BLOCK - 1) // QUERY_BLOCK
        for number, group in enumerate(groups(sequences, ctx.heads, length)):
            parts = split_heads(mixed_SND[group], 3, ctx.heads)
            grad_read = split_heads(grads[0][group], 1, ctx.heads)[0]
            mine = weights[number * blocks : (number + 1) * blocks]
            grad_parts = attend_back(parts, grad_read, mine, ctx.keep)
            grad_SND[group] = join_heads(grad_parts, ctx.heads)
        return grad_SND, None, None


def attend(parts_3XNE: Tensor, read_XNE: Tensor, noise: Noise | None) -> list[Tensor]:
    """Fills in what each position reads; the weights of each block of queries come back."""
    query_XNE, key_XNE, value_XNE = parts_3XNE.unbind(0)
    weights, keep = [], 1.0 if noise is None else noise.keep
    for start in range(0, query_XNE.shape[1], QUERY_BLOCK):
        query = query_XNE[:, start : start + QUERY_BLOCK]
        end = start + query.shape[1]
        mask = query.new_full((query.shape[1], end), -torch.inf).triu_(start + 1)
        logit = torch.baddbmm(mask, query, key_XNE[:, :end].mT, alpha=query.shape[2] ** -0.5)
        weight = torch.softmax(logit, dim=2, out=logit)
        if noise is not None and keep < 1:
            weight *= noise.signs(weight.shape)
        weights.append(weight)
        torch.div(kept(weight, keep) @ value_XNE[:, :end], keep, out=read_XNE[:, start:end])
    return weights


def attend_back(parts_3XNE: Tensor, grad_XNE: Tensor, weights: list[Tensor], keep: float) -> Tensor:
    """Gradients of queries, keys and values, (3, X, N, E)."""
    query_XNE, key_XNE, value_XNE = parts_3XNE.unbind(0)
    out_3XNE = torch.empty_like(parts_3XNE)
    grad_query, grad_key, grad_value = out_3XNE.unbind(0)
    grad_XNE = grad_XNE / keep
    for weight in reversed(weights):  # the last block reaches every key: it fills, others add
        end = weight.shape[2]
        start, last = end - weight.shape[1], end == query_XNE.shape[1]
        grad = grad_XNE[:, start:end]
        put(grad_value[:, :end], kept(weight, keep).mT @ grad, last)
        grad_logit = grad @ value_XNE[:, :end].mT
        back_through_softmax(grad_logit, weight, keep)
        grad_logit *= query_XNE.shape[2] ** -0.5
        put(grad_query[:, start:end], grad_logit @ key_XNE[:, :end], True)
        put(grad_key[:, :end], grad_logit.mT @ query_XNE[:, start:end], last)
    return out_3XNE


def groups(sequences: int, heads: int, length: int) -> list[slice]:
    """Slices of sequences whose largest block of weights stays in the cache."""
    size = max(1, GROUP_NUMBERS // (heads * min(length, QUERY_BLOCK) * length))
    return [slice(start, start + size) for start in range(0, sequences, size)]


def split_heads(mixed_SND: Tensor, parts: int, heads: int) -> Tensor:
    """Parts that stand side by side one after another, each head a sequence: (parts, X, N, E)."""
    sequences, length, _ = mixed_SND.shape
    apart = mixed_SND.reshape(sequences, length, parts, heads, -1).permute(2, 0, 3, 1, 4)
    return apart.reshape(parts, sequences * heads, length, -1)


def join_heads(parts_PXNE: Tensor, heads: int) -> Tensor:
    """Parts side by side again: undoes ``split_heads``, as a view of (S, N, parts, heads, E)."""
    parts, _, length, _ = parts_PXNE.shape
    apart = parts_PXNE.view(parts, -1, heads, length, parts_PXNE.shape[3])
    return apart.permute(1, 3, 0, 2, 4).flatten(2)


def kept(weight: Tensor, keep: float) -> Tensor:
    """The weights with the dropped ones, which have a minus sign, at zero."""
    return weight if keep == 1 else weight.clamp(min=0)


def back_through_softmax(grad: Tensor, weight: Tensor, keep: float) -> None:
    """Turns the gradient of the weights that were kept into that of the logits, in place."""
    if keep < 1:
        torch.ops.aten.threshold_backward.grad_input(grad, weight, 0.0, grad_input=grad)
        weight = weight.abs()
    torch._softmax_backward_data(grad, weight, 2, torch.float32, grad_input=grad)


def put(out: Tensor, value: Tensor, first: bool) -> None:
    """Writes a value, or adds it to what stands there."""
    if first:
        out.copy_(value)
    else:
        out.add_(value)
