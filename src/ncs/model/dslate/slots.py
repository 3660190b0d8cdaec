"""Slot attention: slots compete for the cells of a picture, and each becomes one entity.

Legend: B batch, N cells, K slots, I input width, S slot width, G grid rows and columns.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.dslate.dvae import to_patches, to_unit
from ncs.model.dslate.noise import Noise, PictureNoise

Gradient = Literal["unrolled", "implicit"]  # through all iterations, or only the last
Initial = Literal["gaussian", "thinned"]  # one draw, or twice as many thinned out, see ``thin``
CROWD = 2  # times as many slots as are to stay
CROWD_ITERATIONS = 3  # before the first of them goes
EPSILON = 1e-8  # a slot that reads nothing divides by this


@dataclass(frozen=True)
class Attended:
    """What slots have become after looking at a picture."""

    slot: Tensor  # (B, K, S)
    share: Tensor  # (B, K, N) the last iteration's softmax: sums to 1 over slots in every cell


class SlotAttention(nn.Module):
    """The paper's latent estimation: one head, a gated update and a residual one per iteration.

    Keys and values are never computed for the cells. A slot's query is multiplied by the key
    matrix, and what it reads by the value matrix: K products instead of N, for the same result.
    """

    def __init__(self, input_width: int, slot_width: int, hidden: int) -> None:
        super().__init__()
        self.prepare = nn.Sequential(
            nn.LayerNorm(input_width),
            nn.Linear(input_width, input_width),
            nn.ReLU(inplace=True),
            nn.Linear(input_width, input_width),
            nn.LayerNorm(input_width),
        )
        self.slot_norm = nn.LayerNorm(slot_width)
        self.query = nn.Linear(slot_width, slot_width, bias=False)
        self.key = nn.Linear(input_width, slot_width, bias=False)
        self.value = nn.Linear(input_width, slot_width, bias=False)
        self.gate = nn.GRUCell(slot_width, slot_width)
        self.residual = nn.Sequential(
            nn.LayerNorm(slot_width),
            nn.Linear(slot_width, hidden),
            nn.ReLU(inplace=True),
            nn.Linear(hidden, slot_width),
        )
        self.mean_S = nn.Parameter(torch.empty(slot_width))
        self.log_deviation_S = nn.Parameter(torch.empty(slot_width))
        self._initialise()

    def _initialise(self) -> None:
        for layer in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(layer.weight)
        nn.init.xavier_uniform_(self.mean_S[None])
        nn.init.xavier_uniform_(self.log_deviation_S[None])
        nn.init.xavier_uniform_(self.gate.weight_ih)
        nn.init.orthogonal_(self.gate.weight_hh)

    def start(self, batch: int, n_slots: int, noise: Noise | PictureNoise) -> Tensor:
        """Slots before any look, drawn from one Gaussian that all share: K is free."""
        draw_BKS = noise.normal((batch, n_slots, len(self.mean_S)))
        return self.mean_S + self.log_deviation_S.exp() * draw_BKS

    def thin(self, prepared_BNI: Tensor, slot_BKS: Tensor, n_slots: int) -> Tensor:
        """As many of a crowd of slots as asked for: the others have no cell to themselves.

        The crowd settles; then, one at a time, that slot goes whose largest share of any cell is
        smallest, and the rest settle by one iteration. Two slots that meet on one object stay
        together for good, but where there are more slots than objects it is they who are found
        out: each has half of what it reads.
        """
        seen: Attended = self(prepared_BNI, slot_BKS, CROWD_ITERATIONS)
        for count in range(slot_BKS.shape[1], n_slots, -1):
            least_B = seen.share.amax(dim=2).argmin(dim=1)
            stays_BK = functional.one_hot(least_B, count) == 0
            seen = self(prepared_BNI, seen.slot[stays_BK].view(len(least_B), count - 1, -1), 1)
        return seen.slot

    def forward(
        self,
        prepared_BNI: Tensor,
        slot_BKS: Tensor,
        iterations: int,
        gradient: Gradient = "unrolled",
    ) -> Attended:
        """The slots after some iterations over cells that went through ``prepare``."""
        if gradient == "implicit" and iterations > 1:
            with torch.no_grad():
                settled_BKS = self(prepared_BNI, slot_BKS, iterations - 1).slot
            # The start keeps a zero gradient rather than none, which distributed training needs.
            slot_BKS, iterations = settled_BKS + 0.0 * slot_BKS, 1
        for _ in range(iterations):
            share_BKN = self._compete(prepared_BNI, slot_BKS)
            slot_BKS = self._update(prepared_BNI, slot_BKS, share_BKN)
        return Attended(slot_BKS, share_BKN)

    def _compete(self, prepared_BNI: Tensor, slot_BKS: Tensor) -> Tensor:
        """Each cell shared out among the slots."""
        query_BKS = self.query(self.slot_norm(slot_BKS)) * slot_BKS.shape[-1] ** -0.5
        pattern_BKI = query_BKS @ self.key.weight
        return torch.bmm(pattern_BKI, prepared_BNI.transpose(1, 2)).float().softmax(dim=1)

    def _update(self, prepared_BNI: Tensor, slot_BKS: Tensor, share_BKN: Tensor) -> Tensor:
        """The slots after reading the mean of their cells."""
        weight_BKN = share_BKN + EPSILON
        weight_BKN = weight_BKN / weight_BKN.sum(dim=2, keepdim=True)
        read_BKS = self.value(torch.bmm(weight_BKN, prepared_BNI))
        gated_BKS = self.gate(read_BKS.flatten(0, 1), slot_BKS.flatten(0, 1)).view_as(slot_BKS)
        updated: Tensor = gated_BKS + self.residual(gated_BKS)
        return updated


class FeatureNet(nn.Module):
    """Continuous features of a picture with learned positions: an input that quantises nothing.

    What a cell looks like is brought to the size of where it is, as with tokens and their places.
    Left to the layers' own start it would be a tenth of it, and slots would only ever share out
    the picture by place.
    """

    def __init__(self, image_size: int, patch: int, width: int) -> None:
        super().__init__()
        self.patch = patch
        cells = (image_size // patch) ** 2
        self.stem = nn.Linear(3 * patch * patch, width)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(width, width, kernel_size=3, padding=1) for _ in range(2)
        )
        self.norm = nn.LayerNorm(width)
        self.position_NI = nn.Parameter(torch.empty(cells, width))
        nn.init.trunc_normal_(self.position_NI)

    def forward(self, frame_BHWC: Tensor) -> Tensor:
        """Features of every cell, (B, N, I)."""
        stem_BGGI = self.stem(to_unit(to_patches(frame_BHWC, self.patch)) - 0.5)
        value_BGGI = stem_BGGI
        for convolution in self.convolutions:
            value_BIGG = convolution(functional.relu(value_BGGI).permute(0, 3, 1, 2))
            value_BGGI = value_BIGG.permute(0, 2, 3, 1)
        look_BGGI = self.norm(stem_BGGI + value_BGGI)
        placed: Tensor = look_BGGI.flatten(1, 2) + self.position_NI
        return placed
