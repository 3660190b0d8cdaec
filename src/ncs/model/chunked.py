"""The two products with the whole vocabulary, taken a cache-sized chunk of rows at a time.

Their (rows, V) matrices are most of a step's memory traffic. A chunk goes through all its steps
while it lies in the cache, so that hardly any of them is ever written out.

Legend: M rows, C and D channels, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor

from ncs.model.noise import Noise

CHUNK_NUMBERS = 1 << 21  # 8 MB of logits, a part of the last-level cache


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
        relaxed_MV = feature_MC.new_empty(len(feature_MC), len(head_VC))
        mixed_MC = feature_MC.new_empty(len(feature_MC), len(entry_CV))
        token_M = torch.empty(len(feature_MC), dtype=torch.long, device=feature_MC.device)
        for chunk in chunks(feature_MC, head_VC):
            logit_MV = noise.gumbel((len(feature_MC[chunk]), len(head_VC))).add_(bias_V)
            accumulate(logit_MV, feature_MC[chunk], head_VC.T, half)
            torch.argmax(logit_MV, dim=1, out=token_M[chunk])
            logit_MV.div_(temperature)
            torch.softmax(logit_MV, dim=1, out=relaxed_MV[chunk])
            assign(mixed_MC[chunk], relaxed_MV[chunk], entry_CV.T, half)
        ctx.save_for_backward(feature_MC, head_VC, entry_CV, relaxed_MV)
        ctx.temperature, ctx.half = temperature, half
        ctx.mark_non_differentiable(token_M)
        return mixed_MC, token_M

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the feature, both matrices and the bias."""
        feature_MC, head_VC, entry_CV, relaxed_MV = ctx.saved_tensors
        grad_MC, half = grads[0], ctx.half
        grad_feature_MC = torch.empty_like(feature_MC)
        grad_head_VC, grad_entry_VC = torch.zeros_like(head_VC), torch.zeros_like(entry_CV.T)
        grad_bias_V = head_VC.new_zeros(len(head_VC))
        for chunk in chunks(feature_MC, head_VC):
            relaxed = relaxed_MV[chunk]
            accumulate(grad_entry_VC, relaxed.T, grad_MC[chunk], half)
            grad_logit = torch.empty_like(relaxed)
            assign(grad_logit, grad_MC[chunk], entry_CV, half)
            grad_logit = torch._softmax_backward_data(grad_logit, relaxed, 1, torch.float32)
            grad_logit.div_(ctx.temperature)
            assign(grad_feature_MC[chunk], grad_logit, head_VC, half)
            accumulate(grad_head_VC, grad_logit.T, feature_MC[chunk], half)
            grad_bias_V += grad_logit.sum(dim=0)
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
        grad_feature_MD, grad_head_VD = torch.empty_like(feature_MD), torch.zeros_like(head_VD)
        for chunk in chunks(feature_MD, head_VD):
            entry_M1, weight_M1 = token_M[chunk, None], weight_M[chunk, None]
            logit_MV = feature_MD.new_empty(len(entry_M1), len(head_VD))
            assign(logit_MV, feature_MD[chunk], head_VD.T, half)
            grad_MV = logit_MV.log_softmax(dim=1)
            each_M[chunk] = -grad_MV.gather(1, entry_M1)[:, 0]
            if needed:
                grad_MV.exp_().mul_(weight_M1).scatter_add_(1, entry_M1, -weight_M1)
                assign(grad_feature_MD[chunk], grad_MV, head_VD, half)
                accumulate(grad_head_VD, grad_MV.T, feature_MD[chunk], half)
        ctx.save_for_backward(grad_feature_MD, grad_head_VD)
        ctx.mark_non_differentiable(each_M)
        return (each_M * weight_M).sum(), each_M

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the feature and of the matrix."""
        grad_feature_MD, grad_head_VD = ctx.saved_tensors
        return grad_feature_MD * grads[0], grad_head_VD * grads[0], None, None, None


def chunks(rows: Tensor, columns: Tensor) -> list[slice]:
    """Slices of rows whose product with so many columns fits in a chunk."""
    size = max(1, CHUNK_NUMBERS // len(columns))
    return [slice(start, start + size) for start in range(0, len(rows), size)]


def assign(out: Tensor, left: Tensor, right: Tensor, half: bool) -> None:
    """``out = left @ right``, multiplied in bf16 if asked."""
    if half:
        out.copy_(left.bfloat16() @ right.bfloat16())
    else:
        torch.mm(left, right, out=out)


def accumulate(out: Tensor, left: Tensor, right: Tensor, half: bool) -> None:
    """``out += left @ right``, multiplied in bf16 if asked, added in fp32."""
    if half:
        out.add_(left.bfloat16() @ right.bfloat16())
    else:
        out.addmm_(left, right)
