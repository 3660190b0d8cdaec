"""The costly steps of training, each taken a cache-sized chunk of rows at a time.

At these widths a step is as much memory traffic as arithmetic. A chunk goes through all its
operations while it lies in the cache, and backward passes are written out so that nothing is
computed or stored twice.

Legend: M rows, C and D channels, F channels of the hidden layer, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor

from ncs.model.dslate.noise import Noise

CHUNK_NUMBERS = 1 << 21  # 8 MB: larger chunks leave the cache, smaller ones slow the products
ARGMAX_BLOCK = 64
HIDDEN_NUMBERS = 3 << 18  # 3 MB of hidden layer, beside the rows it comes from and goes to


def relax(
    feature_MC: Tensor,
    head_VC: Tensor,
    bias_V: Tensor,
    entry_CV: Tensor,
    temperature: float,
    noise: Noise,
) -> tuple[Tensor, Tensor]:
    """``softmax((logits + gumbel) / temperature) @ entryᵀ`` (M, C), and the hard tokens (M,)."""
    half = torch.is_autocast_enabled(feature_MC.device.type)
    arguments = (feature_MC.float(), head_VC, bias_V, entry_CV, temperature, noise, half)
    mixed_MC, token_M = Relax.apply(*arguments)  # type: ignore[no-untyped-call]
    return mixed_MC, token_M


def cross_entropy(
    feature_MD: Tensor, head_VD: Tensor, token_M: Tensor, weight_M: Tensor
) -> tuple[Tensor, Tensor]:
    """The weighted sum of the cross-entropies of ``feature @ headᵀ``, and each of them (M,)."""
    half = torch.is_autocast_enabled(feature_MD.device.type)
    arguments = (feature_MD.float(), head_VD, token_M, weight_M, half)
    total, each_M = CrossEntropy.apply(*arguments)  # type: ignore[no-untyped-call]
    return total, each_M


def feed_forward(
    value_MD: Tensor, widen_FD: Tensor, bias_F: Tensor, narrow_DF: Tensor, bias_D: Tensor
) -> Tensor:
    """``relu(value @ widenᵀ + bias) @ narrowᵀ + bias``, (M, D)."""
    half = torch.is_autocast_enabled(value_MD.device.type)
    arguments = (value_MD.float(), widen_FD, bias_F, narrow_DF, bias_D, half)
    out_MD: Tensor = FeedForward.apply(*arguments)  # type: ignore[no-untyped-call]
    return out_MD


class Relax(torch.autograd.Function):
    """Keeps only the relaxed sample for the way back."""

    @staticmethod
    def forward(
        ctx: Any,
        feature_MC: Tensor,
        head_VC: Tensor,
        bias_V: Tensor,
        entry_CV: Tensor,
        temperature: float,
        noise: Noise,
        half: bool,
    ) -> tuple[Tensor, Tensor]:
        """Mixed rows and tokens."""
        kept = []  # as many pieces, not one: memory that large would come fresh every time
        mixed_MC = feature_MC.new_empty(len(feature_MC), len(entry_CV))
        token_M = torch.empty(len(feature_MC), dtype=torch.long, device=feature_MC.device)
        # The temperature is divided out of the small matrices rather than of the large ones.
        head_CV = narrowed(head_VC.T / temperature, half)
        buffer, entry_VC = scratch(feature_MC, len(head_VC)), narrowed(entry_CV.T, half)
        for chunk in chunks(feature_MC, len(head_VC)):
            logit_MV = buffer[: len(token_M[chunk])]
            noise.fill_gumbel(logit_MV, 1 / temperature)
            logit_MV.add_(bias_V / temperature)
            accumulate(logit_MV, narrowed(feature_MC[chunk], half), head_CV)
            token_M[chunk] = argmax(logit_MV)
            kept.append(torch.softmax(logit_MV, dim=1))
            assign(mixed_MC[chunk], narrowed(kept[-1], half), entry_VC)
        ctx.save_for_backward(feature_MC, head_VC, entry_CV, *kept)
        ctx.temperature, ctx.half = temperature, half
        ctx.mark_non_differentiable(token_M)
        return mixed_MC, token_M

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the feature, both matrices and the bias."""
        feature_MC, head_VC, entry_CV, *kept = ctx.saved_tensors
        grad_MC, half = grads[0] / ctx.temperature, ctx.half
        grad_feature_MC = torch.empty_like(feature_MC)
        grad_head_VC = torch.zeros_like(head_VC)
        grad_entry_VC = torch.zeros_like(entry_CV.T, memory_format=torch.contiguous_format)
        grad_bias_V = head_VC.new_zeros(len(head_VC))
        buffer = scratch(feature_MC, len(head_VC))
        head, entry = narrowed(head_VC, half), narrowed(entry_CV, half)
        for chunk, relaxed in zip(chunks(feature_MC, len(head_VC)), kept, strict=True):
            grad = narrowed(grad_MC[chunk], half)
            accumulate(grad_entry_VC, narrowed(relaxed, half).T, grad)
            grad_logit = buffer[: len(relaxed)]
            assign(grad_logit, grad, entry)
            torch._softmax_backward_data(
                grad_logit, relaxed, 1, torch.float32, grad_input=grad_logit
            )
            grad_bias_V += grad_logit.sum(dim=0)
            grad_logit = narrowed(grad_logit, half)
            assign(grad_feature_MC[chunk], grad_logit, head)
            accumulate(grad_head_VC, grad_logit.T, narrowed(feature_MC[chunk], half))
        grad_entry_VC *= ctx.temperature
        return grad_feature_MC, grad_head_VC, grad_bias_V, grad_entry_VC.T, None, None, None


