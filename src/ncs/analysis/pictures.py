"""Takes frames, gives sheets and strips for people. Legend: B clips, T frames, H, W, 3."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ncs.storage import write_bytes

Picture = NDArray[np.uint8]
PAPER_WHITE = 255
CAPTION_HEIGHT = 18


def enlarge(picture: Picture, factor: int) -> Picture:
    """The picture with every pixel as a square of pixels, so that nothing is blurred."""
    return picture.repeat(factor, axis=0).repeat(factor, axis=1)


def sheet(frame_BTHWC: Picture, gap: int = 4) -> Picture:
    """Clips as rows, frames as columns, with white between them."""
    n_rows, n_columns, height, width, _ = frame_BTHWC.shape
    shape = (n_rows * (height + gap) + gap, n_columns * (width + gap) + gap, 3)
    canvas = np.full(shape, PAPER_WHITE, np.uint8)
    for row in range(n_rows):
        for column in range(n_columns):
            top, left = gap + row * (height + gap), gap + column * (width + gap)
            canvas[top : top + height, left : left + width] = frame_BTHWC[row, column]
    return canvas


def caption(picture: Picture, text: str) -> Picture:
    """The picture with a line of text above it, cut to its width."""
    height, width, _ = picture.shape
    canvas = Image.new("RGB", (width, height + CAPTION_HEIGHT), (PAPER_WHITE,) * 3)
    canvas.paste(Image.fromarray(picture), (0, CAPTION_HEIGHT))
    ImageDraw.Draw(canvas).text((3, 3), text, (30, 30, 30), ImageFont.load_default(12))
    return np.asarray(canvas)


def strip(pictures: Sequence[Picture], captions: Sequence[str], gap: int = 6) -> Picture:
    """Captioned pictures in a row."""
    tiles = [caption(*pair) for pair in zip(pictures, captions, strict=True)]
    return sheet(np.stack(tiles)[None], gap)


def save_png(path: Path, picture: Picture) -> None:
    """Writes a picture as PNG."""
    write_bytes(path, encode_png(picture))


def encode_png(picture: Picture) -> bytes:
    """A picture as the bytes of a PNG file."""
    data = io.BytesIO()
    Image.fromarray(picture).save(data, "PNG")
    return data.getvalue()
