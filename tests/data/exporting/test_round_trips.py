"""What is exported is imported again: to the bit, or to a codec's error."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.data.importing.clips import draw_clips

from ncs.data.buffer import Buffer
from ncs.data.exporting.arrays import export_arrays
from ncs.data.exporting.folder import export_folder
from ncs.data.exporting.lerobot import export_lerobot
from ncs.data.exporting.minari import export_minari
from ncs.data.importing.clip import RawClip, Tally
from ncs.data.importing.lerobot import Columns, filled
from ncs.data.importing.source import open_source
from ncs.data.write import write_buffer, write_clips
from ncs.records import DataError


@pytest.fixture(scope="module")
def buffer(tmp_path_factory: pytest.TempPathFactory) -> Buffer:
    return write_buffer(tmp_path_factory.mktemp("own") / "b", *draw_clips(12))


def read_back(path: Path) -> list[RawClip]:
    clips = list(open_source(path, Columns(), 512).clips)
    assert all(isinstance(clip, RawClip) for clip in clips), clips
    return [clip for clip in clips if isinstance(clip, RawClip)]


def export(kind: str, buffer: Buffer, folder: Path) -> Path:
    if kind == "folder":
        return export_folder(buffer, folder / "clips")
    if kind == "minari":
        return export_minari(buffer, "own/squares-v0", folder)
    if kind == "lerobot":
        return export_lerobot(buffer, folder / "dataset")
    return export_arrays(buffer, folder / f"clips.{kind}")


@pytest.mark.parametrize("kind", ["npz", "safetensors", "minari", "lerobot", "folder"])
def test_nothing_is_lost(kind: str, buffer: Buffer, tmp_path: Path) -> None:
    clips, truth = read_back(export(kind, buffer, tmp_path)), buffer.clips(np.arange(12))
    assert (np.stack([clip.frame for clip in clips]) == truth.frame).all()
    action = np.stack([clip.action for clip in clips])
    if kind == "folder":  # a place is written, a change is read: one rounding
        np.testing.assert_allclose(action, truth.action, atol=1e-7)
    else:
        assert (action == truth.action).all()


def test_a_video_loses_no_more_than_its_codec_does(buffer: Buffer, tmp_path: Path) -> None:
    clips = read_back(export_lerobot(buffer, tmp_path / "dataset", video=True))
    truth = buffer.clips(np.arange(12))
    assert (np.stack([clip.action for clip in clips]) == truth.action).all()
    gap = np.abs(np.stack([clip.frame for clip in clips]).astype(int) - truth.frame)
    assert gap.mean() < 2
    assert np.quantile(gap, 0.99) < 16


def test_an_export_never_overwrites(buffer: Buffer, tmp_path: Path) -> None:
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "precious").write_text("mine")
    with pytest.raises(DataError, match="already exists"):
        export_lerobot(buffer, tmp_path / "dataset")
    (tmp_path / "clips.npz").write_text("mine")
    with pytest.raises(DataError, match="already exists"):
        export_arrays(buffer, tmp_path / "clips.npz")
    with pytest.raises(DataError, match="is not empty"):
        export_folder(buffer, tmp_path / "dataset")
    assert (tmp_path / "dataset" / "precious").read_text() == "mine"


def test_another_column_is_refused_with_those_there_are(buffer: Buffer, tmp_path: Path) -> None:
    path = export_lerobot(buffer, tmp_path / "dataset")
    with pytest.raises(DataError, match="it has action, episode_index"):
        open_source(path, Columns(picture="observation.images.top"), 512)


def test_a_damaged_video_leaves_its_episodes_out(buffer: Buffer, tmp_path: Path) -> None:
    path = export_lerobot(buffer, tmp_path / "dataset", video=True)
    video = next(path.glob("videos/**/*.mp4"))
    video.write_bytes(video.read_bytes()[:100])
    with pytest.raises(DataError, match="no clip could be taken"):
        write_clips(tmp_path / "b", open_source(path, Columns(), 512).clips, {}, Tally())
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "odd",
    [
        {"total_episodes": "many"}, {"total_episodes": 10**9}, {"features": [1]},
        {"features": {"action": 1, "observation.image": 2}}, {"codebase_version": {}},
        {"features": {"action": {}, "observation.image": {"dtype": "video"}}},
    ],
    ids=str,
)  # fmt: skip
def test_a_description_that_is_odd_is_refused(
    odd: dict[str, object], buffer: Buffer, tmp_path: Path
) -> None:
    path = export_lerobot(buffer, tmp_path / "dataset")
    info = path / "meta" / "info.json"
    info.write_text(json.dumps(json.loads(info.read_text()) | odd))
    with pytest.raises(DataError, match=r"info.json|no clip could be taken|not a table"):
        write_clips(tmp_path / "b", open_source(path, Columns(), 512).clips, {}, Tally())


@pytest.mark.parametrize(
    "place", ["data/*/*.parquet", "meta/episodes/*/*.parquet", "videos/**/*.mp4"]
)
def test_a_pipe_in_a_datasets_place_is_no_endless_read(
    place: str, buffer: Buffer, tmp_path: Path
) -> None:
    path = export_lerobot(buffer, tmp_path / "dataset", video=True)
    (victim,) = path.glob(place)
    victim.unlink()
    os.mkfifo(victim)
    with pytest.raises(DataError, match=r"no regular file|no clip could be taken"):
        write_clips(tmp_path / "b", open_source(path, Columns(), 512).clips, {}, Tally())


def test_the_name_of_a_video_takes_no_formats_but_zeros() -> None:
    parts: dict[str, str | int] = {"video_key": "a", "file_index": 7}
    assert filled("{video_key}/file-{file_index:03d}.mp4", parts) == "a/file-007.mp4"
    odd = "{file_index:99999999999d}{video_key.__class__}{other}"
    assert filled(odd, parts) == odd


def test_a_damaged_minari_dataset_is_read_or_refused(buffer: Buffer, tmp_path: Path) -> None:
    path = export_minari(buffer, "own/squares-v0", tmp_path)
    (file,) = path.rglob("*.hdf5")
    good, refused = file.read_bytes(), 0
    for start in range(0, len(good), len(good) // 40):
        file.write_bytes(good[:start] + b"\xff" * 64 + good[start + 64 :])
        try:
            list(open_source(path, Columns(), 512).clips)
        except DataError:  # nothing else may come out of it
            refused += 1
    assert refused
