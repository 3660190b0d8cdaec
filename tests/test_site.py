"""The documentation site is whole: it builds without a warning, and what it names exists."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

from ncs.cli.main import main
from tests.conftest import PATIENCE, REPOSITORY

DOCS = REPOSITORY / "docs"
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))
PAGES = ("index", "install", "ten_minutes", "how_to", "paper", "results", "leaderboard", "design")
# Pages whose lines need nothing but ncs, with smaller numbers for larger ones.
SMALLER = {
    "ten_minutes.md": {"--episodes 4": "--episodes 1 --workers 1"},
    "tutorials/train.md": {"--episodes 1000": "--episodes 30", "1500": "6 --batch 4"},
    "tutorials/slot_health.md": {
        "--episodes 200": "--episodes 20", "--clips 50": "--clips 3", "--clips 20": "--clips 3",
    },
    "tutorials/graph.md": {"--episodes 400": "--episodes 30", "--clips 200": "--clips 30"},
    "tutorials/solve.md": {"--episodes 2": "--episodes 1 --workers 1"},
    "tutorials/cluster.md": {"--episodes 10": "--episodes 2 --workers 1"},
}  # fmt: skip
needs_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("mkdocstrings") is None, reason="needs 'ncs[docs]'"
)


@needs_mkdocs
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=variables, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.html")}
    cards = {f"cards/{card.stem}.html" for card in (REPOSITORY / "model_cards").glob("*.md")}
    assert made >= {*cards, *(f"{name}.html" for name in PAGES), "api/graph.html", "cite.html"}
    assert "most_changed" in (tmp_path / "api" / "graph.html").read_text()
    for page in (tmp_path / "index.html", tmp_path / "api" / "graph.html"):
        assert not re.search(r'(src|rel="stylesheet" href)="https?:', page.read_text())


@pytest.mark.parametrize("page", SMALLER)
def test_the_lines_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text()
    lines = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    assert lines
    for line in lines:
        for large, small in SMALLER[page].items():
            line = line.replace(large, small)
        words = shlex.split(line)
        assert words[0] == "ncs"
        assert main(words[1:]) == 0, f"{line}: {capsys.readouterr().err}"
    assert any(tmp_path.iterdir())
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, page, "exec"), {})


def named(page: str) -> list[str]:
    text = (DOCS / page).read_text()
    return sorted(set(re.findall(r"`(ncs(?:\.\w+)+)`", text)))


@pytest.mark.parametrize("name", [*named("paper.md"), *named("design.md")])
def test_what_the_pages_name_exists(name: str) -> None:
    parts = name.split(".")
    deepest = next(n for n in range(len(parts), 0, -1) if is_module(".".join(parts[:n])))
    reduce(getattr, parts[deepest:], import_module(".".join(parts[:deepest])))


def is_module(name: str) -> bool:
    return Path(REPOSITORY, "src", *name.split(".")).with_suffix(".py").exists() or (
        Path(REPOSITORY, "src", *name.split("."), "__init__.py").exists()
    )


def test_every_part_of_the_algorithms_has_its_line() -> None:
    told = named("paper.md")
    parts = ("isolate.isolate", "cluster.cluster", "nearest.bind", "algorithm.align")
    assert all(any(name.endswith(part) for name in told) for part in parts)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run_headless(path: Path, tmp_path: Path) -> None:
    for package in ("nbclient", "ipykernel"):
        pytest.importorskip(package, reason="needs 'ncs[docs]'")
    cells = json.loads(path.read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells), "clear the outputs"
    script = (
        f"import nbclient, nbformat; book = nbformat.read({str(path)!r}, as_version=4); "
        f"nbclient.NotebookClient(book, timeout={PATIENCE}, kernel_name='python3').execute()"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
