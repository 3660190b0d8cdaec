"""A buffer holds what the spec says, the same bytes however it was made."""

import filecmp
import shutil
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from ncs.data.buffer import SHARD_CLIPS, clip_shard, open_buffer, open_truth, truth_shard
from ncs.data.collect import CollectConfig, Explorer, collect
from ncs.envs import make_env
from ncs.envs.blocks.tasks import cell_centres
from ncs.records import ConfigError, DataError, Env
from ncs.storage import read_arrays, read_json, write_arrays, write_json


def fill(folder: Path, workers: int = 1, **settings: int) -> Path:
    config = CollectConfig(world="block-rearrange", **{"episodes": 130, **settings})
    for _ in collect(make_env, config, folder, workers):
        pass
    return folder


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))


def assert_same_bytes(one: Path, other: Path) -> None:
    assert files(one) == files(other)
    _, differ, errors = filecmp.cmpfiles(one, other, files(one), shallow=False)
    assert (differ, errors) == ([], [])


def test_every_object_moves_once_by_an_exact_pick_to_a_free_cell(small_buffer: Path) -> None:
    buffer, truth = open_buffer(small_buffer), open_truth(small_buffer)
    orders = set()
    for number in range(len(buffer)):
        action = buffer.clips(np.array([number])).action[0]
        position, moved = truth.position(number), truth.moved(number)
        assert sorted(moved.tolist()) == [0, 1, 2, 3]
        orders.add(tuple(moved.tolist()))
        for step, index in enumerate(moved):
            before, after = position[step], position[step + 1]
            np.testing.assert_allclose(action[step, :3], before[index], atol=1e-6)
            np.testing.assert_allclose(action[step, 3:], after[index] - before[index], atol=1e-6)
            unmoved = np.delete(np.arange(4), index)
            np.testing.assert_array_equal(before[unmoved], after[unmoved])
            occupied = {tuple(np.round(p, 3)) for p in before[:, :2]}
            assert tuple(np.round(after[index, :2], 3)) not in occupied
    assert len(orders) == 24, "the order of moves should be random"


def test_a_world_may_say_what_goes_first_and_the_truth_says_so() -> None:
    class Pile:
        def first_of(self, left: list[int], rng: np.random.Generator) -> int:
            return max(left)

        def random_move(self, index: int, rng: np.random.Generator) -> NDArray[np.float32]:
            return np.full(6, index, np.float32)

    explorer = Explorer([cast(Env, Pile())], 3)
    explorer.begin([[0]])
    nothing = np.zeros((1, 1, 1, 3), np.uint8)
    picked = [int(explorer.act(nothing, nothing, [0])[0, 0]) for _ in range(3)]
    assert explorer.orders[0].tolist() == picked == [2, 1, 0]


def test_places_are_spread_over_all_cells(small_buffer: Path) -> None:
    truth = open_truth(small_buffer)
    positions = np.concatenate([truth.position(i)[-1, :, :2] for i in range(len(truth))])
    distance = np.linalg.norm(positions[:, None] - cell_centres()[None], axis=-1)
    counts = np.bincount(distance.argmin(axis=1), minlength=16)
    assert (counts > 10).all()


def test_any_number_of_workers_makes_the_same_bytes(small_buffer: Path, tmp_path: Path) -> None:
    assert_same_bytes(small_buffer, fill(tmp_path / "two", workers=2))


def test_another_seed_makes_other_clips(small_buffer: Path, tmp_path: Path) -> None:
    other = open_buffer(fill(tmp_path / "other", episodes=20, seed=1))
    first = np.arange(20)
    same = open_buffer(small_buffer).clips(first).frame == other.clips(first).frame
    assert not same.all(axis=(1, 2, 3, 4)).any()
    assert other.hash != open_buffer(small_buffer).hash


def test_a_longer_buffer_begins_with_the_shorter_one(small_buffer: Path, tmp_path: Path) -> None:
    short = open_buffer(fill(tmp_path / "short", episodes=30))
    first = np.arange(30)
    np.testing.assert_array_equal(
        short.clips(first).frame, open_buffer(small_buffer).clips(first).frame
    )


def test_missing_and_damaged_shards_are_made_again(small_buffer: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(small_buffer, tmp_path / "copy"))
    (copy / clip_shard(0)).unlink()
    damaged = bytearray((copy / clip_shard(1)).read_bytes())
    damaged[5000] ^= 1
    (copy / clip_shard(1)).write_bytes(damaged)
    (copy / ".clips-00000.safetensors.x.tmp").write_bytes(b"half")
    assert_same_bytes(small_buffer, fill(copy))
    assert not list(copy.glob(".*.tmp"))


def test_a_folder_with_other_settings_is_refused_and_left_alone(small_buffer: Path) -> None:
    with pytest.raises(DataError, match=r"holds another buffer .*seed 0 not 5.*another --out"):
        fill(small_buffer, seed=5)
    open_buffer(small_buffer)


def test_a_folder_with_foreign_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("words")
    with pytest.raises(DataError, match=r"is not empty and holds no buffer .*thesis\.tex"):
        fill(tmp_path)
    assert files(tmp_path) == ["thesis.tex"]


