"""What documents tell a user to type works, and what they tell of results is true."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.fill_tables import TABLE, documents, filled

from ncs.cli.main import main

REPOSITORY = Path(__file__).parents[1]
README = (REPOSITORY / "README.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_shell_blocks_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert SHELL
    monkeypatch.chdir(tmp_path)
    for name in ("configs", "checkpoints", "examples"):
        if (REPOSITORY / name).exists():
            (tmp_path / name).symlink_to(REPOSITORY / name)
    for line in "".join(SHELL).splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        assert words[0] == "ncs"
        assert main(words[1:]) == 0, f"{line}: {capsys.readouterr().err}"


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


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_every_table_is_what_its_command_prints(path: Path) -> None:
    text = path.read_text()
    assert len(TABLE.findall(text)) == text.count("<!-- end -->")
    assert filled(text) == text, "run 'make results'"


# A score or share: 0.95, .953; no version, no option, no count of parameters.
SCORE = re.compile(r"(?<![\w.=/-])[01]?\.\d{2,4}(?![\w.]|\d| M )")


def scores(text: str) -> set[str]:
    return {f"{float(number):.4f}" for number in SCORE.findall(text)}


def typed_scores(path: Path) -> set[str]:
    """Scores of a document that neither a table filled by a command nor the paper has."""
    tables = [table[0] for other in documents() for table in TABLE.finditer(other.read_text())]
    prose = TABLE.sub("", path.read_text())
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", prose, flags=re.DOTALL)
    return scores(prose) - scores("\n".join(tables))


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_scores_in_prose_are_those_of_a_table(path: Path) -> None:
    assert typed_scores(path) == set()


def test_every_result_file_has_its_table() -> None:
    text = (REPOSITORY / "docs" / "results.md").read_text()
    files = [path.name for path in (REPOSITORY / "results").glob("*.jsonl*")]
    runs = [path.parent.name for path in (REPOSITORY / "results").glob("*/index.json")]
    assert runs
    shown = {word for table in TABLE.finditer(text) for word in shlex.split(table["words"])}
    for name in (*files, *runs):
        assert f"results/{name}" in shown


def test_every_kept_print_is_shown_and_was_made_by_a_script_that_is_there() -> None:
    found = [table for path in documents() for table in TABLE.finditer(path.read_text())]
    shown = {table["words"] for table in found if table["kind"] == "printed"}
    kept = list((REPOSITORY / "results" / "printed").glob("*.md"))
    assert shown == {path.stem for path in kept}
    for path in kept:
        head = re.match(r"`python (benchmarks/\w+\.py) .*` at [0-9a-f]{12}:\n", path.read_text())
        assert head, path
        assert (REPOSITORY / head[1]).exists()


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) < 150


@pytest.mark.parametrize(
    "path", [*documents(), REPOSITORY / "CONTRIBUTING.md"], ids=lambda p: p.name
)
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert link.startswith("https://") or (path.parent / link).exists(), link