class CrossEntropy(torch.autograd.Function):
    """Keeps no logits: the gradients are computed on the way forward and only scaled back."""

    @staticmethod
    def forward(
        ctx: Any,
        feature_MD: Tensor,
        head_VD: Tensor,
        token_M: Tensor,
        weight_M: Tensor,
        half: bool,
    ) -> tuple[Tensor, Tensor]:
        """The weighted sum and the cross-entropy of each row."""
        needed = any(ctx.needs_input_grad[:2])
        each_M = torch.empty_like(weight_M)
        head_DV, head = narrowed(head_VD.T.contiguous(), half), narrowed(head_VD, half)
        grad_feature_MD, grad_head_VD = torch.empty_like(feature_MD), torch.zeros_like(head_VD)
        logit_buffer, grad_buffer = (scratch(feature_MD, len(head_VD)) for _ in range(2))
        for chunk in chunks(feature_MD, len(head_VD)):
            entry_M1, weight_M1 = token_M[chunk, None], weight_M[chunk, None]
            logit_MV, grad_MV = logit_buffer[: len(entry_M1)], grad_buffer[: len(entry_M1)]
            assign(logit_MV, narrowed(feature_MD[chunk], half), head_DV)
            torch.softmax(logit_MV, dim=1, out=grad_MV)
            # log Σ exp(logit), read off at the largest entry, where the softmax cannot underflow.
            whole_M1 = logit_MV.amax(1, keepdim=True) - grad_MV.amax(1, keepdim=True).log()
            each_M[chunk] = (whole_M1 - logit_MV.gather(1, entry_M1))[:, 0]
            if needed:
                grad_MV.scatter_add_(1, entry_M1, torch.full_like(weight_M1, -1.0))
                grad = narrowed(grad_MV, half)
                assign(grad_feature_MD[chunk], grad, head)
                weighted_MD = narrowed(feature_MD[chunk] * weight_M1, half)
                accumulate(grad_head_VD, grad.T, weighted_MD)
        grad_feature_MD *= weight_M[:, None]
        ctx.save_for_backward(grad_feature_MD, grad_head_VD)
        ctx.mark_non_differentiable(each_M)
        return (each_M * weight_M).sum(), each_M

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the feature and of the matrix."""
        grad_feature_MD, grad_head_VD = ctx.saved_tensors
        return grad_feature_MD * grads[0], grad_head_VD * grads[0], None, None, None


class FeedForward(torch.autograd.Function):
    """``relu(value @ widenᵀ + bias) @ narrowᵀ + bias``."""

    @staticmethod
    def forward(
        ctx: Any,
        value_MD: Tensor,
        widen_FD: Tensor,
        bias_F: Tensor,
        narrow_DF: Tensor,
        bias_D: Tensor,
        half: bool,
    ) -> Tensor:
        """The output rows."""
        value_MD = narrowed(value_MD, half)
        out_MD = torch.empty(value_MD.shape, device=value_MD.device)
        hidden_MF = value_MD.new_empty(len(value_MD), len(widen_FD))  # as narrow as what it is of
        widen_DF = narrowed(widen_FD.T.contiguous(), half)
        narrow_FD, bias_F = narrowed(narrow_DF.T.contiguous(), half), narrowed(bias_F, half)
        for chunk in chunks(value_MD, len(widen_FD), HIDDEN_NUMBERS):
            torch.addmm(bias_F, value_MD[chunk], widen_DF, out=hidden_MF[chunk])
            hidden_MF[chunk].relu_()
            assign(out_MD[chunk], hidden_MF[chunk], narrow_FD)
        ctx.save_for_backward(value_MD, widen_FD, narrow_DF, hidden_MF)
        ctx.half = half
        return out_MD.add_(bias_D)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the rows, both matrices and both biases."""
        value_MD, widen_FD, narrow_DF, hidden_MF = ctx.saved_tensors
        grad_MD, half = narrowed(grads[0], ctx.half), ctx.half
        grad_value_MD = torch.empty(value_MD.shape, device=value_MD.device)
        widen, narrow = narrowed(widen_FD, half), narrowed(narrow_DF, half)
        grad_widen_FD, grad_narrow_FD = torch.zeros_like(widen_FD), torch.zeros_like(widen_FD)
        grad_bias_F = widen_FD.new_zeros(len(widen_FD))
        buffer = scratch(value_MD, len(widen_FD), HIDDEN_NUMBERS)
        for chunk in chunks(value_MD, len(widen_FD), HIDDEN_NUMBERS):
            hidden = hidden_MF[chunk]
            grad_hidden = buffer[: len(hidden)]
            torch.mm(grad_MD[chunk], narrow, out=grad_hidden)
            torch.ops.aten.threshold_backward.grad_input(
                grad_hidden, hidden, 0.0, grad_input=grad_hidden
            )
            assign(grad_value_MD[chunk], grad_hidden, widen)
            accumulate(grad_widen_FD, grad_hidden.T, value_MD[chunk])
            accumulate(grad_narrow_FD, hidden.T, grad_MD[chunk])
            grad_bias_F += grad_hidden.sum(dim=0, dtype=torch.float32)
        grad_bias_D = grads[0].sum(dim=0)
        return grad_value_MD, grad_widen_FD, grad_bias_F, grad_narrow_FD.T, grad_bias_D, None


