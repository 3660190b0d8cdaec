"""ncs slots: from a model and a buffer to a report."""

import json
from pathlib import Path

import numpy as np
import pytest

from ncs.cli.main import main
from ncs.data.write import write_buffer
from ncs.health.guides import GUIDES
from ncs.storage import read_json
from ncs.training.train import train


@pytest.fixture(scope="module")
def trained(small_buffer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two steps."""
    out = tmp_path_factory.mktemp("seen") / "model"
    words = ["train", "--buffer", small_buffer, "--out", out, "--steps", 2, "--batch", 2]
    words += ["--threads", 1, "--settings", "holdout_clips=1", "picture_clips=0"]
    assert main([str(word) for word in words]) == 0
    return out


def test_the_report_has_every_figure_for_every_number_of_objects(
    trained: Path, small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["slots", "--model", trained, "--buffer", small_buffer, "--clips", 2]
    words += ["--objects", 4, 6, "--out", tmp_path, "--json"]
    assert main([str(word) for word in words]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == read_json(tmp_path / "health.json")
    assert [report["objects"] for report in facts["reports"]] == [4, 6]
    for report in facts["reports"]:
        assert set(report["figures"]) == set(GUIDES)
        assert len(report["share"]) == report["slots"]
    page = (tmp_path / "health.html").read_text()
    assert page.count("data:image/png;base64,") == 2


def test_a_buffer_without_ground_truth_and_with_larger_pictures_gets_what_can_be_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.tiny_world import tiny_config

    rng = np.random.default_rng(0)
    frame = rng.integers(256, size=(12, 5, 96, 96, 3), dtype=np.uint8)
    action = rng.normal(size=(12, 4, 6)).astype(np.float32)
    write_buffer(tmp_path / "buffer", frame, action)
    train(tiny_config(steps=1, picture_clips=0), tmp_path / "buffer", tmp_path / "model")
    assert main(["inspect", str(tmp_path / "buffer")]) == 0
    assert "own, 12 clips of 5 frames, imported" in capsys.readouterr().out
    words = ["slots", "--model", tmp_path / "model", "--buffer", tmp_path / "buffer", "--json"]
    assert main([*map(str, words), "--out", str(tmp_path / "out")]) == 0
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert (report["objects"], report["slots"]) == (None, 3)
    assert "sharing" in report["figures"]
    assert "found" not in report["figures"]
    assert main([*map(str, words[:-1])]) == 0
    assert "without ground truth" in capsys.readouterr().out


def test_a_folder_without_a_model_is_one_line(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["slots", "--model", str(tmp_path), "--buffer", str(small_buffer)]) == 2
    error = capsys.readouterr().err
    assert "holds no trained model" in error
    assert error.count("\n") == 1
