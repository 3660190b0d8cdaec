"""What the README tells a user to type works as it stands there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ncs.analysis.formatter import as_markdown
from ncs.analysis.points import file_of, load_points, names_of
from ncs.evaluation.results import read_results

REPOSITORY = Path(__file__).parents[1]
README = (REPOSITORY / "README.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_shell_blocks_run(tmp_path: Path) -> None:
    assert SHELL
    for name in ("configs", "checkpoints", "examples"):
        if (REPOSITORY / name).exists():
            (tmp_path / name).symlink_to(REPOSITORY / name)
    for line in "".join(SHELL).splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        assert words[0] == "ncs"
        command = [sys.executable, "-m", "ncs.cli.main", *words[1:]]
        out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert out.returncode == 0, f"{line}\n{out.stderr}"


@pytest.mark.parametrize("block", PYTHON)
def test_the_python_blocks_run(block: str, tmp_path: Path) -> None:
    code = "import warnings; warnings.simplefilter('error')\n" + block
    out = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert out.returncode == 0, out.stderr


def test_the_version_is_the_same_everywhere() -> None:
    from ncs import __version__

    assert f"version: {__version__}" in (REPOSITORY / "CITATION.cff").read_text()
    assert f"## {__version__}" in (REPOSITORY / "CHANGELOG.md").read_text()


def test_torch_is_pinned_as_promised() -> None:
    assert "\ntorch==2.13.0\n" in (REPOSITORY / "constraints.txt").read_text()


FILES = [*(REPOSITORY / "results").glob("*.jsonl*")]
RUNS = [path.parent for path in (REPOSITORY / "results").glob("*/index.json")]


@pytest.mark.parametrize("path", sorted(FILES), ids=lambda p: p.name)
def test_the_results_in_the_readme_are_those_in_the_files(path: Path) -> None:
    assert path.name in README
    assert as_markdown(read_results(path), "best") in README


@pytest.mark.parametrize("path", sorted(RUNS), ids=lambda p: p.name)
def test_the_table_in_the_readme_is_that_of_the_run(path: Path) -> None:
    assert f"ncs table results/{path.name} --format markdown" in README
    names = names_of(load_points(path))
    assert as_markdown(read_results(file_of(path, "table")), "best", names) in README


def test_there_is_a_run_to_speak_of() -> None:
    assert RUNS
