"""ncs train-rival: a policy from a buffer, and its way to the judge."""

import json
from pathlib import Path

import pytest

from ncs.cli.main import main
from ncs.cli.train_rival import TrainRival
from ncs.data.buffer import open_buffer
from ncs.training.checkpoint import read_config

SMALL = ("--steps", "2", "--batch", "4", "--threads", "1", "--settings", "holdout_clips=2")


@pytest.fixture(scope="module")
def trained(small_buffer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """BC of two steps."""
    out = tmp_path_factory.mktemp("rival") / "bc"
    words = ["--method", "bc", "--buffer", small_buffer, "--out", out, "--seed", 3, *SMALL]
    assert main(["train-rival", *(str(word) for word in words)]) == 0
    return out


def test_a_run_leaves_a_policy_a_checkpoint_and_its_figures(trained: Path) -> None:
    config = read_config(trained)
    assert (config.model, config.steps, config.seed, config.holdout_clips) == ("bc", 2, 3, 2)
    assert (trained / "policy.safetensors").exists()
    rows = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    assert any("holdout" in row for row in rows)


def test_a_finished_run_is_not_trained_over(
    trained: Path, small_buffer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--method", "bc", "--buffer", str(small_buffer), "--out", str(trained), *SMALL]
    assert main(["train-rival", *words]) == 2
    assert "holds a run at step 2; go on with --resume" in capsys.readouterr().err


def test_the_paper_preset_has_the_numbers_of_jaxrl2(small_buffer: Path) -> None:
    command = TrainRival(method="iql", buffer=small_buffer, out=Path("none"), preset="paper")
    config = command.resolve(open_buffer(small_buffer, verify=False))
    assert (config.steps, config.batch) == (500_000, 256)
    network = config.network.model_dump()
    numbers = {"expectile": 0.7, "temperature": 3.0, "discount": 0.99, "follow": 0.005}
    numbers |= {"rate": 3e-4, "latent": 50, "crop_pad": 4, "squash": False}
    assert {name: network[name] for name in numbers} == numbers
    assert (network["low"], network["high"]) == ((-0.4, -0.4), (0.4, 0.4))
    assert network["height"] == pytest.approx(0.08)


def test_the_judge_plays_the_policy_and_rows_carry_its_hash(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ncs.baselines.rival import load_policy

    out = tmp_path / "results.jsonl"
    few = ["--split", "dev", "--objects", "4", "--seeds", "1", "--episodes", "2", "--workers", "1"]
    words = ["evaluate", "--model", str(trained), "--out", str(out), *few]
    assert main([*words, "--method", "bc"]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 4
    assert {row["weights"] for row in rows} == {load_policy(trained).checkpoint}
    assert {row["method"] for row in rows} == {"bc"}
    capsys.readouterr()
    assert main([*words, "--method", "iql"]) == 2
    assert "is a policy of bc, not of iql" in capsys.readouterr().err
    assert main([*words, "--method", "bc", "--only", "presence"]) == 2
    assert "bc takes no only" in capsys.readouterr().err
    assert main([*words, "--method", "bc", "--world", "robogym-rearrange"]) == 2
    assert "was trained on block-rearrange" in capsys.readouterr().err


def test_bad_settings_are_one_line_and_exit_code_2(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train-rival", "--method", "bc", "--buffer", str(small_buffer)]
    words += ["--out", str(tmp_path / "none"), "--settings"]
    for setting, complaint in (
        ("network.colour=3", "network.colour: there is no such setting"),
        ("network.latent=0", "network.latent"),
        ("steps", "settings: must be NAME=VALUE"),
    ):
        assert main([*words, setting]) == 2
        error = capsys.readouterr().err
        assert complaint in error
        assert error.count("\n") == 1
