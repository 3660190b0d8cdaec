"""STL files are read to the bit, and anything else is refused by name."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from ncs.envs.tabletop.stl import MAX_BYTES, read_stl, write_stl
from ncs.records import DataError

TRIANGLES = np.random.default_rng(0).normal(size=(5, 3, 3)).astype(np.float32)


def as_text(triangles: np.ndarray) -> str:
    facets = "".join(
        "facet normal 0 0 1\n outer loop\n"
        + "".join(f"  vertex {x!r} {y!r} {z!r}\n" for x, y, z in t.tolist())
        + " endloop\nendfacet\n"
        for t in triangles
    )
    return f"solid a name with several words\n{facets}endsolid a name\n"


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(write_stl(TRIANGLES))
    assert (read_stl(tmp_path / "a.stl") == TRIANGLES).all()


def test_ascii_files_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_text(as_text(TRIANGLES))
    assert (read_stl(tmp_path / "a.stl") == TRIANGLES).all()


def test_a_binary_file_may_begin_with_the_word_solid(tmp_path: Path) -> None:
    data = write_stl(TRIANGLES)
    (tmp_path / "a.stl").write_bytes(b"solid" + data[5:])
    assert (read_stl(tmp_path / "a.stl") == TRIANGLES).all()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a mesh",
        b"solid half\nfacet normal 0 0 1\nouter loop\n",
        as_text(TRIANGLES).replace("vertex", "vertex x", 1).encode(),
        as_text(TRIANGLES[:1]).replace(repr(float(TRIANGLES[0, 0, 0])), "zero").encode(),
        write_stl(TRIANGLES)[:-1],
        write_stl(TRIANGLES) + b"x",
        bytes(80) + struct.pack("<I", 2**32 - 1),
        os.urandom(500),
    ],
)
def test_what_is_not_stl_is_refused_by_name(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "broken.stl").write_bytes(data)
    with pytest.raises(DataError, match=r"broken\.stl: is not an STL file"):
        read_stl(tmp_path / "broken.stl")


def test_missing_folders_pipes_and_giants_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.stl").mkdir()
    os.mkfifo(tmp_path / "pipe.stl")
    with (tmp_path / "giant.stl").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    for name, words in [
        ("missing.stl", "is not a file"),
        ("folder.stl", "is not a file"),
        ("pipe.stl", "is not a file"),
        ("giant.stl", "a mesh may have 16 MB"),
    ]:
        with pytest.raises(DataError, match=f"{name}: .*{words}"):
            read_stl(tmp_path / name)
