"""Files survive crashes, full disks and flipped bits, or are refused by name."""

import errno
import json
import os
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from ncs import storage
from ncs.records import DataError
from ncs.storage import (
    locked,
    read_arrays,
    read_json,
    remove_leftovers,
    write_arrays,
    write_bytes,
    write_json,
)

ARRAYS = {
    "frame": np.arange(600, dtype=np.uint8).reshape(2, 300),
    "action": np.linspace(0, 1, 12, dtype=np.float32).reshape(2, 6),
}


def test_arrays_come_back_as_they_went_in(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a", ARRAYS, {"clips": 2})
    arrays, about = read_arrays(tmp_path / "a")
    assert about == {"clips": 2}
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_the_same_arrays_make_the_same_bytes(tmp_path: Path) -> None:
    backwards = dict(reversed(ARRAYS.items()))
    first = write_arrays(tmp_path / "a", ARRAYS, {"x": 1, "y": 2})
    assert first == write_arrays(tmp_path / "b", backwards, {"y": 2, "x": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_every_flipped_bit_and_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shard.safetensors"
    write_arrays(path, ARRAYS)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"shard\.safetensors"):
            read_arrays(path)
    for length in rng.integers(0, len(whole), 50):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match=r"shard\.safetensors"):
            read_arrays(path)


def test_json_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "a": 2}))
    with pytest.raises(DataError, match=r"m\.json: damaged"):
        read_json(path)


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}", "\x00" * 10, "[" * 100_000])
def test_what_is_not_our_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(DataError, match=r"m\.json"):
        read_json(tmp_path / "m.json")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere: there is no such file"):
        read_arrays(tmp_path / "nowhere")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(DataError, match=r"No space left on device.*free some space"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_disk_that_is_really_full_is_a_clear_line(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount a small file system")
    try:
        write_bytes(tmp_path / "small", b"kept")
        with pytest.raises(DataError, match="large: cannot be written"):
            write_bytes(tmp_path / "large", bytes(200_000))
        assert [p.name for p in tmp_path.iterdir()] == ["small"]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_leftovers_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".shard.abc.tmp").write_bytes(b"half")
    (tmp_path / "shard").write_bytes(b"whole")
    remove_leftovers(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["shard"]


def test_two_writers_never_meet(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "x"),
        pytest.raises(DataError, match="another ncs process"),
        locked(tmp_path / "x"),
    ):
        pass
    with locked(tmp_path / "x"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_has_one_lock_whatever_it_is_called(tmp_path: Path) -> None:
    file, link, twin = (tmp_path / name for name in ("file", "link", "twin"))
    link.symlink_to(file)
    with locked(link), pytest.raises(DataError, match="file: another ncs process"), locked(file):
        pass
    file.write_text("x")
    twin.hardlink_to(file)
    with locked(twin), pytest.raises(DataError, match="link: another ncs process"), locked(link):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "link", "twin"]


def test_one_that_waited_for_a_lock_holds_a_lock_that_others_see(tmp_path: Path) -> None:
    path = tmp_path / "x"
    asked, go_on, taken = threading.Event(), threading.Event(), threading.Event()

    def wait() -> None:
        with locked(path, waiting=asked.set):
            taken.set()
            go_on.wait()

    with locked(path):
        thread = threading.Thread(target=wait)
        thread.start()
        asked.wait()
    taken.wait()  # the lock file that it waited at is gone
    try:
        with pytest.raises(DataError, match="another ncs process"), locked(path):
            pass
    finally:
        go_on.set()
        thread.join()
    assert list(tmp_path.iterdir()) == []
