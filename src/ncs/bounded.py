"""Files of strangers, read within limits: what a file claims is checked before it is believed.

Only regular files are opened; sizes, nesting and the header of arrays are looked at before any
content is read. ``docs/limits.md`` lists every limit.
"""

import json
import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BufferedReader
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.records import ConfigError, DataError

MOST_JSON = 64 << 20  # bytes
MOST_TOML = 1 << 20
MOST_HEADER = 4 << 20
MOST_ARRAYS = 4 << 30  # of a file that is read whole
MOST_MAPPED = 64 << 30  # of one that is only mapped, or hashed
MOST_TENSORS = 20_000
MOST_VALUES = 3_000_000  # in a JSON file: a buffer of ten million clips takes a fifth
MOST_GROUPS = 250_000  # lists and objects in it
MOST_DEPTH = 32
MOST_NAME = 512  # letters of an array's name
TYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16,
    "U32": np.uint32, "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16,
    "F32": np.float32, "F64": np.float64,
}  # fmt: skip


@dataclass(frozen=True)
class ArrayEntry:
    """An array as the header of its file describes it."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int  # byte of the file
    end: int


@dataclass(frozen=True)
class Header:
    """What a file of arrays says it holds, checked against its size."""

    arrays: dict[str, ArrayEntry]
    about: dict[str, Any]
    check: str


@dataclass(frozen=True)
class Expected:
    """What an array must look like: types by NumPy's letter, and a letter or number an axis."""

    kinds: str  # such as "f" for any float, "iu" for whole numbers
    shape: tuple[str | int, ...]  # axes with the same letter are equally long
    optional: bool = False


def open_regular(path: Path, most: int) -> BufferedReader:
    """A file opened for reading; refuses devices, pipes, folders, and what is too large."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not hang
    file = os.fdopen(handle, "rb") if stat.S_ISREG(os.fstat(handle).st_mode) else None
    if file is None:
        os.close(handle)
        raise DataError(f"{path}: is no regular file")
    if os.fstat(handle).st_size > most:
        file.close()
        raise DataError(f"{path}: holds more than {most} bytes, the most that is read")
    return file


def read_regular(path: Path, most: int) -> bytes:
    """The content of a regular file of at most so many bytes."""
    with open_regular(path, most) as file:
        return file.read(most)


def inside(folder: Path, name: str) -> Path:
    """The path of a file in a folder; refuses a name or a link that leads out of it."""
    path = folder / name
    home = folder.resolve()
    if Path(name).name != name or not name or path.resolve().parent != home:
        raise DataError(f"{folder}: names a file outside its folder ({name!r})")
    return path


def parse_json(data: bytes, where: str) -> Any:
    """A JSON value of limited size and depth, without NaN and infinities."""
    groups = data.count(b"{") + data.count(b"[")
    if groups > MOST_GROUPS or data.count(b",") > MOST_VALUES:
        raise DataError(f"{where}: holds too many values, the most is {MOST_VALUES}")
    try:
        value = JSON.decode(data.decode(json.detect_encoding(data), "surrogatepass"))
    except (ValueError, RecursionError):
        raise DataError(f"{where}: is not JSON; restore it or make it again") from None
    if groups > MOST_DEPTH and is_too_deep(value):
        raise DataError(f"{where}: is nested more than {MOST_DEPTH} levels deep")
    return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names differ; of two rows run into one, the second would hide the first."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


JSON = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_without_doubles)


def is_too_deep(value: Any) -> bool:
    """Whether lists and objects are nested beyond the limit."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        groups = [item for item in level if isinstance(item, dict | list)]
        if not groups:
            return False
        level = [
            item
            for group in groups
            for item in (group.values() if isinstance(group, dict) else group)
        ]
    return True


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file of limited size and depth."""
    data = read_regular(path, MOST_TOML)
    try:
        values = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # also: bytes that are no text, endless digits
        reason = " ".join(str(error).split())[:120]
        raise ConfigError(f"{path}: is not TOML ({reason})") from None
    if is_too_deep(values):
        raise ConfigError(f"{path}: is nested more than {MOST_DEPTH} levels deep")
    return values


def read_header(path: Path, most: int = MOST_MAPPED) -> Header:
    """The header of a safetensors file that ncs wrote; its arrays fill the file exactly."""
    with open_regular(path, most) as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(MOST_HEADER, size - 8):
            raise _damaged(path, "its header is cut off or over the limit")
        head = file.read(length)
    _check_count(path, head.count(b'"data_offsets"'))  # at once, before anything is made of it
    content = parse_json(head, str(path))
    try:
        label = parse_json(content.pop("__metadata__")["ncs"].encode(), str(path))
        about, check = label["about"], label["check"]
        if not (isinstance(about, dict) and isinstance(check, str)):
            raise TypeError("its label is none")
        arrays = {name: _entry(name, value, 8 + length) for name, value in content.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, " ".join(str(error).split())[:120]) from None
    _check_tiling(path, arrays, 8 + length, size)
    return Header(arrays, about, check)


def _entry(name: str, value: Any, base: int) -> ArrayEntry:
    """An array's entry, each part checked."""
    dtype = np.dtype(TYPES[value["dtype"]])
    shape, (start, end) = value["shape"], value["data_offsets"]
    numbers = [*shape, start, end]
    if not all(type(number) is int and 0 <= number < 2**48 for number in numbers):
        raise ValueError("an array has an impossible size")
    if len(name) > MOST_NAME or len(shape) > 8 or end - start != prod(shape) * dtype.itemsize:
        raise ValueError("an array's size is not that of its bytes")
    return ArrayEntry(dtype, tuple(shape), base + start, base + end)


