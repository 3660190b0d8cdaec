"""One file of arrays: ``frame`` (N, T, H, W, 3) and ``action`` (N, T - 1, 6), nothing else needed.

Shapes are read from headers and judged before anything is unpacked.
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from ncs.data.importing.clip import MOST_CLIPS, LeftOut, RawClip, Source, check_clip
from ncs.records import DataError
from ncs.storage import brief

NAMES = ("frame", "action")
MOST_BYTES = 16 << 30  # of both arrays, unpacked
MOST_RATIO = 1000  # by which packed pictures shrink at the very most


def open_arrays(path: Path) -> Source:
    """The clips of an ``.npz`` or ``.safetensors`` file."""
    if not path.is_file():
        raise DataError(f"{path}: is not a file")
    arrays = _read_safetensors(path) if path.suffix == ".safetensors" else _read_npz(path)
    frame, action = arrays["frame"], arrays["action"]
    if frame.ndim != 5 or frame.shape[-1] != 3:
        raise DataError(f"{path}: frame has shape {frame.shape}, must be (N, T, H, W, 3)")
    expected = (len(frame), frame.shape[1] - 1, 6)
    if action.shape != expected:
        raise DataError(f"{path}: action has shape {action.shape}, must be {expected}")
    if len(frame) > MOST_CLIPS:
        raise DataError(f"{path}: holds {len(frame)} clips, at most {MOST_CLIPS} are read")
    return Source("arrays", _clips(frame, action), len(frame))


def _clips(frame: NDArray[Any], action: NDArray[Any]) -> Iterator[RawClip | LeftOut]:
    for number in range(len(frame)):
        yield check_clip(f"clip {number}", frame[number], action[number])


def _read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with safe_open(path, framework="numpy") as file:
            _check_names(path, set(file.keys()))
            return {name: file.get_tensor(name) for name in NAMES}
    except (SafetensorError, TypeError, ValueError, OSError) as error:
        raise DataError(f"{path}: is not a safetensors file ({brief(error)})") from None


def _read_npz(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(path) as archive:
            held = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            _check_names(path, set(held))
            for name in NAMES:
                _check_entry(path, archive, held[name])
            return {name: _unpack(archive, held[name]) for name in NAMES}
    except DataError:
        raise
    except Exception as error:  # whatever a foreign file makes zipfile, zlib and NumPy raise
        raise DataError(f"{path}: is not an .npz file of arrays ({brief(error)})") from None


def _check_names(path: Path, names: set[str]) -> None:
    missing = [name for name in NAMES if name not in names]
    if missing:
        raise DataError(f"{path}: has no array {missing[0]!r}; it needs frame and action")


def _check_entry(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Refuses an array by its header: its size, its type, and how much it was packed."""
    if info.file_size > MOST_BYTES or info.file_size > MOST_RATIO * max(info.compress_size, 1):
        raise DataError(
            f"{path}: {info.filename} would unpack to {info.file_size} bytes from "
            f"{info.compress_size}; that is no array of pictures"
        )
    with archive.open(info) as file:
        version = npy.read_magic(file)
        reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = reader(file)
        if dtype.hasobject:
            raise DataError(f"{path}: {info.filename} holds Python objects, which are never read")
        if int(np.prod(shape, dtype=np.float64)) * dtype.itemsize > info.file_size:
            raise DataError(f"{path}: {info.filename} is shorter than its header says")


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(info) as file:
        return np.asarray(npy.read_array(file, allow_pickle=False))
