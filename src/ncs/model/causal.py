"""Attention of every position to itself and those before it, with its gradient written out.

Legend: S sequences, N positions, D channels of queries, keys and values side by side,
X sequences of one head each, E channels of a head.
"""

from typing import Any

import torch
from torch import Tensor

from ncs.model.noise import Noise

QUERY_BLOCK = 64  # queries at a time, so that few of the keys behind them are masked


def causal_attention(mixed_SND: Tensor, heads: int, noise: Noise | None = None) -> Tensor:
    """What each position reads, always in fp32; a third as wide as what comes in."""
    with torch.autocast(mixed_SND.device.type, enabled=False):
        arguments = (mixed_SND.float(), heads, noise)
        read_SND: Tensor = CausalAttention.apply(*arguments)  # type: ignore[no-untyped-call]
    return read_SND


class CausalAttention(torch.autograd.Function):
    """Goes by blocks of queries, which skips most of what the mask would discard.

    Keeps the attention weights: the library's fused kernel computes them again on the way back,
    takes half as long again for it, and knows no dropout. A dropped weight is kept with a minus
    sign, so that one matrix tells both what it was and that it was dropped.
    """

    @staticmethod
    def forward(ctx: Any, mixed_SND: Tensor, heads: int, noise: Noise | None) -> Tensor:
        """What each position reads."""
        sequences, length, width = mixed_SND.shape
        apart = mixed_SND.view(sequences, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
        query_XNE, key_XNE, value_XNE = apart.reshape(3, sequences * heads, length, -1).unbind(0)
        read_XNE, weights = torch.empty_like(query_XNE), []
        ctx.keep = 1.0 if noise is None else noise.keep
        for start in range(0, length, QUERY_BLOCK):
            query = query_XNE[:, start : start + QUERY_BLOCK]
            end = start + query.shape[1]
            mask = query.new_full((query.shape[1], end), -torch.inf).triu_(start + 1)
            logit = torch.baddbmm(mask, query, key_XNE[:, :end].mT, alpha=query.shape[2] ** -0.5)
            weight = torch.softmax(logit, dim=2, out=logit)
            if noise is not None and ctx.keep < 1:
                weight *= noise.signs(weight.shape)
            weights.append(weight)
            read_XNE[:, start:end] = kept(weight, ctx.keep) @ value_XNE[:, :end]
        if ctx.keep < 1:
            read_XNE /= ctx.keep
        ctx.save_for_backward(query_XNE, key_XNE, value_XNE, *weights)
        together = read_XNE.view(sequences, heads, length, -1).transpose(1, 2)
        return together.reshape(sequences, length, width // 3)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of queries, keys and values side by side."""
        query_XNE, key_XNE, value_XNE, *weights = ctx.saved_tensors
        sequences, length, width = grads[0].shape
        heads, scale = len(query_XNE) // sequences, query_XNE.shape[2] ** -0.5
        apart = (grads[0] / ctx.keep).view(sequences, length, heads, -1)
        grad_XNE = apart.transpose(1, 2).flatten(0, 1)
        out_3XNE = torch.empty(3, *query_XNE.shape, device=query_XNE.device)
        grad_query, grad_key, grad_value = out_3XNE.unbind(0)
        for weight in reversed(weights):  # the last block reaches every key: it fills, others add
            end = weight.shape[2]
            start, last = end - weight.shape[1], end == length
            grad = grad_XNE[:, start:end]
            put(grad_value[:, :end], kept(weight, ctx.keep).mT @ grad, last)
            grad_logit = grad @ value_XNE[:, :end].mT
            back_through_softmax(grad_logit, weight, ctx.keep)
            grad_logit *= scale
            put(grad_query[:, start:end], grad_logit @ key_XNE[:, :end], True)
            put(grad_key[:, :end], grad_logit.mT @ query_XNE[:, start:end], last)
        together = out_3XNE.view(3, sequences, heads, length, -1).permute(1, 3, 0, 2, 4)
        return together.reshape(sequences, length, 3 * width), None, None


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
