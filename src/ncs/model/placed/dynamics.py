"""What an action does to places: one slot is picked, and it goes where the action says.

Legend: B batch (any number of axes), K slots, A action numbers; a place is 2 numbers.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.placed.config import PlacedConfig

ABSENT = -1e4
ARENA = 0.4  # metres from the middle to the border: brings coordinates near one


class Mover(nn.Module):
    """Learns where in the picture a point of the world is; the rest follows.

    The slot nearest the picked point moves by as much as the point does. Nothing moves if no slot
    is within the pick radius, or if another is where the moved one would go.
    """

    def __init__(self, config: PlacedConfig) -> None:
        super().__init__()
        self.config = config
        width = config.dynamics_width
        self.straight = nn.Linear(3, 2)
        self.bent = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 2))
        self.sharpness = nn.Parameter(torch.tensor(2.0))  # logarithm, in pick radii

    def locate(self, point_B3: Tensor) -> Tensor:
        """Places (B, 2) at which points of the world, in metres, are seen."""
        scaled_B3 = point_B3 / ARENA
        place_B2: Tensor = self.straight(scaled_B3) + self.bent(scaled_B3)
        return place_B2

    def forward(self, place_BK2: Tensor, alive_BK: Tensor, action_BA: Tensor) -> Tensor:
        """Places (B, K, 2) one action later."""
        start_B2 = self.locate(action_BA[..., :3])
        move_B12 = (self.locate(action_BA[..., :3] + action_BA[..., 3:]) - start_B2)[..., None, :]
        gap_BK = (place_BK2 - start_B2[..., None, :]).square().sum(dim=-1)
        # A missed pick is a slot like the others, at the pick radius.
        missed_B1 = torch.full_like(gap_BK[..., :1], self.config.pick_radius**2)
        gap_BL = torch.cat([gap_BK, missed_B1], dim=-1) / self.config.pick_radius**2
        there_BL = functional.pad(alive_BK, (0, 1), value=True)
        logit_BL = (-self.sharpness.exp() * gap_BL).masked_fill(~there_BL, ABSENT)
        picked_BK = logit_BL.softmax(dim=-1)[..., :-1]
        if self.config.solid:
            picked_BK = picked_BK * self._free(place_BK2, alive_BK, move_B12)
        return place_BK2 + picked_BK[..., None] * move_B12

    def _free(self, place_BK2: Tensor, alive_BK: Tensor, move_B12: Tensor) -> Tensor:
        """Whether each slot (B, K) would end where no other is."""
        close_BKK = torch.cdist(place_BK2 + move_B12, place_BK2) < self.config.spacing
        itself_KK = torch.eye(alive_BK.shape[-1], dtype=torch.bool, device=alive_BK.device)
        return ~(close_BKK & alive_BK[..., None, :] & ~itself_KK).any(dim=-1)

    def loss(
        self, before_BK2: Tensor, after_BK2: Tensor, same_BK: Tensor, action_BA: Tensor
    ) -> Tensor:
        """Error of predictions and of where the moved slot was and went.

        ``after_BK2`` is matched to ``before_BK2``; ``same_BK`` says which matches count.
        """
        gap_BK = (after_BK2 - before_BK2).norm(dim=-1).masked_fill(~same_BK, -1)
        index_B12 = gap_BK.argmax(dim=1)[:, None, None].expand(-1, 1, 2)
        point_B3, end_B3 = action_BA[:, :3], action_BA[:, :3] + action_BA[:, 3:]
        counts_B1 = same_BK.any(dim=1, keepdim=True)
        return (
            _error(self(before_BK2, same_BK, action_BA), after_BK2, same_BK[..., None])
            + _error(self.locate(point_B3), before_BK2.gather(1, index_B12)[:, 0], counts_B1)
            + _error(self.locate(end_B3), after_BK2.gather(1, index_B12)[:, 0], counts_B1)
        )


def _error(guess: Tensor, truth: Tensor, counts: Tensor) -> Tensor:
    # Linear far away: now and then what moved most in the picture is not what was moved.
    error = functional.smooth_l1_loss(guess, truth, reduction="none", beta=0.05)
    return (error * counts).sum() / counts.sum().clamp(min=1)
