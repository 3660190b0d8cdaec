"""ncs train: flags become settings, endings become exit codes."""

import json
import math
import signal
import time
from pathlib import Path

import pytest
from tests.conftest import PATIENCE, ncs_process

from ncs.cli.main import main
from ncs.training.checkpoint import load_model, read_config
from ncs.training.learner import Learner

SMALL = ("--batch", "2", "--threads", "1", "--settings", "holdout_clips=1", "picture_clips=0")


@pytest.fixture(scope="module")
def trained(small_buffer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of three steps."""
    out = tmp_path_factory.mktemp("trained") / "model"
    words = ["train", "--buffer", small_buffer, "--out", out, "--steps", 3, *SMALL, "average=0.9"]
    assert main([str(word) for word in words]) == 0
    return out


def test_flags_and_settings_win_over_the_preset(trained: Path) -> None:
    config = read_config(trained)
    assert (config.model, config.steps, config.batch) == ("touched", 3, 2)
    assert (config.average, config.holdout_clips) == (0.9, 1)
    load_model(trained)


def test_a_finished_run_is_not_trained_over(
    trained: Path, small_buffer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "--buffer", small_buffer, "--out", trained, "--steps", 3, *SMALL]
    assert main([str(word) for word in words]) == 2
    error = capsys.readouterr().err
    assert "holds a run at step 3; go on with --resume" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--settings", "network.colour=3"], "network.colour: there is no such setting"),
        (["--settings", "network.a.b=3"], "network.a.b: there is no such setting"),
        (["--settings", "steps"], "settings: must be NAME=VALUE, got 'steps'"),
        (["--batch", "3", "--settings", "shards=2"], "shards: must divide batch 3"),
        ([], "out: name a folder"),
    ],
)
def test_bad_settings_are_one_line_and_exit_code_2(
    words: list[str], complaint: str, small_buffer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--buffer", str(small_buffer), *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_an_estimate_lists_time_memory_and_parameters(
    small_buffer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "--buffer", str(small_buffer), "--estimate", "--json", *SMALL]
    assert main(words) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["seconds"] == pytest.approx(facts["steps"] * facts["seconds_per_step"])
    assert facts["memory_bytes"] > 0
    assert sum(facts["parameters"].values()) > 1000


def test_a_run_that_diverges_ends_with_the_reason_and_exit_code_2(
    small_buffer: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Learner, "gradient", lambda *_: {"loss": math.nan})
    # The estimate takes steps as well.
    monkeypatch.setattr("ncs.training.estimate.estimate", lambda *_, **_more: None)
    monkeypatch.setattr("ncs.training.estimate.describe", lambda _: "a while")
    words = ["train", "--buffer", small_buffer, "--out", tmp_path, "--steps", 50, *SMALL]
    assert main([str(word) for word in words]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("ncs train: step 0: the loss is nan")


def test_sigterm_writes_a_checkpoint_and_ends_with_143(small_buffer: Path, tmp_path: Path) -> None:
    words = ["train", "--buffer", small_buffer, "--out", tmp_path / "run", *SMALL, "log_every=1"]
    process = ncs_process(*words)
    metrics = tmp_path / "run" / "metrics.jsonl"
    while process.poll() is None and not (metrics.exists() and '"loss":' in metrics.read_text()):
        time.sleep(0.1)
    while process.poll() is None and metrics.read_text().count("\n") < 3:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    out, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143, error
    assert "ended by SIGTERM, go on with --resume" in out
    load_model(tmp_path / "run")
