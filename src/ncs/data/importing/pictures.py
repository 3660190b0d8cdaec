"""A stranger's picture made safe: only known formats, judged by its header before it is decoded."""

import contextlib
import io
import threading
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from ncs.bounded import read_regular
from ncs.records import DataError
from ncs.storage import reading

MOST_PIXELS = 4096 * 4096  # 48 MB once decoded; cameras of telephones stay below
MOST_SIDE = 16_384  # a picture of one row may be as costly as a square one
MOST_BYTES = 64 << 20
LARGE = 1 << 20  # pixels; servers decode on many threads, so larger ones wait for each other
ONE_AT_A_TIME = threading.Lock()
FORMATS = ("PNG", "JPEG", "WEBP")


def load_picture(path: Path, longest: int | None = None) -> NDArray[np.uint8]:
    """The picture (H, W, 3) of a file; a larger one than ``longest`` is reduced."""
    with reading(path):
        return decode_picture(read_regular(path, MOST_BYTES), str(path), longest)


def decode_picture(data: bytes, name: str, longest: int | None = None) -> NDArray[np.uint8]:
    """The picture (H, W, 3) of a file's bytes, upright; transparency is white."""
    try:
        with _open(data) as image:
            if image.width * image.height > MOST_PIXELS or max(image.size) > MOST_SIDE:
                raise DataError(
                    f"{name}: is {image.width} x {image.height} pixels, more than "
                    f"{MOST_PIXELS >> 20} million or {MOST_SIDE} a side; make it smaller"
                )
            if longest is not None:
                image.draft("RGB", _reduced(image.size, longest))  # JPEG: no finer than needed
            large = image.width * image.height > LARGE
            with ONE_AT_A_TIME if large else contextlib.nullcontext():
                return _decoded(image, longest)
    except Image.DecompressionBombError:
        raise DataError(
            f"{name}: is of more than {MOST_PIXELS >> 20} million pixels; make it smaller"
        ) from None
    except (OSError, ValueError, SyntaxError):
        raise DataError(
            f"{name}: is not a PNG, JPEG or WebP picture that can be read; save it anew"
        ) from None


def _decoded(image: Image.Image, longest: int | None) -> NDArray[np.uint8]:
    shown = _shrunk(_shrunk(image, longest) if _is_smooth(image) else _flat(image), longest)
    return np.array(_flat(ImageOps.exif_transpose(shown)))


def _open(data: bytes) -> Image.Image:
    with warnings.catch_warnings():
        # Pillow only warns of sizes that are refused a moment later.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=FORMATS)


def _reduced(size: tuple[int, int], longest: int) -> tuple[int, int]:
    factor = min(1.0, longest / max(size))
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def _shrunk(image: Image.Image, longest: int | None) -> Image.Image:
    """A picture reduced to a longest side, the sooner the less memory it takes."""
    if longest is None or max(image.size) <= longest:
        return image
    return image.resize(_reduced(image.size, longest), Image.Resampling.BOX)


def _is_smooth(image: Image.Image) -> bool:
    """Whether pixels may be averaged as they are: no palette, no single transparent colour."""
    return image.mode in ("RGB", "RGBA", "L", "LA") and "transparency" not in image.info


def _flat(image: Image.Image) -> Image.Image:
    """A picture of three channels of 8 bits."""
    if image.mode in ("I", "I;16", "I;16B"):  # grey of 16 bits
        grey = np.asarray(image).astype(np.int64) >> 8
        return Image.fromarray(grey.clip(0, 255).astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        sheet = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(sheet, image.convert("RGBA"))
    return image.convert("RGB")


def reduce_frames(frame_THWC: NDArray[np.uint8], longest: int) -> NDArray[np.uint8]:
    """Pictures of which the longer side has at most so many pixels."""
    height, width = frame_THWC.shape[1:3]
    if max(height, width) <= longest:
        return frame_THWC
    size = _reduced((width, height), longest)
    box = Image.Resampling.BOX
    return np.stack([np.array(Image.fromarray(one).resize(size, box)) for one in frame_THWC])