def argmax(value_MV: Tensor) -> Tensor:
    """The place of each row's largest entry.

    The library's argmax takes one number at a time, its maximum eight: so the maxima of blocks
    come first, and the search is left to the winning block.
    """
    columns = value_MV.shape[1]
    if columns % ARGMAX_BLOCK:
        return value_MV.argmax(dim=1)
    block_MXY = value_MV.view(len(value_MV), -1, ARGMAX_BLOCK)
    best_M = block_MXY.amax(dim=2).argmax(dim=1)
    row_M = torch.arange(len(value_MV), device=value_MV.device)
    return best_M * ARGMAX_BLOCK + block_MXY[row_M, best_M].argmax(dim=1)


def chunks(rows: Tensor, columns: int, numbers: int | None = None) -> list[slice]:
    """Slices of rows whose product with so many columns is a chunk."""
    size = max(1, (numbers or CHUNK_NUMBERS) // columns)
    return [slice(start, start + size) for start in range(0, len(rows), size)]


def scratch(rows: Tensor, columns: int, numbers: int | None = None) -> Tensor:
    """Room for one chunk, used again for each: fresh memory costs more than the arithmetic."""
    return rows.new_empty(len(rows[chunks(rows, columns, numbers)[0]]), columns)


def narrowed(value: Tensor, half: bool) -> Tensor:
    """What goes into a product: in bf16 if asked, and then cast once for all products it is in."""
    return value.bfloat16() if half else value


def assign(out: Tensor, left: Tensor, right: Tensor) -> None:
    """``out = left @ right``, in fp32 whatever was multiplied."""
    if left.dtype == out.dtype:
        torch.mm(left, right, out=out)
    else:
        out.copy_(left @ right)


def accumulate(out: Tensor, left: Tensor, right: Tensor) -> None:
    """``out += left @ right``, added in fp32 whatever was multiplied."""
    if left.dtype == out.dtype:
        out.addmm_(left, right)
    else:
        out.add_(left @ right)
