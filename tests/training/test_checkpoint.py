"""Checkpoints: round trips, and refusals by name of everything that was tampered with."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.tiny_world import TinyConfig, tiny_config

from ncs.records import DataError
from ncs.storage import read_json, write_arrays, write_json
from ncs.training.checkpoint import (
    Snapshot,
    checkpoint_hash,
    load_model,
    read_checkpoint,
    to_arrays,
    write_checkpoint,
)
from ncs.training.learner import new_model

CONFIG = tiny_config()


def snapshot(step: int = 3, **changes: object) -> Snapshot:
    model = new_model(CONFIG)
    values = {
        "step": step,
        "config": CONFIG,
        "buffer": {"hash": "b", "world": "w", "clips": 1, "objects": 4},
        "weights": to_arrays(model.state_dict()),
        "state": {"adam/x": np.arange(3.0)},
        "notes": {"collapsed_since": 2},
    }
    return Snapshot(**{**values, **changes})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_checkpoint(tmp_path / "model", snapshot())
    return tmp_path / "model"


def test_a_checkpoint_comes_back_as_it_was_written(folder: Path) -> None:
    one, two = snapshot(), read_checkpoint(folder)
    assert (two.step, two.config, two.notes) == (one.step, one.config, one.notes)
    for kind in ("weights", "state"):
        before, after = getattr(one, kind), getattr(two, kind)
        assert set(before) == set(after)
        assert all((before[name] == after[name]).all() for name in before)


def test_a_loaded_model_has_the_weights_and_is_ready_for_use(folder: Path) -> None:
    before = torch.get_rng_state()
    model, fresh = load_model(folder), new_model(CONFIG)
    assert not model.training
    assert torch.equal(torch.get_rng_state(), before)
    for name, tensor in fresh.state_dict().items():
        assert torch.equal(model.state_dict()[name], tensor)  # scalars included


def test_the_next_checkpoint_takes_the_place_of_the_last(folder: Path) -> None:
    (folder / ".weights-00000004.safetensors.x.tmp").touch()
    (folder / "weights-00000099.safetensors").touch()
    write_checkpoint(folder, snapshot(step=4))
    assert sorted(path.name for path in folder.iterdir()) == [
        "model.json",
        "state-00000004.safetensors",
        "weights-00000004.safetensors",
    ]
    assert read_checkpoint(folder).step == 4


def test_weights_alone_are_enough_for_use_but_not_for_training(folder: Path) -> None:
    (folder / "state-00000003.safetensors").unlink()
    load_model(folder)
    with pytest.raises(DataError, match="no optimiser state"):
        read_checkpoint(folder)


def test_any_flipped_bit_or_cut_is_refused_by_name(folder: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        for trial in range(30):
            copy = tmp_path / f"{path.stem}-{trial}"
            shutil.copytree(folder, copy)
            place = int(rng.integers(len(data)))
            if trial % 3:
                bad = bytearray(data)
                bad[place] ^= 1 << int(rng.integers(8))
            else:
                bad = bytearray(data[:place])
            (copy / path.name).write_bytes(bad)
            with pytest.raises(DataError, match=str(copy)):
                read_checkpoint(copy)


def test_the_hash_follows_weights_and_network_only(folder: Path, tmp_path: Path) -> None:
    write_checkpoint(
        tmp_path / "same", snapshot(notes={}, buffer={"world": "other", "hash": "other"})
    )
    assert checkpoint_hash(folder) == checkpoint_hash(tmp_path / "same")
    weights = snapshot().weights
    weights["reader.bias"][0] += 1e-6
    write_checkpoint(tmp_path / "other", snapshot(weights=weights))
    assert checkpoint_hash(folder) != checkpoint_hash(tmp_path / "other")
    path = folder / "weights-00000003.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(DataError, match=path.name):
        checkpoint_hash(folder)


def rewrite(folder: Path, change) -> None:
    """Changes the manifest and gives it a fitting checksum, as a stranger might."""
    manifest = read_json(folder / "model.json")
    change(manifest)
    write_json(folder / "model.json", manifest)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda m: m["files"]["weights"].update(name="../evil"), "outside its folder"),
        (lambda m: m["config"].update(model="os.system"), "there is no 'os.system'"),
        (lambda m: m["config"]["network"].update(depth=2), "network.depth"),
        (lambda m: m["config"]["network"].update(width=-4), "no model can be built"),
        (lambda m: m["config"]["network"].update(width=8), "has shape"),
        (lambda m: m.update(format=2), "format 2"),
        (lambda m: m.update(config=3), "not the manifest"),
        (lambda m: m.pop("files"), "not the manifest"),
    ],
)
def test_a_strangers_manifest_is_checked(folder: Path, change, complaint: str) -> None:
    rewrite(folder, change)
    with pytest.raises(DataError, match=complaint):
        load_model(folder)


def test_weights_of_another_model_are_refused(folder: Path) -> None:
    name = "weights-00000003.safetensors"
    sha256 = write_arrays(folder / name, {"other": np.zeros(3)}, {})
    rewrite(folder, lambda m: m["files"]["weights"].update(sha256=sha256))
    with pytest.raises(DataError, match="does not fit its settings"):
        load_model(folder)


def test_a_folder_without_a_model_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no trained model"):
        load_model(tmp_path)


def test_nothing_in_a_checkpoint_is_pickled(folder: Path) -> None:
    names = {path.suffix for path in folder.iterdir()}
    assert names == {".json", ".safetensors"}
    assert json.loads((folder / "model.json").read_text())["config"]["network"] == (
        TinyConfig().model_dump()
    )
