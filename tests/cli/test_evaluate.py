"""ncs evaluate loses nobody's data, and judges a model only in worlds it has seen."""

import time
from pathlib import Path

import pytest
from tests.conftest import PATIENCE, ncs, ncs_process

from ncs.agent import shipped_model
from ncs.cli.main import main
from ncs.evaluation.results import read_results

FEW = ["--objects", "4", "--seeds", "1", "--episodes", "2", "--workers", "1"]


def words(out: Path, *more: object) -> list[str]:
    return ["evaluate", "--out", str(out), *FEW, *map(str, more)]


@pytest.mark.parametrize("content", ["precious", "precious\n", "one\ntwo"])
def test_a_foreign_file_stays_as_it_was(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x"
    path.write_text(content)
    assert main(words(path, "--method", "random")) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert path.read_text() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_finished_run_leaves_its_rows_and_nothing_else(tmp_path: Path) -> None:
    assert main(words(tmp_path / "r", "--method", "random", "--json")) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["r"]
    assert len(read_results(tmp_path / "r")) == 4


@pytest.mark.parametrize(
    ("method", "folder"),
    [("ncs", "blocks-fast-0"), ("mpc", "blocks-fast-0"), ("bc", "rivals/blocks-bc-0")],
)
def test_a_model_of_another_world_is_refused(
    method: str, folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = shipped_model(folder)
    asked = ["--method", method, "--model", model, "--world", "robogym-rearrange"]
    assert main(words(tmp_path / "r", *asked)) == 2
    complaint = "was trained on block-rearrange, not on robogym-rearrange"
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_and_a_link_to_it_are_not_written_at_once(tmp_path: Path) -> None:
    file, link = tmp_path / "r", tmp_path / "link"
    link.symlink_to(file)
    many = ["evaluate", "--method", "random", "--objects", 4, "--seeds", 2, "--workers", 1]
    first = ncs_process(*many, "--out", file, "--batch", 5)
    while not file.exists() and first.poll() is None:
        time.sleep(0.01)
    second = ncs(*many, "--out", link, "--batch", 5)
    out, _ = first.communicate(timeout=PATIENCE)
    assert first.returncode == 0, out
    assert second.returncode == 0 or "another ncs process is writing it" in second.stderr
    assert len(read_results(file)) == 400
