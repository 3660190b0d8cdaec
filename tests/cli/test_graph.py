"""ncs graph builds the graph of a model from clips of its own world, and of no other."""

import json
import shutil
from pathlib import Path

import pytest

from ncs.agent import graph_path, shipped_model
from ncs.cli.main import main


def test_a_buffer_of_another_world_is_refused_and_the_graph_stands(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model"
    shutil.copytree(shipped_model("robogym-fast-0"), model)
    before = graph_path(model, "best").read_bytes()
    assert main(["graph", "--model", str(model), "--buffer", str(small_buffer)]) == 2
    complaint = "was trained on robogym-rearrange, not on block-rearrange"
    assert complaint in capsys.readouterr().err
    assert graph_path(model, "best").read_bytes() == before


def test_a_graph_is_built_where_it_is_told_to(
    small_buffer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["graph", "--model", str(shipped_model("blocks-fast-0")), "--buffer", str(small_buffer)]
    words += ["--clips", "40", "--nodes", "16", "--nodes-from-data", "False", "--json"]
    assert main([*words, "--out", str(tmp_path / "g.safetensors")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["clips"], facts["nodes"]) == (40, 16)
    assert [p.name for p in tmp_path.iterdir()] == ["g.safetensors"]
