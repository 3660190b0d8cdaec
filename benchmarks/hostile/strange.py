"""Files that ncs did not write, spoiled: pictures, and arrays that somebody wants imported."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.hostile.spoil import NOTHING, Case, linked, piped, written
from PIL import Image


def chunk(name: bytes, body: bytes) -> bytes:
    crc = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + crc


def png(width: int, height: int, body: bytes, more: bytes = b"") -> bytes:
    """A PNG file whose header says what it is told to."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    parts = header + more + chunk(b"IDAT", zlib.compress(body, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def saved(kind: str) -> Callable[[Path], None]:
    data = io.BytesIO()
    Image.new("RGB", (8, 8)).save(data, kind)
    return written("p.png", data.getvalue())


def npz(**arrays: Any) -> Callable[[Path], None]:
    return lambda folder: np.savez_compressed(folder / "a.npz", **arrays)


def zipped(name: str, data: bytes) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        with zipfile.ZipFile(folder / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(name, data)
            file.writestr("action.npy", data)

    return spoil


FRAME = np.zeros((2, 3, 8, 8, 3), np.uint8)
ACTION = np.zeros((2, 2, 6), np.float32)
TEXT = chunk(b"zTXt", b"x\x00\x00" + zlib.compress(bytes(80 << 20), 9))
PICTURE = [
    Case("as it should be", NOTHING),
    Case("one pixel", written("p.png", png(1, 1, bytes(4)))),
    Case("1 x 16 777 216", written("p.png", png(1, 1 << 24, bytes(4 << 24)))),
    Case("16 777 216 x 1", written("p.png", png(1 << 24, 1, bytes(3 << 24)))),
    Case("60 000 x 60 000", written("p.png", png(60_000, 60_000, bytes(1 << 20)))),
    Case("2^31 - 1 a side", written("p.png", png(2**31 - 1, 2**31 - 1, b""))),
    Case("no pixels", written("p.png", png(0, 0, b""))),
    Case("80 MB of text in a chunk", written("p.png", png(8, 8, bytes(200), TEXT))),
    Case("half of its pixels", written("p.png", png(64, 64, bytes(64 * 97)))),
    *(Case(f"a {kind}", saved(kind)) for kind in ("GIF", "TIFF", "BMP", "PPM", "ICO", "PCX")),
    Case("a script", written("p.png", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")),
    Case("an SVG", written("p.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>")),
    Case("empty", written("p.png", b"")),
    Case("is a pipe", piped("p.png")),
    Case("is /dev/zero", linked("p.png", "/dev/zero")),
]


def changed_npz(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Other bytes in the archive of a good one."""

    def spoil(folder: Path) -> None:
        (folder / "a.npz").write_bytes(change((folder / "a.npz").read_bytes()))

    return spoil


ARRAYS = [
    Case("as it should be", NOTHING),
    Case("pickled objects", npz(frame=np.array([{}], object), action=ACTION)),
    Case("a pickle", written("a.npz", b"\x80\x04\x95\x1c\x00.")),
    Case("no actions", npz(frame=FRAME)),
    Case("actions of five numbers", npz(frame=FRAME, action=ACTION[..., :5])),
    Case("flat frames", npz(frame=FRAME.ravel(), action=ACTION)),
    Case("a bomb", zipped("frame.npy", bytes(300 << 20))),
    Case("a name that leads out", zipped("../../frame.npy", b"x")),
    Case("an archive cut off", written("a.npz", b"PK\x03\x04" + bytes(50))),
    Case(
        "packed bytes that are none",
        changed_npz(lambda data: data[:100] + b"\xff" * 40 + data[140:]),
    ),
    Case(
        "an unknown way to pack", changed_npz(lambda data: data.replace(b"\x08\x00", b"\x63\x00"))
    ),
    Case(
        "a password",
        changed_npz(
            lambda data: data.replace(
                b"PK\x01\x02\x2d\x03\x2d\x00\x00", b"PK\x01\x02\x2d\x03\x2d\x00\x01"
            )
        ),
    ),
    Case("is a pipe", piped("a.npz")),
    Case("is /dev/zero", linked("a.npz", "/dev/zero")),
]
