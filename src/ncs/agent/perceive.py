"""Pictures become entities: a trained model as graph and control see through it.

Legend: B lanes or pictures, T frames, H height, W width, C channels.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.data.buffer import Buffer
from ncs.graph.isolate import Experience
from ncs.model.contract import Slots, WorldModel
from ncs.records import Entities

FOLLOW_BATCH = 20


class Eye:
    """Turns pictures into entities; graph and control see through it and know no network."""

    def __init__(self, model: WorldModel, n_slots: int, seed: int = 0) -> None:
        self._model = model
        self._n_slots = n_slots
        self._generator = torch.Generator().manual_seed(seed)

    def __call__(self, image_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[Entities]:
        """The entities of each picture."""
        with torch.no_grad():
            frame = torch.from_numpy(np.ascontiguousarray(image_BHWC))
            slots = self._model.encode(frame, self._n_slots, self._generator)
        arrays = as_arrays(slots)
        return [
            Entities(**{name: array[row] for name, array in arrays.items()})
            for row in range(len(image_BHWC))
        ]


def as_arrays(slots: Slots) -> dict[str, NDArray[np.float32]]:
    """A record of slots as arrays, by name."""
    names = ("kind", "state", "mask", "presence", "confidence")
    return {name: getattr(slots, name).detach().cpu().numpy() for name in names}


def watch(
    model: WorldModel, buffer: Buffer, index_B: NDArray[np.int64], n_slots: int, seed: int = 0
) -> Iterator[Experience]:
    """Clips of a buffer as the graph sees them, a batch at a time."""
    generator = torch.Generator().manual_seed(seed)
    for first in range(0, len(index_B), FOLLOW_BATCH):
        clips = buffer.clips(index_B[first : first + FOLLOW_BATCH])
        with torch.no_grad():
            slots = model.follow(
                torch.from_numpy(clips.frame), torch.from_numpy(clips.action), n_slots, generator
            )
        arrays = as_arrays(slots)
        arrays.pop("confidence")
        yield Experience(**arrays, action=clips.action)  # type: ignore[arg-type]
