"""A buffer as folders of PNG pictures with a table of picks and places each, losslessly.

What it writes is what ``ncs import`` reads.
"""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from ncs.data.buffer import Buffer
from ncs.data.importing.folder import TABLE
from ncs.data.importing.units import AXES
from ncs.records import DataError
from ncs.storage import write_bytes


def export_folder(buffer: Buffer, folder: Path) -> Path:
    """Writes every clip into a folder of its own, positions in metres; the folder comes back."""
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: is not empty; choose another --out")
    width = len(str(len(buffer)))
    header = ",".join(f"{axis}_m" for axis in AXES)
    for number in range(len(buffer)):
        clips = buffer.clips(np.array([number]))
        clip = folder / f"clip-{number:0{width}d}"
        for time, picture in enumerate(clips.frame[0]):
            write_bytes(clip / f"{time:03d}.png", encode_png(picture))
        start, change = clips.action[0, :, :3].astype(float), clips.action[0, :, 3:].astype(float)
        rows = np.concatenate([start, start + change], axis=1)
        lines = [",".join(repr(float(value)) for value in row) for row in rows]
        write_bytes(clip / TABLE, ("\n".join([header, *lines]) + "\n").encode())
    return folder


def encode_png(picture: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> bytes:
    """A picture as the bytes of a PNG file."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()
