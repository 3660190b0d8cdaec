"""The reader gives clips by number, has no door to the truth, and refuses damage by name."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ncs.data.buffer import clip_shard, open_buffer, open_truth, truth_shard
from ncs.envs import make_env
from ncs.records import DataError
from ncs.storage import read_arrays, read_json, write_json


@pytest.fixture
def copy(small_buffer: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_buffer, tmp_path / "copy"))


def test_clips_come_by_number_in_any_order_and_more_than_once(small_buffer: Path) -> None:
    buffer = open_buffer(small_buffer)
    first, _ = read_arrays(small_buffer / clip_shard(0))
    second, _ = read_arrays(small_buffer / clip_shard(1))
    clips = buffer.clips(np.array([129, 0, 100, 0]))
    np.testing.assert_array_equal(clips.frame[0], second["frame"][29])
    np.testing.assert_array_equal(clips.frame[1], first["frame"][0])
    np.testing.assert_array_equal(clips.action[2], second["action"][0])
    np.testing.assert_array_equal(clips.frame[3], clips.frame[1])
    assert clips.frame.shape == (4, 5, 64, 64, 3)
    assert (clips.frame.dtype, clips.action.dtype) == (np.uint8, np.float32)


def test_the_reader_for_training_has_no_ground_truth(small_buffer: Path) -> None:
    for index in range(2):
        (arrays, _) = read_arrays(small_buffer / clip_shard(index))
        assert arrays.keys() == {"frame", "action"}


def test_the_buffer_opens_without_its_truth(copy: Path) -> None:
    for path in copy.glob("truth-*"):
        path.unlink()
    assert len(open_buffer(copy)) == 130


def test_a_clip_can_be_played_again_to_the_pixel(small_buffer: Path) -> None:
    buffer, truth = open_buffer(small_buffer), open_truth(small_buffer)
    env = make_env("block-rearrange", goal="none")
    for number in (0, 77, 129):
        clip = buffer.clips(np.array([number]))
        observation, _ = env.reset(options={"task": truth.task(number)})
        np.testing.assert_array_equal(observation["image"], clip.frame[0, 0])
        for step, action in enumerate(clip.action[0]):
            observation = env.step(action)[0]
            np.testing.assert_array_equal(observation["image"], clip.frame[0, step + 1])


@pytest.mark.parametrize("name", [clip_shard(1), truth_shard(0)])
def test_a_flipped_bit_is_refused_by_name(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 4
    (copy / name).write_bytes(data)
    opener = open_buffer if name.startswith("clips") else open_truth
    with pytest.raises(DataError, match=f"{name}: damaged.*'ncs collect' again"):
        opener(copy)


def test_a_truncated_or_missing_shard_is_refused_by_name(copy: Path) -> None:
    path = copy / clip_shard(0)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=clip_shard(0)):
        open_buffer(copy)
    path.unlink()
    with pytest.raises(DataError, match=f"{clip_shard(0)}: there is no such file"):
        open_buffer(copy)


def test_a_manifest_that_points_outside_is_refused(copy: Path) -> None:
    manifest = read_json(copy / "manifest.json")
    manifest["shards"][0]["name"] = "../clips-00000.safetensors"
    write_json(copy / "manifest.json", manifest)
    with pytest.raises(DataError, match="names a file outside its folder"):
        open_buffer(copy)


def test_an_unfinished_or_foreign_folder_is_refused(tmp_path: Path, copy: Path) -> None:
    with pytest.raises(DataError, match="holds no finished buffer"):
        open_buffer(tmp_path)
    content = json.loads((copy / "manifest.json").read_text())
    content.pop("checksum")
    write_json(copy / "manifest.json", {**content, "format": 99})
    with pytest.raises(DataError, match="format 99, this ncs reads 1"):
        open_buffer(copy)
