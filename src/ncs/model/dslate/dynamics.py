"""Transformer dynamics, and the filter that alternates it with slot attention.

Legend: B batch, T frames, P attention cells, I input width, K slots, D type channels,
S state channels (in ``Filtered`` and ``run_filter``: type and state), A action numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from ncs.model.dslate.noise import Noise
from ncs.model.dslate.slots import Gradient, SlotAttention
from ncs.model.dslate.transformer import Block


@dataclass(frozen=True)
class Filtered:
    """What the filter has inferred of clips."""

    corrected: Tensor  # (B, T, K, S) after seeing each frame
    predicted: Tensor  # (B, T - 1, K, S) before seeing frames 2 to T
    share: Tensor  # (B, T, K, P) attention of the corrected slots


class Dynamics(nn.Module):
    """The paper's latent prediction: queries are states, keys and values states and the action.

    Nothing is masked and there are no positions, so permuted slots give permuted predictions.
    """

    def __init__(
        self,
        state_width: int,
        layers: int,
        heads: int,
        action_low: Sequence[float],
        action_high: Sequence[float],
        residual: bool = False,
    ) -> None:
        """Builds the network for actions within bounds in metres; equal bounds are read as 0.

        ``residual`` leaves the stream of states unnormalised, so that a state may pass unchanged.
        """
        super().__init__()
        self.state_width = state_width
        low_A, high_A = torch.tensor(action_low), torch.tensor(action_high)
        half_A = (high_A - low_A) / 2
        # Config, not weights: kept out of the checkpoint.
        self.register_buffer("middle_A", (high_A + low_A) / 2, persistent=False)
        scale_A = torch.where(half_A > 0, 1 / half_A.clamp(min=1e-9), 0.0)
        self.register_buffer("scale_A", scale_A, persistent=False)
        self.action = nn.Sequential(
            nn.Linear(len(low_A), state_width), nn.ReLU(), nn.Linear(state_width, state_width)
        )
        self.blocks = nn.ModuleList(
            Block(state_width, heads, layers, norm_stream=number == 0 and not residual)
            for number in range(layers)
        )
        self.norm = nn.Identity() if residual else nn.LayerNorm(state_width)

    def forward(self, state_BKS: Tensor, action_BA: Tensor, noise: Noise | None = None) -> Tensor:
        """The states one action (in metres) later."""
        middle_A, scale_A = cast(Tensor, self.middle_A), cast(Tensor, self.scale_A)
        embedded_BS = self.action((action_BA.float() - middle_A) * scale_A)
        memory_BKS = torch.cat([state_BKS, embedded_BS[:, None]], dim=1)
        stream_BKS = state_BKS
        for block in self.blocks:
            stream_BKS = block(stream_BKS, memory_BKS, False, noise)
        moved: Tensor = self.norm(stream_BKS)
        return moved


def run_filter(
    attention: SlotAttention,
    dynamics: Dynamics,
    prepared_BTPI: Tensor,
    action_BTA: Tensor,
    slot_BKS: Tensor,
    iterations: int,
    gradient: Gradient = "unrolled",
    noise: Noise | None = None,
) -> Filtered:
    """The paper's filter: correct by the frame, predict by the action, slot k always slot k."""
    state_width = dynamics.state_width
    corrected, predicted, shares = [], [], []
    for frame in range(prepared_BTPI.shape[1]):
        if frame > 0:
            kind_BKD, state_BKS = slot_BKS[..., :-state_width], slot_BKS[..., -state_width:]
            moved_BKS = dynamics(state_BKS, action_BTA[:, frame - 1], noise)
            slot_BKS = torch.cat([kind_BKD, moved_BKS], dim=-1)  # the type is copied
            predicted.append(slot_BKS)
        attended = attention(prepared_BTPI[:, frame], slot_BKS, iterations, gradient)
        slot_BKS = attended.slot
        corrected.append(slot_BKS)
        shares.append(attended.share)
    corrected_BTKS = torch.stack(corrected, dim=1)
    predicted_BTKS = torch.stack(predicted, dim=1) if predicted else corrected_BTKS[:, :0]
    return Filtered(corrected_BTKS, predicted_BTKS, torch.stack(shares, dim=1))
