"""Each kind of thing is added by one file: the examples of CONTRIBUTING.md, as they stand there."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.analysis.studies import table_points
from tests.conftest import REPOSITORY
from tests.warm import Warm

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text()
EXAMPLES = dict(re.findall(r"```python\n# (\S+\.py)\n(.*?)```", TEXT, re.DOTALL))
Run = Callable[..., str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that stand outside the package, and the world's entry point."""
    folder = tmp_path_factory.mktemp("site")
    for name, code in EXAMPLES.items():
        if "/" not in name:
            (folder / name).write_text(code)
    facts = folder / "tiles-1.0.dist-info"  # what pip writes from a pyproject.toml
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: tiles\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[ncs.worlds]\ntiles = tiles:TILES\n")
    return folder


@pytest.fixture(scope="module")
def run(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a command where the files are found; what it prints comes back."""
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    warm = Warm(sys.executable, variables, tmp_path_factory.mktemp("warm"))

    def run(*words: object) -> str:
        done = warm.run(list(map(str, words)), REPOSITORY)
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield run
    warm.close()


@pytest.fixture(scope="module")
def tiles(run: Run, site: Path) -> Path:
    """A buffer of the world of tiles, collected by two workers."""
    out = site / "buffer"
    run("collect", "tiles", "--out", out, "--episodes", 12, "--objects", 3, "--workers", 2)
    return out


def test_every_kind_of_thing_has_its_example() -> None:
    rows = re.findall(r"^\| (an? [^|]+) \| one file \|", TEXT, re.MULTILINE)
    assert len(EXAMPLES) == len(rows) == TEXT.count("\n### ") == 6


def test_a_world_is_one_file(run: Run, tiles: Path, site: Path) -> None:
    facts = json.loads(run("inspect", tiles, "--json", "--picture", site / "sheet.png"))
    assert (facts["world"], facts["episodes"], facts["objects"]) == ("tiles", 12, 3)
    words = ["--world", "tiles", "--split", "fresh", "--objects", 3, "--seeds", 1]
    words += ["--episodes", 2, "--workers", 1, "--json"]
    told = json.loads(run("evaluate", "--method", "oracle", *words, "--out", site / "oracle"))
    assert [cell["mean"] for cell in told["cells"]] == [1.0, 1.0]


def test_a_world_model_is_one_file(run: Run, tiles: Path, site: Path) -> None:
    model = site / "model"
    settings = ["model=colours:COLOURS", "network={}", "picture_clips=0", "holdout_clips=1"]
    words = ["--buffer", tiles, "--steps", 2, "--batch", 2, "--threads", 1]
    run("train", *words, "--out", model, "--settings", *settings)
    own = ["--model", model, "--allow", "colours:COLOURS"]
    facts = json.loads(run("slots", *own, "--buffer", tiles, "--clips", 2, "--json"))
    assert facts["reports"][0]["slots"] == 5
    run("graph", *own, "--buffer", tiles, "--clips", 4)
    words = ["--world", "tiles", "--split", "fresh", "--objects", 3, "--seeds", 1]
    words += ["--episodes", 1, "--workers", 1, "--json", "--out", site / "colours"]
    assert json.loads(run("evaluate", "--method", "ncs", *own, *words))["cells"]


def test_a_rival_is_one_file(run: Run, site: Path) -> None:
    words = ["--objects", 4, "--seeds", 1, "--episodes", 1, "--workers", 1, "--goal", "complete"]
    run("evaluate", "--method", "middle:make", *words, "--out", site / "middle")
    assert "middle:make" in run("table", site / "middle")


def test_an_extension_is_one_file(run: Run, site: Path) -> None:
    words = ["--objects", 2, "--seed", 3, "--preset", "paper", "--only", "biggest:extend"]
    run("solve", *words, "--out", site / "solve")
    steps = json.loads((site / "solve" / "trace.json").read_text())["steps"]
    assert steps


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts an example into the package's folder of its kind, for as long as a test lasts."""
    names = []

    def put(name: str) -> None:
        package = ".".join(Path(name).parts[1:-1])
        (tmp_path / Path(name).name).write_text(EXAMPLES[name])
        module = __import__(package, fromlist=["__path__"])
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(tmp_path)])
        names.append(f"{package}.{Path(name).stem}")

    yield put
    for name in names:
        sys.modules.pop(name, None)


def test_a_figure_is_one_file(beside: Callable[[str], None]) -> None:
    from ncs.analysis.document import as_markdown
    from ncs.analysis.sections import result_sections

    beside("src/ncs/analysis/sections/steps.py")
    sections = result_sections(table_points())
    assert sections[-1].name == "steps"
    assert "| ncs | " in as_markdown("Report", sections[-1:], "figures")


def test_a_command_is_one_file(
    beside: Callable[[str], None], small_buffer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ncs.cli.main import main

    beside("src/ncs/cli/moves.py")
    assert main(["--help"]) == 0
    assert "count the moves in a buffer" in capsys.readouterr().out
    assert main(["moves", str(small_buffer), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"moves": 520}
    assert main(["moves", "missing"]) == 2
