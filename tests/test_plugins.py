"""A world, a policy and a model from outside the package work, in worker processes too."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PLUGINS = Path(__file__).parent / "plugins"
NAME = "toy-shelf"
ENTRY_POINTS = f"""
[ncs.worlds]
{NAME} = shelf_world:WORLD
[ncs.policies]
still = still_policy:Still
[ncs.models]
small = small_model:MODEL
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the world and the few lines that pip would write about it."""
    folder = tmp_path_factory.mktemp("site")
    for file in PLUGINS.glob("*.py"):
        shutil.copy(file, folder)
    facts = folder / "shelf_world-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf-world\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def ncs(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, which sees the plug-ins."""
    return run(site, "-m", "ncs", *words)


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, which sees the plug-ins."""
    path = os.pathsep.join([str(site), *sys.path])
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def told(site: Path, *words: str) -> dict[str, Any]:
    """What a command says to machines."""
    out = ncs(site, *words, "--json")
    assert out.returncode == 0, out.stderr
    answer: dict[str, Any] = json.loads(out.stdout)
    return answer


@pytest.fixture(scope="module")
def buffer(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "buffer"
    words = ("--out", str(folder), "--episodes", "600", "--objects", "2", "--workers", "2")
    assert told(site, "collect", NAME, *words)["episodes"] == 600
    return folder


def test_its_buffer_is_collected_by_workers_and_read_again(site: Path, buffer: Path) -> None:
    facts = told(site, "inspect", str(buffer))
    assert (facts["world"], facts["episodes"], facts["objects"]) == (NAME, 600, 2)
    assert facts["shards"] > 1  # so that both workers had something to do


@pytest.mark.parametrize("world", [NAME, "shelf_world:WORLD"])
def test_policies_are_judged_in_it_by_workers(site: Path, tmp_path: Path, world: str) -> None:
    rows = tmp_path / "rows.jsonl"
    scores = {}
    for method in ("random", "oracle"):
        words = ("--world", world, "--method", method, "--out", str(rows), "--split", "fresh")
        small = ("--objects", "2", "3", "--seeds", "1", "--episodes", "10", "--workers", "2")
        facts = told(site, "evaluate", *words, *small, "--batch", "5")
        scores[method] = [cell["mean"] for cell in facts["cells"]]
    assert scores["oracle"] == [1.0] * 4  # two goal kinds, two numbers of objects
    assert max(scores["random"]) < 1.0


@pytest.mark.parametrize("method", ["still", "still_policy:Still"])
def test_a_policy_of_a_plug_in_is_judged_by_workers(
    site: Path, tmp_path: Path, method: str
) -> None:
    words = ("--world", NAME, "--method", method, "--split", "fresh", "--objects", "2")
    small = ("--seeds", "1", "--episodes", "10", "--workers", "2", "--batch", "5")
    facts = told(site, "evaluate", *words, *small, "--out", str(tmp_path / "rows"))
    assert [cell["mean"] for cell in facts["cells"]] == [0.0, 0.0]


def test_a_model_of_a_plug_in_is_built_by_its_name(site: Path) -> None:
    code = (
        "from ncs.registry import find_model, names; from ncs.model.build import build_model; "
        "assert 'small' in names('model'); "
        "print(type(build_model('small', find_model('small').config())).__name__)"
    )
    out = run(site, "-c", code)
    assert out.stdout == "Small\n", out.stderr


def test_what_it_does_not_have_is_refused_in_one_line(site: Path, tmp_path: Path) -> None:
    words = ("evaluate", "--world", NAME, "--method", "random", "--out", str(tmp_path / "rows"))
    for wrong, complaint in (
        (("--objects", "4"), f"objects: {NAME} has 1 to 3, got 4"),
        (("--objects", "2", "--style", "neon"), f"{NAME} has no 'neon', choose one of plain, grey"),
        (("--objects", "2", "--split", "test"), f"{NAME} has no frozen test tasks"),
    ):
        out = ncs(site, *words, *wrong)
        assert (out.returncode, out.stderr.count("\n")) == (2, 1), out.stderr
        assert complaint in out.stderr


def test_help_lists_it(site: Path) -> None:
    assert NAME in ncs(site, "collect", "--help").stdout


def test_its_style_can_be_collected(site: Path, tmp_path: Path) -> None:
    words = ("--style", "grey", "--episodes", "4", "--objects", "2", "--workers", "1")
    facts = told(site, "collect", NAME, "--out", str(tmp_path / "grey"), *words)
    assert facts["episodes"] == 4


def test_tasks_frozen_beside_it_are_judged(site: Path, tmp_path: Path) -> None:
    file = f"{NAME}.dev.safetensors"
    words = ("--world", NAME, "--split", "dev", "--objects", "2", "--out", str(site / file))
    told(site, "suite", *words, "--publish")
    words = ("--world", NAME, "--split", "dev", "--method", "oracle", "--objects", "2")
    small = ("--seeds", "1", "--episodes", "3", "--workers", "1")
    facts = told(site, "evaluate", *words, *small, "--out", str(tmp_path / "rows"))
    assert [cell["mean"] for cell in facts["cells"]] == [1.0, 1.0]
