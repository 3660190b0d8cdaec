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
from ncs.storage import digest_json

FOLLOW_BATCH = 20


class Perception:
    """Turns pictures into entities; graph and control see through it and know no network.

    Each lane has a random stream of its own, so what is seen in one does not depend on how many
    others are played beside it.
    """

    def __init__(self, model: WorldModel, n_slots: int) -> None:
        self._model, self._n_slots = model, n_slots
        self.begin([(0,)])

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Starts the random stream of each lane from its key."""
        self._generators = [stream_of("perceive", seed) for seed in seed_B]

    def __call__(self, image_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[Entities]:
        """The entities of each picture."""
        return self.look(image_BHWC, [self._generators[lane] for lane in lane_B])

    def look(
        self, image_BHWC: NDArray[np.uint8], source_B: Sequence[torch.Generator]
    ) -> list[Entities]:
        """The entities of each picture, seen with a random stream that is handed in."""
        with torch.no_grad():
            frame = torch.from_numpy(np.ascontiguousarray(image_BHWC))
            slots = self._model.encode(frame, self._n_slots, tuple(source_B))
        arrays = as_arrays(slots)
        return [
            Entities(**{name: array[row] for name, array in arrays.items()})
            for row in range(len(image_BHWC))
        ]


def stream_of(purpose: str, seed: Sequence[int]) -> torch.Generator:
    """The random stream of an episode's key for one purpose."""
    number = int(digest_json([purpose, *map(int, seed)])[:15], 16)
    return torch.Generator().manual_seed(number)


def as_arrays(slots: Slots) -> dict[str, NDArray[np.float32]]:
    """A record of slots as arrays, by name."""
    names = ("kind", "state", "mask", "presence", "confidence")
    return {name: getattr(slots, name).detach().cpu().numpy() for name in names}


def see_clips(
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
