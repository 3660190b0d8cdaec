"""ncs calibrate makes a model of another world out of one that is trained, and trains nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

from ncs.agent import Agent, shipped_model
from ncs.cli.main import main
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.envs import make_env
from ncs.training.checkpoint import load_model, read_manifest


@pytest.fixture(scope="module")
def tilted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty clips from a slanted camera."""
    folder = tmp_path_factory.mktemp("tilted") / "buffer"
    config = CollectConfig(world="robogym-rearrange", style="tilt", episodes=20)
    for _ in collect(make_env, config, folder):
        pass
    return folder


def test_a_slanted_camera_is_learned_from_fifty_moves(
    tilted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model"
    words = ["calibrate", "--model", shipped_model("robogym-fast-0"), "--buffer", tilted]
    words += ["--moves", "50", "--out", out, "--json"]
    assert main([str(word) for word in words]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["clips"], facts["moves"]) == (13, 52)
    assert facts["things_seen"] > 0.9
    buffer = open_buffer(tilted)
    assert read_manifest(out)["buffer"]["hash"] == buffer.hash
    env = make_env("robogym-rearrange", n_objects=4, style="tilt")
    observation, _ = env.reset(seed=5)
    decision = Agent.load(out).act(observation["image"], observation["goal"])
    place = env.truth().position[:, :2]
    assert np.linalg.norm(place - decision.action[:2], axis=1).min() < 0.05
    assert main([str(word) for word in words]) == 2
    assert "holds a run" in capsys.readouterr().err


def test_each_buffer_of_several_keeps_its_own_measures(
    small_buffer: Path, tilted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, own = tmp_path / "both", tmp_path / "own"
    words = ["train", "--buffer", small_buffer, tilted, "--out", out, "--steps", "2"]
    words += ["--batch", "2", "--threads", "1", "--settings", "holdout_clips=1", "picture_clips=0"]
    assert main([str(word) for word in words]) == 0
    both = load_model(out)
    kept = both.get_submodule("kept.1").state_dict()
    assert not np.allclose(
        kept["to_pixel"], both.get_submodule("measures").state_dict()["to_pixel"]
    )
    words = ["calibrate", "--model", out, "--buffer", tilted, "--out", own]
    main([str(word) for word in words])
    model = load_model(own)
    for name, value in model.get_submodule("measures").state_dict().items():
        assert np.array_equal(value, kept[name]), name
    assert read_manifest(own)["buffer"]["world"] == "robogym-rearrange"
    assert "as it was trained there" in capsys.readouterr().out


def test_a_model_that_cannot_be_calibrated_says_so(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["calibrate", "--model", shipped_model("blocks-cpu-0"), "--buffer", small_buffer]
    assert main([str(word) for word in [*words, "--out", tmp_path / "m"]]) == 2
    assert "holds dslate, which cannot be calibrated; train it" in capsys.readouterr().err
