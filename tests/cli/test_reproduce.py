"""From nothing to a report, stopped anywhere and gone on with."""

import gzip
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from ncs.analysis.points import load_points
from ncs.cli.main import main
from ncs.cli.reproduce import Reproduce
from ncs.storage import read_json, write_json

BLOCKS = ("block-rearrange",)
TINY = {
    "worlds": BLOCKS,
    "methods": ("random", "oracle"),
    "studies": ("noise", "horizon"),
    "seeds": 1,
    "episodes": 1,
    "workers": 1,
}


def reproduce(out: Path, **changes: Any) -> None:
    Reproduce(out=out, **{**TINY, **changes}).run()


def report(out: Path) -> dict[str, str]:
    """What a run says, all but the clock."""
    page = (out / "report.html").read_text()
    text = (out / "report.md").read_text()
    files = sorted((out / "results").glob("*.jsonl.gz"))
    rows = "".join(gzip.decompress(path.read_bytes()).decode() for path in files)
    return {
        "html": re.sub(r'<section id="time">.*?</section>', "", page, flags=re.DOTALL),
        "markdown": re.sub(r"## Time\n.*?(?=^## )", "", text, flags=re.DOTALL | re.MULTILINE),
        "rows": re.sub(r'"seconds": [^,]+|"check": "\w+"', "", rows),
        "index": (out / "results" / "index.json").read_text(),
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole")
    reproduce(out)
    return out


@pytest.fixture(scope="module")
def whole(finished: Path) -> dict[str, str]:
    return report(finished)


class StoppedError(BaseException):
    """As abrupt as a kill: nothing catches it."""


def test_stopped_at_ten_random_moments_the_report_is_the_same(
    whole: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, replace = random.Random(0), os.replace
    fuse = 0

    def burning(source: str, target: str) -> None:
        nonlocal fuse
        fuse -= 1
        if fuse == 0:
            raise StoppedError
        replace(source, target)

    monkeypatch.setattr(os, "replace", burning)  # every file comes into place by it
    for _ in range(10):
        fuse = rng.randint(1, 5)
        with pytest.raises(StoppedError):
            reproduce(tmp_path)
        assert not (tmp_path / "report.html").exists()
    fuse = 0
    reproduce(tmp_path)
    assert report(tmp_path) == whole


def test_shards_leave_the_report_to_the_last_of_them(
    whole: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduce(tmp_path, shard="1/2")
    assert "are left to others" in capsys.readouterr().out
    assert not (tmp_path / "report.html").exists()
    reproduce(tmp_path, shard="0/2")
    assert report(tmp_path) == whole


def test_the_report_has_each_section_and_the_papers_numbers(whole: dict[str, str]) -> None:
    for title in ("What was run", "Table 1", "Margins", "Stress", "The size of the task space"):
        assert f"## {title}" in whole["markdown"]
    assert "| Rand (paper) | 0.060 ±0.020 |" in whole["markdown"]
    assert "Methods of the paper that were not run: NCS, MPC, NF, IQL, BC" in whole["markdown"]
    assert whole["html"].count("data:image/png;base64,") == 4


def test_every_number_can_be_traced_to_rows(finished: Path) -> None:
    points = load_points(finished / "results")
    assert {point.study for point in points} == {"table", "noise", "horizon"}
    oracle = next(p for p in points if p.label == "oracle")
    assert oracle.score.mean == 1.0
    assert {r.cap_factor for p in points if p.study == "horizon" for r in p.results} == {1, 8}


def test_the_table_of_a_run_calls_its_lines_by_their_names(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", str(finished / "results")]) == 0
    assert "\noracle, dev tasks" in capsys.readouterr().out
    path = finished / "results" / "index.json"
    index = read_json(path)
    lines = [{**line, "label": line["label"].upper()} for line in index["lines"]]
    write_json(path, {**index, "lines": lines})
    assert main(["table", str(finished / "results")]) == 0
    assert "\nORACLE, dev tasks" in capsys.readouterr().out
    write_json(path, index)


def test_an_estimate_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Reproduce(scale="paper", out=tmp_path / "out", estimate=True).run()
    assert re.search(r"scale paper: about [\d.]+ (days|hours)", capsys.readouterr().out)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--methods", "magic"], "methods: there is no 'magic'"),
        (["--studies", "magic"], "studies: there is no 'magic'"),
        (["--shard", "2/2"], "shard"),
        (["--scale", "moon"], "invalid choice 'moon'"),
        (["--models", "nowhere"], "nowhere: there is no such folder of models"),
    ],
    ids=lambda value: str(value),
)
def test_bad_input_is_one_line_and_exit_code_2(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "--workers", "1", "--worlds", *BLOCKS, *words]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert complaint in last


def test_what_the_report_needs_is_asked_for_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "out"
    assert main(["reproduce", "--scale", "smoke", "--worlds", *BLOCKS, "--out", str(out)]) == 2
    assert "matplotlib is not installed" in capsys.readouterr().err.splitlines()[-1]
    assert not out.exists()
