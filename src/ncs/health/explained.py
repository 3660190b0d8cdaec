"""Takes a model that can say why and frames, gives pictures of chances, votes and peaks.

Legend: B clips, T frames, H height, W width, C channels.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ncs.model.contract import Explaining, Explanation, WorldModel
from ncs.training.pictures import Picture, Row

TAKEN, LEFT = (40, 220, 90), (255, 70, 70)  # peaks that are things, and those too low to be
WORTH = 0.1  # of what makes a thing: lower peaks are not worth a mark


def explained_rows(model: WorldModel, frame_BTHWC: NDArray[np.uint8]) -> list[list[Row]]:
    """Two rows for each clip: where a thing may be, and votes with their peaks; else none.

    A green ring is a peak with votes enough for a thing, a red one has too few.
    """
    if not isinstance(model, Explaining):
        return []
    rows = []
    for frame_THWC in frame_BTHWC:
        why = model.explain(torch.from_numpy(frame_THWC))
        pairs = [draw_explanation(why, t, frame) for t, frame in enumerate(frame_THWC)]
        chances = Row("a thing?", [chances for chances, _ in pairs])
        rows.append([chances, Row("votes", [votes for _, votes in pairs])])
    return rows


def draw_explanation(
    why: Explanation, row: int, frame_HWC: NDArray[np.uint8]
) -> tuple[Picture, Picture]:
    """Chances over the grey frame, and votes with rings around their peaks."""
    height, width = frame_HWC.shape[:2]
    chance_HW = _enlarged(why.chance[row].cpu().numpy(), (width, height))
    grey_HWC = frame_HWC.mean(axis=2, keepdims=True) * 0.5
    lit_HWC = 0.5 * frame_HWC + np.array([20.0, 110.0, 127.0])
    over_HWC = grey_HWC + (lit_HWC - grey_HWC) * chance_HW[..., None]
    votes_HW = np.clip(why.votes[row].cpu().numpy() / (3 * why.least), 0, 1)
    board_HWC = np.repeat(255 * _enlarged(votes_HW, (width, height))[..., None], 3, axis=2)
    picture = Image.fromarray(board_HWC.astype(np.uint8))
    pen, zoom = ImageDraw.Draw(picture), width / why.votes.shape[2]
    radius = max(2.0, width / 24)
    for (x, y), votes in zip(why.peak[row].tolist(), why.height[row].tolist(), strict=True):
        if votes >= WORTH * why.least:
            box = (x * zoom - radius, y * zoom - radius, x * zoom + radius, y * zoom + radius)
            taken = votes >= why.least
            thick = max(1, width // (80 if taken else 256))  # told apart without their colours too
            pen.ellipse(box, outline=TAKEN if taken else LEFT, width=thick)
    return np.clip(over_HWC, 0, 255).astype(np.uint8), np.asarray(picture)


def _enlarged(value_HW: NDArray[np.floating], size: tuple[int, int]) -> NDArray[np.float64]:
    image = Image.fromarray(value_HW.astype(np.float32))
    return np.asarray(image.resize(size, Image.Resampling.NEAREST), np.float64)