def _check_count(path: Path, count: int) -> None:
    if count > MOST_TENSORS:
        raise DataError(f"{path}: holds {count} arrays, the most is {MOST_TENSORS}")


def _check_tiling(path: Path, arrays: Mapping[str, ArrayEntry], base: int, size: int) -> None:
    """Refuses arrays that overlap, leave gaps, or end elsewhere than the file."""
    _check_count(path, len(arrays))
    place = base
    for entry in sorted(arrays.values(), key=lambda entry: (entry.start, entry.end)):
        if entry.start != place:
            raise _damaged(path, "its arrays overlap or leave gaps")
        place = entry.end
    if place != size:
        raise _damaged(path, "its arrays do not fill it")


def _damaged(path: Path, reason: str) -> DataError:
    return DataError(
        f"{path}: damaged or not written by ncs ({reason}); restore it or make it again"
    )


def check_arrays(path: Path, header: Header, expected: Mapping[str, Expected]) -> dict[str, int]:
    """Compares a header with what is expected; the length of each lettered axis comes back."""
    lengths: dict[str, int] = {}
    if unknown := sorted(set(header.arrays) - set(expected)):
        raise DataError(f"{path}: holds {unknown[0]!r}, which does not belong there")
    for name, want in expected.items():
        entry = header.arrays.get(name)
        if entry is None:
            if want.optional:
                continue
            raise DataError(f"{path}: lacks {name!r}; restore it or make it again")
        sizes = [
            axis if isinstance(axis, int) else lengths.setdefault(axis, size)
            for axis, size in zip(want.shape, entry.shape, strict=False)
        ]
        if tuple(sizes) != entry.shape or len(want.shape) != len(entry.shape):
            shown = " x ".join(map(str, want.shape))
            raise DataError(f"{path}: {name} has shape {entry.shape}, not {shown}")
        if entry.dtype.kind not in want.kinds:
            raise DataError(f"{path}: {name} is of type {entry.dtype}, which it cannot be")
    return lengths


def map_entry(path: Path, entry: ArrayEntry) -> NDArray[Any]:
    """An array of a file, memory-mapped and read-only."""
    if 0 in entry.shape:
        return np.zeros(entry.shape, entry.dtype)
    return np.memmap(path, entry.dtype, "r", entry.start, entry.shape)


def read_entries(path: Path, header: Header) -> dict[str, NDArray[Any]]:
    """All arrays of a file whose header was read."""
    arrays = {}
    with open_regular(path, MOST_ARRAYS) as file:
        for name, entry in header.arrays.items():
            file.seek(entry.start)
            count = prod(entry.shape)
            flat = np.fromfile(file, entry.dtype, count)
            if len(flat) != count:
                raise _damaged(path, "it ends too soon")
            arrays[name] = flat.reshape(entry.shape)
    return arrays


def check_finite(
    path: Path,
    arrays: Mapping[str, NDArray[Any]],
    holes: Sequence[str] = (),
    boundless: Sequence[str] = (),
) -> None:
    """Refuses numbers that are none; NaN may stand in ``holes``, infinities in ``boundless``."""
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            continue
        bad = (np.isnan(array) & (name not in holes)) | (np.isinf(array) & (name not in boundless))
        if bad.any():
            raise DataError(f"{path}: {name} holds NaN or an infinite number; make it again")
