"""Takes what was seen in a step, gives pictures of why: chances, votes, peaks and masks.

Legend: H height, W width, C channels, K slots, P mask cells.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.agent.recorder import Moment, Picture
from ncs.analysis.graph_picture import mask_tile
from ncs.analysis.pictures import enlarge
from ncs.health.explained import WORTH, draw_explanation
from ncs.model.contract import Explaining, WorldModel
from ncs.records import Entities
from ncs.web.payloads import SHOWN, as_url

MOST_MASKS = 64  # slots of one picture


@dataclass(frozen=True)
class Seen:
    """What a model made of one picture, small enough to be kept for every step."""

    image: Picture  # (H, W, C)
    mask: NDArray[np.uint8]  # (K, P)
    presence: NDArray[np.bool_]  # (K,)

    @classmethod
    def of(cls, image: Picture, entities: Entities) -> Self:
        """The part of what was seen that is shown; masks to a step of 1/255 of their peaks."""
        peak_K1 = np.maximum(entities.mask.max(axis=1, keepdims=True), 1e-9)
        mask_KP = (255 * entities.mask / peak_K1).astype(np.uint8)
        return cls(image, mask_KP, entities.presence.copy())


@dataclass(frozen=True)
class SeenPair:
    """What a model made of scene and goal at one step."""

    scene: Seen
    goal: Seen

    @classmethod
    def of(cls, moment: Moment) -> Self | None:
        """What a step was decided on; nothing at the end of an episode."""
        if moment.seen is None:
            return None
        now, goal = moment.seen
        return cls(Seen.of(moment.image, now), Seen.of(moment.goal, goal))

    def payload(self, model: WorldModel) -> dict[str, Any]:
        """Both pictures as the page shows them."""
        return {"scene": seen_payload(self.scene, model), "goal": seen_payload(self.goal, model)}


def seen_payload(seen: Seen, model: WorldModel) -> dict[str, Any]:
    """A tile for each slot, and where the model can say why: chances, votes and their peaks."""
    masks = [
        {"slot": slot, "taken": bool(present), "tile": _tile(mask)}
        for slot, (mask, present) in enumerate(zip(seen.mask, seen.presence, strict=True))
    ]
    return {"masks": masks[:MOST_MASKS], **_votes(seen, model)}


def _tile(mask_P: NDArray[np.uint8]) -> str | None:
    """A mask as a picture; none of a slot that claims nothing."""
    return as_url(mask_tile(mask_P.astype(np.float32))) if mask_P.any() else None


def _votes(seen: Seen, model: WorldModel) -> dict[str, Any]:
    if not isinstance(model, Explaining):
        return {"chances": None, "votes": None, "peaks": []}
    with torch.no_grad():
        why = model.explain(torch.from_numpy(seen.image[None].copy()))
    large = enlarge(seen.image, max(1, SHOWN // len(seen.image)))
    chances, votes = draw_explanation(why, 0, large)
    share = (why.height[0] / why.least).tolist()
    peaks = [round(value, 2) for value in share if value >= WORTH]
    return {"chances": as_url(chances), "votes": as_url(votes), "peaks": peaks}
