"""ncs slots: from a model and a buffer to a report."""

import json
from pathlib import Path

import numpy as np
import pytest

from ncs.cli.main import main
from ncs.data.buffer import open_buffer, open_truth
from ncs.health.guides import GUIDES
from ncs.health.scenes import play, replay
from ncs.storage import read_json


def ignore(done: int) -> None:
    """Progress nobody watches."""


@pytest.fixture(scope="module")
def trained(small_buffer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two steps."""
    out = tmp_path_factory.mktemp("seen") / "model"
    words = ["train", "--buffer", small_buffer, "--out", out, "--steps", 2, "--batch", 2]
    words += ["--threads", 1, "--settings", "holdout_clips=1", "picture_clips=0"]
    assert main([str(word) for word in words]) == 0
    return out


def test_a_replay_shows_the_objects_where_they_were(small_buffer: Path) -> None:
    buffer, truth = open_buffer(small_buffer), open_truth(small_buffer)
    index = np.array([3, 128])
    scenes = replay(small_buffer, buffer, index, ignore)
    assert scenes.segment.shape == (2, 5, 64, 64)
    for b, number in enumerate(index.tolist()):
        assert (scenes.moved[b] == truth.moved(number)).all()
        for t in range(4):
            changed = set(np.unique(scenes.segment[b, t][scenes.segment[b, t] != 0]))
            assert changed == {1, 2, 3, 4}
            before, after = scenes.segment[b, t : t + 2]
            moved = {n for n in range(4) if ((before == n + 1) != (after == n + 1)).any()}
            assert moved == {int(scenes.moved[b, t])}


def test_fresh_scenes_have_the_number_asked_for_and_depend_on_the_seed_alone() -> None:
    one, two = (play("block-rearrange", 7, 2, seed, ignore) for seed in (0, 0))
    assert one.colour.shape == (2, 7, 3)
    assert (one.clips.frame == two.clips.frame).all()
    assert (one.segment == two.segment).all()
    other = play("block-rearrange", 7, 2, 1, ignore)
    assert (one.clips.frame != other.clips.frame).any()


def test_the_report_has_every_figure_for_every_number_of_objects(
    trained: Path, small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["slots", "--model", trained, "--buffer", small_buffer, "--clips", 2]
    words += ["--objects", 4, 6, "--matching", "plain", "--out", tmp_path, "--json"]
    assert main([str(word) for word in words]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == read_json(tmp_path / "health.json")
    assert [report["objects"] for report in facts["reports"]] == [4, 6]
    for report in facts["reports"]:
        assert set(report["figures"]) == set(GUIDES)
        assert len(report["share"]) == report["slots"]
    page = (tmp_path / "health.html").read_text()
    assert page.count("data:image/png;base64,") == 2


def test_a_folder_without_a_model_is_one_line(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["slots", "--model", str(tmp_path), "--buffer", str(small_buffer)]) == 2
    error = capsys.readouterr().err
    assert "holds no trained model" in error
    assert error.count("\n") == 1
