"""ncs graph, ncs solve and ncs evaluate with a model that learned."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ncs.agent import graph_path, shipped_model
from ncs.cli.main import main
from ncs.evaluation.results import read_results

FOLDER = shipped_model("blocks-fast-0")


def test_solve_leaves_a_gif_a_strip_and_a_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["solve", "--model", str(FOLDER), "--objects", "4", "--goal", "partial", "--seed", "3"]
    assert main([*words, "--out", str(tmp_path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["solved"]
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert len(trace["steps"]) == facts["steps"]
    assert all(step["reason"] and len(step["action"]) == 6 for step in trace["steps"])
    assert trace["command"].startswith("ncs solve --world block-rearrange")
    with Image.open(tmp_path / "solve.gif") as gif:
        assert gif.n_frames == facts["steps"] + 1  # type: ignore[attr-defined]
    with Image.open(tmp_path / "strip.png") as strip:
        assert strip.height > 250 * facts["steps"]


@pytest.mark.parametrize("command", ["solve", "act", "serve"])
def test_a_model_of_another_world_is_refused(
    command: str,
    two_pictures: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    now, goal = map(str, two_pictures)
    words = {
        "solve": ["--out", str(tmp_path)],
        "act": ["--now", now, "--goal", goal],
        "serve": ["--port", "0"],
    }
    pair = ["--model", str(FOLDER), "--world", "robogym-rearrange"]
    assert main([command, *pair, *words[command]]) == 2
    complaint = "was trained on block-rearrange, not on robogym-rearrange"
    assert complaint in capsys.readouterr().err


@pytest.fixture
def two_pictures(tmp_path: Path) -> tuple[Path, Path]:
    from ncs.envs import make_env

    observation, _ = make_env("block-rearrange").reset(seed=1)
    paths = (tmp_path / "now.png", tmp_path / "goal.png")
    for path, name in zip(paths, ("image", "goal"), strict=True):
        Image.fromarray(observation[name]).save(path)
    return paths


def test_two_pictures_give_the_first_action(
    two_pictures: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now, goal = map(str, two_pictures)
    words = ["solve", "--model", str(FOLDER), "--image", now, "--goal-image", goal, "--json"]
    assert main([*words, "--objects", "4", "--out", str(tmp_path / "out")]) == 0
    assert json.loads(capsys.readouterr().out)["purpose"] == "constraint"


def test_bad_pictures_are_refused_by_name(
    two_pictures: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now, bad = str(two_pictures[0]), tmp_path / "bad.png"
    Image.fromarray(np.zeros((32, 32, 3), np.uint8)).save(bad)
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    text = tmp_path / "bad.txt"
    text.write_text("not a picture")
    cases = {bad: "32 x 32 pixels, must be 64 x 64", text: "is not a PNG, JPEG or WebP picture"}
    cases |= {pipe: "is no regular file", tmp_path / "gone.png": "no such file"}
    for path, complaint in cases.items():
        words = ["solve", "--model", str(FOLDER), "--image", now, "--goal-image", str(path)]
        assert main([*words, "--out", str(tmp_path / "o")]) == 2
        err = capsys.readouterr().err
        assert complaint in err
        assert path.name in err
    assert main(["solve", "--model", str(FOLDER), "--image", now]) == 2
    assert "give both or neither" in capsys.readouterr().err


def test_graph_evaluate_inspect_in_a_row(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("graph-*", "sets-*"))
    words = ["graph", "--model", str(folder), "--buffer", str(small_buffer), "--json"]
    assert main([*words, "--clips", "60", "--preset", "paper"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert 16 <= facts["nodes"] <= 30  # cells whose masks are alike share a node
    assert facts["transitions"] == 240
    assert main(["inspect", str(graph_path(folder, "paper")), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "graph"
    assert Path(facts["picture"]).exists()
    assert main(["inspect", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "model"
    rows = tmp_path / "r.jsonl"
    few = ["--objects", "4", "--seeds", "1", "--episodes", "2", "--workers", "1"]
    common = [*few, "--model", str(folder), "--split", "dev", "--preset", "paper"]
    common += ["--out", str(rows)]
    for method in ("ncs", "nf"):
        assert main(["evaluate", "--method", method, *common]) == 0
    assert main(["evaluate", "--method", "ncs", *common, "--only", "composed"]) == 0
    results = read_results(rows)
    assert [r.method for r in results] == ["ncs"] * 4 + ["nf"] * 4 + ["ncs"] * 4
    ours, theirs = ({r.checkpoint for r in results if r.method == m} for m in ("ncs", "nf"))
    assert len(ours) == len(theirs) == 1
    assert theirs.pop().startswith(f"{ours.pop()}+")  # NF's sets count too
    assert len({r.config for r in results}) == 3


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--method", "bc"], "model: bc needs one"),
        (["--method", "random", "--model", "x"], "random takes no model"),
        (["--method", "ncs", "--model", "missing"], "missing"),
        (["--method", "ncs", "--model", str(FOLDER), "--without", "magic"], "no extension 'magic'"),
    ],
)
def test_bad_requests_are_one_line(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *words, "--out", str(tmp_path / "r")]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1
