"""Reads STL files, binary or ASCII, and writes binary ones. Refuses bad files by name.

Legend: F triangles.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncs.records import DataError
from ncs.storage import reading

HEADER = 84  # bytes before the first triangle of a binary file
RECORD = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("attribute", "<u2")])
MAX_BYTES = 16 << 20
WORDS_PER_FACET = 21  # facet normal x y z outer loop (vertex x y z) x 3 endloop endfacet


def read_stl(path: Path) -> NDArray[np.float32]:
    """The triangles (F, 3, 3) of an STL file."""
    with reading(path):
        if not path.is_file():
            raise DataError(f"{path}: is not a file")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DataError(f"{path}: is {size >> 20} MB, a mesh may have {MAX_BYTES >> 20} MB")
        data = path.read_bytes()
    binary = _parse_binary(data)
    triangle_F33 = _parse_ascii(data) if binary is None else binary
    if triangle_F33 is None:
        raise DataError(f"{path}: is not an STL file, or was cut short")
    return triangle_F33


def _parse_binary(data: bytes) -> NDArray[np.float32] | None:
    """Triangles of a binary STL; None unless its length fits the count it states."""
    if len(data) < HEADER:
        return None
    count = int.from_bytes(data[HEADER - 4 : HEADER], "little")
    if len(data) != HEADER + count * RECORD.itemsize:
        return None
    return np.frombuffer(data, RECORD, offset=HEADER)["corner"].copy()


def _parse_ascii(data: bytes) -> NDArray[np.float32] | None:
    """Triangles of an ASCII STL; None for anything else."""
    if data.lstrip()[:5].lower() != b"solid":
        return None
    body, end, _ = data.partition(b"\n")[2].lower().rpartition(b"endsolid")
    words = body.split()
    if not end or len(words) % WORDS_PER_FACET:
        return None
    facets = np.array(words, object).reshape(-1, WORDS_PER_FACET)
    if not ((facets[:, 0] == b"facet") & (facets[:, -1] == b"endfacet")).all():
        return None
    corners = facets[:, [8, 9, 10, 12, 13, 14, 16, 17, 18]]
    try:
        return corners.astype(np.float32).reshape(-1, 3, 3)
    except ValueError:
        return None


def write_stl(triangle_F33: NDArray[np.float32]) -> bytes:
    """Triangles as a binary STL file."""
    record_F = np.zeros(len(triangle_F33), RECORD)
    record_F["corner"] = triangle_F33
    return bytes(HEADER - 4) + len(record_F).to_bytes(4, "little") + record_F.tobytes()
