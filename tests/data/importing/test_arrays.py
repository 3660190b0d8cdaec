import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tests.data.importing.clips import draw_clips

from ncs.data.importing.arrays import open_arrays
from ncs.data.importing.clip import RawClip
from ncs.records import DataError


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_arrays_come_back_to_the_bit(tmp_path: Path, ending: str) -> None:
    frame, action = draw_clips(3)
    path = tmp_path / f"clips.{ending}"
    if ending == "npz":
        np.savez_compressed(path, frame=frame, action=action, other=np.zeros(3))
    else:
        save_file({"frame": frame, "action": action}, path)
    source = open_arrays(path)
    assert source.total == 3
    for number, clip in enumerate(source.clips):
        assert isinstance(clip, RawClip)
        assert (clip.frame == frame[number]).all()
        assert (clip.action == action[number]).all()


def test_sixteen_bits_and_floats_become_bytes(tmp_path: Path) -> None:
    frame, action = draw_clips(1)
    for values in (frame.astype(np.uint16) * 257, frame / np.float32(255)):
        np.savez(tmp_path / "clips.npz", frame=values, action=action)
        clip = next(open_arrays(tmp_path / "clips.npz").clips)
        assert isinstance(clip, RawClip)
        assert (clip.frame == frame[0]).all()


@pytest.mark.parametrize(
    ("arrays", "line"),
    [
        ({"frame": np.zeros((1, 3, 36, 48, 3), np.uint8)}, "has no array 'action'"),
        ({"frame": np.zeros((3, 36, 48, 3)), "action": np.zeros((1, 2, 6))}, "must be"),
        (
            {"frame": np.zeros((1, 3, 36, 48, 3), np.uint8), "action": np.zeros((1, 3, 6))},
            r"must be \(1, 2, 6\)",
        ),
    ],
)
def test_wrong_arrays_are_refused_by_name(
    tmp_path: Path, arrays: dict[str, np.ndarray], line: str
) -> None:
    np.savez(tmp_path / "clips.npz", **arrays)
    with pytest.raises(DataError, match=line):
        open_arrays(tmp_path / "clips.npz")


@pytest.mark.parametrize("odd", [np.nan, np.inf, -0.5, 2.0])
def test_frames_of_other_numbers_are_refused(tmp_path: Path, odd: float) -> None:
    frame, action = draw_clips(1)
    for values in (np.full(frame.shape, odd), np.where(frame > 128, odd, 0.5)):
        np.savez(tmp_path / "clips.npz", frame=values, action=action)
        with pytest.raises(DataError, match=r"^frame: holds .*give bytes, 16 bits, or \[0, 1\]"):
            next(open_arrays(tmp_path / "clips.npz").clips)


def test_python_objects_are_never_read(tmp_path: Path) -> None:
    frame, _ = draw_clips(1)
    objects = np.array([print, None], dtype=object)
    np.savez(tmp_path / "clips.npz", frame=frame, action=objects)
    with pytest.raises(DataError, match="Python objects"):
        open_arrays(tmp_path / "clips.npz")


def test_a_zip_bomb_is_refused_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("frame", "action"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                for _ in range(64):
                    file.write(bytes(1 << 20))
    with pytest.raises(DataError, match="would unpack to"):
        open_arrays(path)


@pytest.mark.parametrize("name", ["clips.npz", "clips.safetensors"])
def test_what_is_no_such_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK not really")
    with pytest.raises(DataError, match=name):
        open_arrays(tmp_path / name)
