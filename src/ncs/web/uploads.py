"""Takes a stranger's picture file, gives the part that was chosen in the size a model knows."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ncs.data.importing.pictures import decode_picture
from ncs.web.schemas import Crop

LONGEST = 1024  # pixels; what is finer is lost on models that see a tenth of it
USUAL_SIZE = (64, 64)  # of models that say nothing of their pictures


def read_picture(
    data: bytes, name: str, size: tuple[int, int] = USUAL_SIZE, crop: Crop | None = None
) -> NDArray[np.uint8]:
    """The picture (H, W, 3) of a PNG, JPEG or WebP file, cut and averaged to a size (H, W)."""
    height, width = size
    image = Image.fromarray(decode_picture(data, name, LONGEST))
    left, top, right, bottom = (crop or middle(image.size, size)).box(image.size)
    cut = image.resize((width, height), Image.Resampling.BOX, (left, top, right, bottom))
    return np.array(cut)


def middle(pixels: tuple[int, int], size: tuple[int, int]) -> Crop:
    """The largest part of a picture (W, H) that has the shape of a size (H, W), in its middle."""
    width, height = pixels
    shape = size[1] / size[0]
    wide, high = min(1.0, shape * height / width), min(1.0, width / height / shape)
    return Crop(x=(1 - wide) / 2, y=(1 - high) / 2, width=wide, height=high)
