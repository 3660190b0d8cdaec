"""A buffer as one file of two arrays, losslessly."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as encode_arrays

from ncs.data.buffer import Buffer
from ncs.records import DataError
from ncs.storage import write_bytes


def export_arrays(buffer: Buffer, path: Path) -> Path:
    """Writes ``frame`` and ``action`` as .npz or .safetensors, by the file's ending."""
    if path.exists():
        raise DataError(f"{path}: already exists; choose another --out or remove it")
    if path.suffix not in (".npz", ".safetensors"):
        raise DataError(f"{path}: must end in .npz or .safetensors")
    clips = buffer.clips(np.arange(len(buffer)))
    arrays: dict[str, NDArray[Any]] = {"frame": clips.frame, "action": clips.action}
    if path.suffix == ".npz":
        file = io.BytesIO()
        np.savez_compressed(file, frame=clips.frame, action=clips.action)
        write_bytes(path, file.getvalue())
    else:
        write_bytes(path, encode_arrays(arrays))
    return path
