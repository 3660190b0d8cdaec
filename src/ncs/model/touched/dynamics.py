"""What an action does: the thing nearest the picked point goes by as much as the action says.

Legend: B batch (any number of axes), K things, S coordinates of a place.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.touched.measures import Measures

ABSENT = -1e4


class Mover(nn.Module):
    """Learns how near a thing must be to be picked: a reach and how sharply it ends."""

    def __init__(self, solid: bool) -> None:
        super().__init__()
        self.solid = solid
        self.reach = nn.Parameter(torch.tensor(-0.7))  # logarithm, in gaps between things
        self.sharpness = nn.Parameter(torch.tensor(1.0))  # logarithm

    def picks(self, gap_BK: Tensor) -> Tensor:
        """Logits (B, K) of being picked, of things so far from the point, in gaps."""
        return self.sharpness.exp() * (self.reach.exp() - gap_BK)

    def forward(
        self, place_BKS: Tensor, present_BK: Tensor, action_BA: Tensor, measures: Measures
    ) -> Tensor:
        """Places (B, K, S) in metres one action later."""
        width, apart = place_BKS.shape[-1], measures.number("gap")
        start_BS, move_BS = action_BA[..., :width], action_BA[..., 3 : 3 + width]
        gap_BK = (place_BKS - start_BS[..., None, :]).norm(dim=-1) / apart
        chance_BK = self.picks(gap_BK).sigmoid().masked_fill(~present_BK, 0)
        # A point between two things picks the nearer one.
        nearest_BK = (-8 * gap_BK).masked_fill(~present_BK, ABSENT).softmax(dim=-1)
        picked_BK = chance_BK * nearest_BK * 2 / (1 + nearest_BK)
        moved_BKS = place_BKS + move_BS[..., None, :]
        if self.solid:
            picked_BK = picked_BK * self._free(moved_BKS, place_BKS, present_BK, apart)
        return torch.lerp(place_BKS, moved_BKS, picked_BK[..., None])

    def _free(
        self, moved_BKS: Tensor, place_BKS: Tensor, present_BK: Tensor, apart: float
    ) -> Tensor:
        """Whether each thing (B, K) would end where no other is."""
        close_BKK = torch.cdist(moved_BKS, place_BKS) < apart / 2
        itself_KK = torch.eye(place_BKS.shape[-2], dtype=torch.bool, device=place_BKS.device)
        return ~(close_BKK & present_BK[..., None, :] & ~itself_KK).any(dim=-1)

    def loss(self, gap_L: Tensor, moved_L: Tensor) -> Tensor:
        """How wrongly things so far from the picked point are said to have moved."""
        if not len(gap_L):
            return self.reach * 0
        return functional.binary_cross_entropy_with_logits(self.picks(gap_L), moved_L.float())
