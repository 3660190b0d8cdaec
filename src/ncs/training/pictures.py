"""Pictures of what a model sees: frames, reconstructions, predictions and masks on one sheet.

Legend: B clips, T frames, H height, W width, C channels, K slots, P mask cells, A action numbers.
"""

import colorsys
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ncs.model.contract import Slots, WorldModel
from ncs.records import Clips

GAP = 2
LABEL_WIDTH = 66
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Row:
    """One line of a sheet: a label and pictures of equal size."""

    label: str
    pictures: Sequence[Picture]


def to_picture(image_CHW: torch.Tensor) -> Picture:
    """A decoded image in [0, 1] as bytes (H, W, 3)."""
    image_HWC = image_CHW.detach().float().cpu().clamp(0, 1).permute(1, 2, 0).numpy()
    return np.round(image_HWC * 255).astype(np.uint8)


def tint(frame_HWC: Picture, mask_P: NDArray[np.float32], colour: NDArray[np.float64]) -> Picture:
    """A frame, grey where a slot does not look and in the slot's colour where it does."""
    side = math.isqrt(len(mask_P))
    mask = Image.fromarray(mask_P.reshape(side, side).astype(np.float32))
    mask_HW = np.asarray(mask.resize(frame_HWC.shape[1::-1], Image.Resampling.NEAREST))
    grey_HWC = frame_HWC.mean(axis=2, keepdims=True) * 0.5
    share_HWC = np.clip(mask_HW, 0, 1)[:, :, None]
    lit_HWC = 0.5 * frame_HWC + 127.5 * colour
    tinted: Picture = np.round(grey_HWC * (1 - share_HWC) + lit_HWC * share_HWC).astype(np.uint8)
    return tinted


def slot_colours(n_slots: int) -> NDArray[np.float64]:
    """Colours (K, 3) in [0, 1] that differ from one another."""
    hues = [(k * 0.381966) % 1 for k in range(n_slots)]  # golden angle: neighbours far apart
    return np.array([colorsys.hsv_to_rgb(hue, 0.75, 1.0) for hue in hues])


def mask_rows(frame_THWC: Picture, slots: Slots) -> list[Row]:
    """A row for each slot of one clip (T, K, ...): where it looks, in every frame."""
    mask_TKP = slots.mask.detach().float().cpu().numpy()
    present_TK = slots.presence.detach().cpu().numpy()
    colour_K3 = slot_colours(mask_TKP.shape[1])
    rows = []
    for k in range(mask_TKP.shape[1]):
        pictures = [
            tint(frame, mask_TKP[t, k], colour_K3[k] if present_TK[t, k] else np.full(3, 0.6))
            for t, frame in enumerate(frame_THWC)
        ]
        rows.append(Row(f"slot {k + 1}", pictures))
    return rows


def clip_rows(
    model: WorldModel, clips: Clips, n_slots: int, generator: torch.Generator
) -> list[Row]:
    """Frames, reconstructions, predictions from the frame before, and masks of each clip."""
    device = generator.device
    frame_BTHWC = torch.from_numpy(clips.frame).to(device)
    action_BTA = torch.from_numpy(clips.action).to(device)
    slots = model.follow(frame_BTHWC, action_BTA, n_slots, generator)
    rows = []
    for b, frame_THWC in enumerate(clips.frame):
        mine = slots.map(lambda tensor, b=b: tensor[b])  # type: ignore[misc]
        before = mine.map(lambda tensor: tensor[:-1])
        rows.append(Row("frame", list(frame_THWC)))
        if model.paints:
            after = model.predict(before, action_BTA[b])
            decoded = [to_picture(image) for image in model.decode(mine)]
            predicted = [to_picture(image) for image in model.decode(after)]
            rows.append(Row("decoded", decoded))
            rows.append(Row("predicted", [np.full_like(decoded[0], 255), *predicted]))
        rows += mask_rows(frame_THWC, mine)
    return rows


def draw_sheet(rows: Sequence[Row], clips: int = 1, across: int = 1) -> bytes:
    """Rows of pictures with their labels, as PNG.

    Args:
        rows: Those of the first clip, then those of the next.
        clips: How many clips they belong to.
        across: How many clips stand side by side.
    """
    height, width = rows[0].pictures[0].shape[:2]
    n_columns = max(len(row.pictures) for row in rows)
    per_clip, lines = len(rows) // clips, -(-clips // across)
    panel = LABEL_WIDTH + n_columns * (width + GAP)
    size = (min(clips, across) * panel, lines * per_clip * (height + GAP))
    sheet = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(sheet)
    for number, row in enumerate(rows):
        clip, i = divmod(number, per_clip)
        line, place = divmod(clip, across)
        left, top = place * panel, (line * per_clip + i) * (height + GAP)
        pen.text((left + 4, top + height // 2 - 6), row.label, fill="black")
        for j, picture in enumerate(row.pictures):
            sheet.paste(Image.fromarray(picture), (left + LABEL_WIDTH + j * (width + GAP), top))
    stream = io.BytesIO()
    sheet.save(stream, "PNG")
    return stream.getvalue()
