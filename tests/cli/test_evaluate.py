"""ncs evaluate loses nobody's data, and judges a model only in worlds it has seen."""

import os
import signal
import time
from pathlib import Path

import pytest
from tests.conftest import PATIENCE, ncs_process

from ncs.agent import shipped_model
from ncs.cli.main import main
from ncs.evaluation.results import read_results
from ncs.storage import locked

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


def test_a_file_and_a_link_to_it_are_not_written_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, link, name = tmp_path / "r", tmp_path / "link", tmp_path / "second-name"
    assert main(words(file, "--method", "random")) == 0
    link.symlink_to(file)
    name.hardlink_to(file)
    with locked(file):
        for other in (file, link, name):
            assert main(words(other, "--method", "random", "--seeds", 2)) == 2
            assert "another ncs process is writing it" in capsys.readouterr().err
    assert main(words(link, "--method", "random", "--seeds", 2)) == 0
    assert len(read_results(file)) == 8


SLOW = """
import os, pathlib, time
class Slow:
    def begin(self, seed_B): pass
    def act(self, image_BHWC, goal_BHWC, lane_B):
        pathlib.Path("at-work", str(os.getpid())).touch()
        time.sleep(3600)
def make(facts): return Slow()
"""


@pytest.mark.parametrize(
    ("workers", "number", "to_all", "code"),
    [
        (1, signal.SIGINT, True, 130),
        (2, signal.SIGINT, True, 130),
        (2, signal.SIGTERM, False, 143),
        (2, signal.SIGTERM, True, 143),
    ],
)
def test_a_signal_ends_it_with_one_line_and_nobody_is_left(
    workers: int, number: int, to_all: bool, code: int, tmp_path: Path
) -> None:
    (tmp_path / "slow_policy.py").write_text(SLOW)
    (tmp_path / "at-work").mkdir()
    asked = ["--method", "slow_policy:make", "--objects", 4, "--seeds", 1, "--batch", 50]
    run = ncs_process("evaluate", "--out", "r", *asked, "--workers", workers, cwd=tmp_path)
    while len(players := list((tmp_path / "at-work").iterdir())) < workers and run.poll() is None:
        time.sleep(0.05)
    (os.killpg if to_all else os.kill)(run.pid, number)
    _, error = run.communicate(timeout=PATIENCE)
    assert run.returncode == code, error
    assert error == "ncs evaluate: stopped; the same command goes on from here\n"
    pids = [int(player.name) for player in players]
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.05)
    assert not list(tmp_path.glob(".*.lock"))
