"""A world model of one's own: slots on somebody's features, behind the contract of ncs.

The features are frozen; put any network there that turns pictures into a grid. What is learned
are prototypes: a slot is all cells that are nearest to one of them. This works where things
differ in kind, and not where two are alike.

Legend: B pictures, T frames, H height, W width, C channels, P cells, K slots, A action numbers.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.contract import Loss, ParameterGroup, Slots, WorldModel
from ncs.registry import ModelClasses
from ncs.settings import Settings

LEAST, MOST = 0.001, 0.25  # share of the picture that a thing covers


class PrototypesConfig(Settings):
    """How many kinds there are, and how fast they are learned."""

    n_slots: int = 7
    rate: float = 0.003
    sharpness: float = 40.0


class Features(nn.Module):
    """Stands for somebody's network: frozen, pictures (B, 3, H, W) in [0, 1] to a grid."""

    def forward(self, image_BCHW: Tensor) -> Tensor:
        """Brightness and two differences of colour, (B, C, H, W)."""
        red, green, blue = image_BCHW.unbind(1)
        return torch.stack([(red + green + blue) / 3, red - green, (red + green) / 2 - blue], 1)


class Prototypes(WorldModel):
    """Masks by likeness to learned prototypes, states by where a mask lies."""

    paints = False

    def __init__(self, config: PrototypesConfig) -> None:
        super().__init__()
        self.config = config
        self.features = Features()
        self.prototype = nn.Parameter(torch.rand(config.n_slots, 3))

    @property
    def trained_slots(self) -> int:
        """One a prototype."""
        return self.config.n_slots

    def slots_for(
        self, n_objects: int | None, trained_objects: int | None, like_paper: bool = False
    ) -> int:
        """As many as there are prototypes, whatever is in the scene."""
        return self.config.n_slots

    def _cells(self, frame_BHWC: Tensor) -> Tensor:
        image_BCHW = frame_BHWC.permute(0, 3, 1, 2).float() / 255
        return self.features(image_BCHW).flatten(2).transpose(1, 2)

    def encode(self, frame_BHWC: Tensor, n_slots: int, generator: object = None) -> Slots:
        """The entities of pictures (uint8)."""
        height, width = frame_BHWC.shape[1:3]
        far_BPK = torch.cdist(self._cells(frame_BHWC), self.prototype[None])
        mask_BKP = (-self.config.sharpness * far_BPK).softmax(-1).transpose(1, 2)
        rows, columns = torch.arange(height) / height, torch.arange(width) / height
        place_P2 = torch.cartesian_prod(rows, columns)
        area_BK = mask_BKP.mean(-1)
        state_BK2 = mask_BKP @ place_P2 / (mask_BKP.sum(-1, keepdim=True) + 1e-6)
        there_BK = (area_BK > LEAST) & (area_BK < MOST)
        kind_BKC = functional.one_hot(torch.arange(len(self.prototype))).float()
        kind_BKC = kind_BKC.expand(len(frame_BHWC), -1, -1)
        return Slots(kind_BKC, state_BK2, mask_BKP, there_BK, mask_BKP.amax(-1))

    def follow(
        self, frame_BTHWC: Tensor, action_BTA: Tensor, n_slots: int, generator: object = None
    ) -> Slots:
        """The entities of clips: a prototype is the same thing in every frame."""
        flat = self.encode(frame_BTHWC.flatten(0, 1), n_slots)
        return flat.map(lambda value: value.unflatten(0, frame_BTHWC.shape[:2]))

    def predict(self, slots: Slots, action_BA: Tensor) -> Slots:
        """The same: it does not foresee; the graph learns what actions do."""
        return replace(slots)

    def loss(
        self, frame_BTHWC: Tensor, action_BTA: Tensor, step: int, generator: object = None
    ) -> Loss:
        """How far cells are from the prototype that is nearest to them."""
        cell_PC = self._cells(frame_BTHWC.flatten(0, 1)).flatten(0, 1)
        if step == 0:
            with torch.no_grad():
                self.prototype.copy_(far_apart(cell_PC, self.config.n_slots))
        total = torch.cdist(cell_PC, self.prototype).amin(-1).square().mean()
        return Loss(total, {})

    def parameter_groups(self) -> list[ParameterGroup]:
        """The prototypes."""
        return [ParameterGroup("prototypes", [self.prototype], self.config.rate, 0)]


def far_apart(cell_PC: Tensor, count: int) -> Tensor:
    """Cells (count, C) that differ most: each is the farthest from those before it."""
    chosen = [cell_PC[0]]
    far_P = torch.full((len(cell_PC),), torch.inf)
    for _ in range(count - 1):
        far_P = far_P.minimum((cell_PC - chosen[-1]).norm(dim=1))
        chosen.append(cell_PC[far_P.argmax()])
    return torch.stack(chosen)


PROTOTYPES = ModelClasses(PrototypesConfig, Prototypes)
