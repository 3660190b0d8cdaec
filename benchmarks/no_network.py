"""What can be done without a network: what differs from the usual picture, its middle, its colour.

The control beside the eyes that learn: slots start where a picture differs from the median of the
buffer's, a slot's place is the middle of its pixels by a fit to the buffer's moves, its type their
mean colour. Graph and control are those of every other row. It is judged as any policy is:

    ncs evaluate --method benchmarks.no_network:play --settings buffer=B --label "no network" ...

Legend: B clips or pictures, T frames, H height, W width, C channels, K slots.
"""

import functools
from pathlib import Path

import numpy as np
import torch
from scipy import ndimage
from torch import Tensor

from ncs.agent import control_preset
from ncs.agent.perceive import Perception, see_clips
from ncs.agent.policy import SeeingPolicy
from ncs.agent.presets import graph_preset
from ncs.agent.trained import arena
from ncs.control.policy import GraphPolicy
from ncs.data.buffer import open_buffer
from ncs.graph.build import build
from ncs.model.contract import Loss, ParameterGroup, Slots, WorldModel
from ncs.model.touched.detect import cell_masks
from ncs.model.touched.measure import measure
from ncs.model.touched.measures import Measures
from ncs.model.touched.track import track
from ncs.records import EnvFacts, Graph, Policy

CLIPS = 300
SPARE = 4  # slots beyond the objects
DIFFERS = 0.06  # of full scale: less is no difference
GRID = 16


class NoNetwork(WorldModel):
    """Slots from seeds, centroids and mean colours; nothing in it is learned."""

    def __init__(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> None:
        super().__init__()
        self.measures = Measures()
        self.measures.take(measure(frame_BTHWC, action_BTA, longest=max(frame_BTHWC.shape[2:4])))
        shown = frame_BTHWC.flatten(0, 1).float() / 255
        self.usual = shown.median(dim=0).values

    @property
    def trained_slots(self) -> int:
        """As many as anybody asks for."""
        return 8

    def encode(self, frame_BHWC: Tensor, n_slots: int, generator: object = None) -> Slots:
        """The largest connected differences from the usual picture."""
        image_BHWC = frame_BHWC.float() / 255
        differs_BHW = (image_BHWC - self.usual).abs().amax(dim=3) > DIFFERS
        height, width = differs_BHW.shape[1:]
        mask = torch.zeros(len(frame_BHWC), n_slots, height, width)
        for b, differs_HW in enumerate(differs_BHW.numpy()):
            part_HW, count = ndimage.label(differs_HW)
            area = np.bincount(part_HW.ravel(), minlength=count + 1)[1:]
            for k, part in enumerate(np.argsort(-area)[:n_slots]):
                if area[part] >= self.measures.number("least"):
                    mask[b, k] = torch.from_numpy(part_HW == part + 1)
        area_BK1 = mask.sum(dim=(2, 3))[..., None]
        line = [torch.arange(size) + 0.5 for size in (width, height)]
        x, y = (mask.sum(dim=2) @ line[0]), (mask.sum(dim=3) @ line[1])
        middle_BK2 = torch.stack([x, y], dim=2) / area_BK1.clamp(min=1)
        colour_BK3 = mask.flatten(2) @ image_BHWC.flatten(1, 2) / area_BK1.clamp(min=1)
        place = self.measures.metres(self.measures.pixel_terms(middle_BK2) @ self.measures.to_place)
        present = area_BK1[..., 0] > 0
        width_S = self.measures.state_width
        cells = cell_masks(mask, GRID)
        state = place[..., :width_S] * present[..., None]
        return Slots(colour_BK3, state, cells, present, present.float())

    def follow(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        n_slots: int,
        generator: torch.Generator | None = None,
    ) -> Slots:
        """Things matched from frame to frame by place and colour."""
        flat = self.encode(frame_BTHWC.flatten(0, 1), n_slots)
        slots = flat.map(lambda value: value.view(*frame_BTHWC.shape[:2], *value.shape[1:]))
        gap, rows = self.measures.number("gap"), []
        for place, kind, present in zip(slots.state, slots.kind, slots.presence, strict=True):
            order = track(place.numpy(), place.numpy(), kind.numpy(), present.numpy(), gap)
            rows.append(torch.from_numpy(order))
        order_BTK = torch.stack(rows)
        index = [torch.arange(size) for size in order_BTK.shape[:2]]
        return slots.map(lambda value: value[index[0][:, None, None], index[1][:, None], order_BTK])

    def predict(self, slots: Slots, action_BA: Tensor) -> Slots:
        """Nothing is foreseen."""
        return slots

    def loss(self, *_: object) -> Loss:
        """Nothing is learned."""
        raise NotImplementedError

    def parameter_groups(self) -> list[ParameterGroup]:
        """There are no parameters."""
        return []


@functools.cache
def _made(folder: Path) -> tuple[NoNetwork, Graph, str]:
    """Model and graph of a buffer."""
    buffer = open_buffer(folder)
    index_B = np.arange(min(CLIPS, len(buffer)))
    clips = buffer.clips(index_B)
    model = NoNetwork(torch.from_numpy(clips.frame), torch.from_numpy(clips.action))
    slots = int(buffer.manifest["objects"]) + SPARE
    seen = list(see_clips(model, buffer, index_B, slots))
    config = graph_preset("best", buffer.world)
    return model, build(seen, config, np.random.default_rng(0), ""), buffer.world


def play(facts: EnvFacts, buffer: str) -> Policy:
    """A player for 'ncs evaluate --method benchmarks.no_network:play'."""
    model, graph, world = _made(Path(buffer))
    perception = Perception(model, facts.n_objects + SPARE)
    acting = GraphPolicy(perception, graph, control_preset("best"), arena(world))
    return SeeingPolicy(perception, acting)
