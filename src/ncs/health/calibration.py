"""Whether pictures change where actions say: the first thing to ask of foreign experience.

Legend: B clips, T frames, M moves of a clip, H height, W width.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.data.buffer import Buffer
from ncs.model.touched.measure import measure
from ncs.model.touched.measures import Measures
from ncs.records import Clips

CHECKED = 400  # clips that are looked at
LONGEST = 128  # pixels at which they are looked at
SHOWN = 8  # moves in the picture
PICK, PLACE = (255, 60, 60), (60, 220, 60)


@dataclass(frozen=True)
class Calibration:
    """How actions and pictures of a buffer fit."""

    moves: int  # that were looked at
    plain: float  # share of them that changed the picture where they pick and where they place
    miss: float  # median pixels between where the world should be seen and where it is
    sheet: NDArray[np.uint8]  # (H, W, 3) moves, with a mark where each picks and places


def check_calibration(buffer: Buffer) -> Calibration:
    """Fits where the world is seen, and tells how well that explains what changed."""
    clips = buffer.clips(np.linspace(0, len(buffer) - 1, min(len(buffer), CHECKED)).astype(int))
    frame, action = torch.from_numpy(clips.frame), torch.from_numpy(clips.action)
    measures = Measures()
    measures.take(measure(frame, action, LONGEST))
    return Calibration(
        moves=int(measures.number("moves")),
        plain=measures.number("plain"),
        miss=measures.number("miss"),
        sheet=draw_moves(clips, measures),
    )


def draw_moves(clips: Clips, measures: Measures) -> NDArray[np.uint8]:
    """The first moves of some clips, before above after: red where they pick, green where they put.

    The marks stand where the fit says, so that a wrong unit or a swapped axis is seen at a glance.
    """
    columns = []
    for number in range(min(SHOWN, len(clips.frame))):
        action = torch.from_numpy(clips.action[number, 0]).float()
        ends_23 = measures.scaled(torch.stack([action[:3], action[:3] + action[3:]]))
        zoom = max(clips.frame.shape[2:4]) / max(measures.shape)
        pick_2, place_2 = (measures.project(ends_23) * zoom).round().int().numpy()
        before, after = (clips.frame[number, time].copy() for time in (0, 1))
        for picture in (before, after):
            mark(picture, pick_2, PICK)
            mark(picture, place_2, PLACE)
        columns.append(np.concatenate([before, after]))
    return np.concatenate(columns, axis=1)


def mark(picture: NDArray[np.uint8], pixel_2: NDArray[np.int32], colour: tuple[int, ...]) -> None:
    """Draws a cross into a picture."""
    height, width = picture.shape[:2]
    x, y = (int(value) for value in pixel_2)
    for step in range(-3, 4):
        for column, row in ((x + step, y), (x, y + step)):
            if 0 <= row < height and 0 <= column < width:
                picture[row, column] = colour
