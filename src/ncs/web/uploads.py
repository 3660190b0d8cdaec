"""Takes a stranger's file, gives a safe picture: PNG or JPEG, only so large, as models see it."""

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from ncs.records import DataError

SIDE = 64
MOST_PIXELS = 4096 * 4096  # 48 MB once decoded; cameras of telephones stay below
FORMATS = ("PNG", "JPEG")


def read_picture(data: bytes, name: str) -> NDArray[np.uint8]:
    """The picture (64, 64, 3) of a PNG or JPEG file, its middle square reduced.

    Its size is read from the header and judged before a single pixel is decoded.
    """
    try:
        with _open(data) as image:
            if image.width * image.height > MOST_PIXELS:
                raise DataError(
                    f"{name}: is {image.width} x {image.height} pixels, more than "
                    f"{MOST_PIXELS >> 20} million; make it smaller"
                )
            if min(image.size) < 1:
                raise DataError(f"{name}: is empty")
            image.draft("RGB", (SIDE, SIDE))  # JPEG: decoded no finer than needed
            upright = ImageOps.exif_transpose(image)
            return _reduce(upright)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise DataError(f"{name}: is not a PNG or JPEG picture that can be read") from None


def _open(data: bytes) -> Image.Image:
    with warnings.catch_warnings():
        # Pillow only warns of sizes that are refused a moment later.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=FORMATS)


def _reduce(image: Image.Image) -> NDArray[np.uint8]:
    """The middle square of a picture, averaged to the models' size; transparency is white."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        sheet = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(sheet, image.convert("RGBA"))
    square = ImageOps.fit(image.convert("RGB"), (SIDE, SIDE), Image.Resampling.BOX)
    return np.array(square)
