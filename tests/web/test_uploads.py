"""A stranger's picture is made small or refused, before it is decoded."""

import contextlib
import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from PIL import Image

from ncs.data.importing.pictures import MOST_PIXELS
from ncs.records import DataError
from ncs.web.schemas import Crop
from ncs.web.uploads import middle, read_picture

RNG = np.random.default_rng(0)


def encode(image: Image.Image, kind: str, **settings: object) -> bytes:
    data = io.BytesIO()
    image.save(data, kind, **settings)  # type: ignore[arg-type]
    return data.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A small PNG file whose header promises a huge picture, and whose data would give one."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compressobj(9)
    body = b"".join(rows.compress(bytes(1 << 20)) for _ in range(64)) + rows.flush()
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    "side", [(5000, 5000), (60_000, 60_000), (2**31 - 1, 2**31 - 1), (1, 2**30), (1, 2**24)]
)
def test_a_decompression_bomb_is_refused_unread(side: tuple[int, int]) -> None:
    data = bomb(*side)
    assert len(data) < 100_000
    tracemalloc.start()
    with pytest.raises(DataError, match="a: is"):
        read_picture(data, "a")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20


def test_a_picture_of_64_pixels_stays_as_it_is() -> None:
    picture = RNG.integers(0, 255, (64, 64, 3), np.uint8)
    assert (read_picture(encode(Image.fromarray(picture), "PNG"), "a") == picture).all()


def test_a_larger_picture_gives_its_middle_square() -> None:
    small = RNG.integers(0, 255, (64, 64, 3), np.uint8)
    wide = np.zeros((256, 512, 3), np.uint8)
    wide[:, 128:384] = small.repeat(4, axis=0).repeat(4, axis=1)
    assert (read_picture(encode(Image.fromarray(wide), "PNG"), "a") == small).all()


def test_jpegs_are_turned_upright() -> None:
    picture = np.zeros((64, 64, 3), np.uint8)
    picture[:32] = 255  # bright above
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    seen = read_picture(encode(Image.fromarray(picture), "JPEG", exif=exif, quality=95), "a")
    assert seen[:28].mean() < 10
    assert seen[36:].mean() > 245


@pytest.mark.parametrize("mode", ["RGBA", "LA", "L", "P", "1", "I;16"])
def test_every_kind_of_png_becomes_rgb(mode: str) -> None:
    seen = read_picture(encode(Image.new(mode, (80, 70)), "PNG"), "a")
    assert seen.shape == (64, 64, 3)
    assert seen.dtype == np.uint8
    if mode in ("RGBA", "LA"):
        assert (seen == 255).all()  # nothing is white


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "PPM"])
def test_other_formats_are_refused(kind: str) -> None:
    with pytest.raises(DataError, match="not a PNG, JPEG or WebP"):
        read_picture(encode(Image.new("RGB", (64, 64)), kind), "a")


def test_damaged_files_are_read_or_refused() -> None:
    good = encode(Image.fromarray(RNG.integers(0, 255, (64, 64, 3), np.uint8)), "PNG")
    for _ in range(200):
        bad = bytearray(good)
        bad[int(RNG.integers(len(bad)))] ^= 1 << int(RNG.integers(8))
        cut = bytes(bad[: int(RNG.integers(1, len(bad) + 1))])
        with contextlib.suppress(DataError):  # nothing else may come out of it
            assert read_picture(cut, "a").shape == (64, 64, 3)


def test_the_limit_is_a_telephones_camera() -> None:
    assert MOST_PIXELS > 4000 * 3000


def test_the_part_that_was_chosen_is_what_is_seen() -> None:
    picture = np.zeros((100, 200, 3), np.uint8)
    picture[50:, 150:] = 255
    data = encode(Image.fromarray(picture), "PNG")
    corner = Crop(x=0.75, y=0.5, width=0.25, height=0.5)
    assert (read_picture(data, "a", (64, 64), corner) == 255).all()
    assert read_picture(data, "a", (48, 96)).shape == (48, 96, 3)


def test_the_middle_has_the_shape_that_is_asked_for() -> None:
    part = middle((200, 100), (64, 64))
    assert (part.x, part.y, part.width, part.height) == (0.25, 0.0, 0.5, 1.0)
    assert middle((200, 100), (50, 100)) == Crop(x=0, y=0, width=1, height=1)