@pytest.mark.parametrize("setting", [{"episodes": 0}, {"objects": 13}, {"seed": -1}])
def test_settings_out_of_range_are_refused(setting: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=next(iter(setting))):
        CollectConfig(world="block-rearrange", **setting)


def test_shards_hold_a_hundred_clips(small_buffer: Path) -> None:
    shards = open_buffer(small_buffer).manifest["shards"]
    assert [s["clips"] for s in shards if s["name"].startswith("clips")] == [SHARD_CLIPS, 30]


def test_a_style_shows_in_the_scenes_and_in_the_manifest_and_none_leaves_no_trace(
    tmp_path: Path,
) -> None:
    plain = fill(tmp_path / "plain", episodes=3)
    near = fill(tmp_path / "near", episodes=3, style="lookalike")  # type: ignore[arg-type]
    assert "style" not in open_buffer(plain).manifest
    assert open_buffer(near).manifest["style"] == "lookalike"
    spread = [np.ptp(open_truth(folder).colour(0), axis=0).max() for folder in (plain, near)]
    assert spread[1] < 0.2 < spread[0]


def test_hard_clips_are_the_same_bytes_whoever_makes_them_and_keep_their_look(
    tmp_path: Path,
) -> None:
    settings = {"episodes": 102, "objects": 2, "style": "real"}
    one = fill(tmp_path / "one", **settings)  # type: ignore[arg-type]
    two = fill(tmp_path / "two", workers=2, **settings)  # type: ignore[arg-type]
    assert_same_bytes(one, two)
    scene = read_arrays(one / truth_shard(0))[0]
    looks = scene["scene/look"]
    assert len(np.unique(looks[:, 0, 1])) == len(looks)
    assert "scene/edge" in scene


def test_a_buffer_of_a_style_is_not_taken_for_a_plain_one(tmp_path: Path) -> None:
    styled = fill(tmp_path / "styled", episodes=3, style="lookalike")  # type: ignore[arg-type]
    before = (styled / "manifest.json").read_bytes()
    with pytest.raises(DataError, match=r"holds another buffer \(style lookalike not none\)"):
        fill(styled, episodes=3)
    assert (styled / "manifest.json").read_bytes() == before


def test_an_unfinished_buffer_of_a_style_is_not_finished_as_a_plain_one(tmp_path: Path) -> None:
    config = CollectConfig(world="block-rearrange", episodes=120, style="lookalike")
    unfinished = collect(make_env, config, tmp_path)
    next(unfinished)
    unfinished.close()
    with pytest.raises(DataError, match=r"style lookalike not none"):
        fill(tmp_path, episodes=120)


def test_a_style_that_the_world_refuses_leaves_no_claim(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="style"):
        fill(tmp_path / "new", episodes=3, style="baroque")  # type: ignore[arg-type]
    fill(tmp_path / "new", episodes=3)


def swap(folder: Path) -> None:
    one, two = folder / clip_shard(0), folder / clip_shard(1)
    one.rename(folder / "aside")
    two.rename(one)
    (folder / "aside").rename(two)


def test_swapped_shards_are_made_again(tmp_path: Path) -> None:
    whole = fill(tmp_path / "whole", episodes=200, objects=2)
    for name in ("finished", "unfinished"):
        copy = Path(shutil.copytree(whole, tmp_path / name))
        swap(copy)
        if name == "unfinished":
            unfinish(copy)
        assert_same_bytes(whole, fill(copy, episodes=200, objects=2))


def unfinish(folder: Path) -> None:
    """Leaves a folder as a killed run would."""
    manifest = read_json(folder / "manifest.json")
    settings = {key: manifest[key] for key in ("world", "episodes", "objects", "seed")}
    write_json(folder / "collecting.json", settings)
    (folder / "manifest.json").unlink()


def test_shards_of_another_buffer_are_made_again(tmp_path: Path) -> None:
    whole = fill(tmp_path / "whole", episodes=5, objects=2)
    other = fill(tmp_path / "other", episodes=5, objects=2, seed=1)
    for name in ("finished", "unfinished"):
        copy = Path(shutil.copytree(whole, tmp_path / name))
        for shard in (clip_shard(0), truth_shard(0)):
            shutil.copy(other / shard, copy / shard)
        if name == "unfinished":
            unfinish(copy)
        assert_same_bytes(whole, fill(copy, episodes=5, objects=2))


def test_a_buffer_from_before_shards_knew_what_they_are_is_kept_and_mended(tmp_path: Path) -> None:
    folder = fill(tmp_path / "old", episodes=5, objects=2)
    manifest = read_json(folder / "manifest.json")
    for shard in manifest["shards"]:
        arrays = read_arrays(folder / shard["name"])[0]
        shard["sha256"] = write_arrays(folder / shard["name"], arrays, {"clips": 5})
    write_json(folder / "manifest.json", manifest)
    before = Path(shutil.copytree(folder, tmp_path / "before"))
    assert_same_bytes(before, fill(folder, episodes=5, objects=2))
    (folder / clip_shard(0)).unlink()
    assert_same_bytes(before, fill(folder, episodes=5, objects=2))
