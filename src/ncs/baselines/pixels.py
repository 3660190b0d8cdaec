"""What the rivals that learn from pixels share: how they see, and how they put actions.

The goal picture is stacked on the channels of the present one, as the paper's authors fed theirs;
sizes are those of jaxrl2, which the paper's BC and IQL were based on.

Legend: B batch, H height, W width, C channels, L latent numbers, U an action's acting numbers in
[-1, 1], D coordinates that act, 6 an action in metres.
"""

import itertools
from typing import Annotated, Any, Self

import torch
from numpy.typing import NDArray
from pydantic import Field, model_validator
from torch import Tensor, nn

from ncs.settings import Settings

Width = Annotated[int, Field(ge=1, le=4096)]
GAIN = 2**0.5  # of orthogonal first weights
MOST_NUMBERS = 2**26  # of the layer that condenses a picture
Corner = tuple[float, float] | tuple[float, float, float]  # metres


class PixelConfig(Settings):
    """Networks of a rival, and the arena its actions are scaled by."""

    low: Corner  # corners of the arena; where they have heights, heights are chosen too
    high: Corner
    height: float  # z of every pick where they have not
    size: int = Field(64, ge=31, le=256)  # pixels a side
    features: tuple[Width, ...] = Field((32, 64, 128, 256), max_length=6)  # 3 x 3, stride 2
    latent: Width = 50
    hidden: tuple[Width, ...] = Field((256, 256), max_length=6)
    rate: float = Field(3e-4, gt=0)
    crop_pad: int = Field(4, ge=0, le=32)  # pictures are shifted by up to so many pixels
    squash: bool = False  # whether the policy's mean goes through tanh

    @property
    def acting(self) -> int:
        """How many numbers of an action are chosen: a pick and a displacement."""
        return 2 * len(self.low)

    @model_validator(mode="after")
    def _is_buildable(self) -> Self:
        if len(self.low) != len(self.high):
            raise ValueError("low and high must have as many coordinates")
        side = self.size
        for _ in self.features:
            side = (side - 3) // 2 + 1
        if side < 1 or (self.features or (6,))[-1] * side**2 * self.latent > MOST_NUMBERS:
            raise ValueError(f"features and latent ask for over {MOST_NUMBERS} numbers, or none")
        return self


def corners(low_3: NDArray[Any], high_3: NDArray[Any]) -> tuple[Corner, Corner, float]:
    """An arena's corners in the coordinates that are chosen, and the height of picks otherwise."""
    (x, y, z), (right, far, top) = low_3.tolist(), high_3.tolist()
    height = (z + top) / 2
    return ((x, y, z), (right, far, top), height) if top > z else ((x, y), (right, far), height)


class Encoder(nn.Module):
    """Two pictures as one vector of numbers in [-1, 1]: the encoder of D4PG."""

    def __init__(self, config: PixelConfig) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels, side = 6, config.size
        for width in config.features:
            layers += [nn.Conv2d(channels, width, 3, stride=2), nn.ReLU()]
            channels, side = width, (side - 3) // 2 + 1
        self.look = nn.Sequential(*layers)
        self.condense = nn.Linear(channels * side * side, config.latent)
        self.norm = nn.LayerNorm(config.latent)
        self.apply(start_orthogonal)

    def forward(self, pair_BHWC: Tensor) -> Tensor:
        """The latent (B, L) of pairs of pictures (uint8)."""
        # Channels stay last in memory, which is how they come and what the CPU does faster.
        view_BCHW = self.look(pair_BHWC.permute(0, 3, 1, 2).float() / 255)
        latent_BL: Tensor = self.norm(self.condense(view_BCHW.flatten(1))).tanh()
        return latent_BL


class Actor(nn.Module):
    """The mean of a Gaussian policy of unit spread."""

    def __init__(self, config: PixelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.head = perceptron(config.latent, config.hidden, config.acting)

    def forward(self, pair_BHWC: Tensor) -> Tensor:
        """Mean actions (B, U)."""
        mean_BU: Tensor = self.head(self.encoder(pair_BHWC))
        return mean_BU.tanh() if self.config.squash else mean_BU


def perceptron(n_in: int, hidden: tuple[int, ...], n_out: int) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    sizes = (n_in, *hidden)
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], n_out)).apply(start_orthogonal)


def start_orthogonal(module: nn.Module) -> None:
    """Orthogonal weights and no bias, for layers that have them."""
    if isinstance(module, nn.Conv2d | nn.Linear):
        nn.init.orthogonal_(module.weight, GAIN)
        assert module.bias is not None
        nn.init.zeros_(module.bias)


def stack(frame_BHWC: Tensor, goal_BHWC: Tensor) -> Tensor:
    """Pictures and goals (uint8) as one picture of six channels."""
    return torch.cat([frame_BHWC, goal_BHWC], dim=-1)


def shift(pair_BHWC: Tensor, pad: int, generator: torch.Generator) -> Tensor:
    """Each pair moved by up to ``pad`` pixels each way, both pictures alike; borders repeat."""
    if not pad:
        return pair_BHWC
    n_pairs, height, width = pair_BHWC.shape[:3]
    device = pair_BHWC.device
    offset_B2 = torch.randint(-pad, pad + 1, (n_pairs, 2), generator=generator, device=device)
    row_BH = (torch.arange(height, device=device) + offset_B2[:, :1]).clamp(0, height - 1)
    column_BW = (torch.arange(width, device=device) + offset_B2[:, 1:]).clamp(0, width - 1)
    pair_B = torch.arange(n_pairs, device=device)
    return pair_BHWC[pair_B[:, None, None], row_BH[:, :, None], column_BW[:, None, :]]


def to_unit(action_B6: Tensor, config: PixelConfig) -> Tensor:
    """The acting numbers (B, U) of actions in metres, scaled to [-1, 1]."""
    low_D, high_D = action_B6.new_tensor(config.low), action_B6.new_tensor(config.high)
    reach_D, n_axes = high_D - low_D, len(low_D)
    pick_BD = 2 * (action_B6[..., :n_axes] - low_D) / reach_D - 1
    return torch.cat([pick_BD, action_B6[..., 3 : 3 + n_axes] / reach_D], dim=-1)


def to_metres(unit_BU: Tensor, config: PixelConfig) -> Tensor:
    """Actions (B, 6) in metres; what lies outside [-1, 1] is brought back to its border."""
    low_D, high_D = unit_BU.new_tensor(config.low), unit_BU.new_tensor(config.high)
    reach_D, inside_BU, n_axes = high_D - low_D, unit_BU.clamp(-1, 1), len(low_D)
    pick_BD = low_D + (inside_BU[..., :n_axes] + 1) / 2 * reach_D
    move_BD = inside_BU[..., n_axes:] * reach_D
    if n_axes == 3:
        return torch.cat([pick_BD, move_BD], dim=-1)
    zero_B1 = torch.zeros_like(inside_BU[..., :1])
    return torch.cat([pick_BD, zero_B1 + config.height, move_BD, zero_B1], dim=-1)
