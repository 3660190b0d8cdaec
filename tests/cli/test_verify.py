"""What 'ncs verify' says of a file, and its exit codes: 0 same, 1 not, 2 cannot tell."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import ncs

from ncs.evaluation.results import read_results, save_results


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    words = ["--method", "random", "--objects", 4, "--goal", "complete", "--seeds", 1]
    out = ncs("evaluate", *words, "--episodes", 3, "--workers", 1, "--out", path)
    assert out.returncode == 0, out.stderr
    return path


def test_true_rows_are_the_same(rows: Path) -> None:
    out = ncs("verify", rows, "--workers", 1)
    assert out.returncode == 0, out.stderr
    assert (
        ": same; 3 rows checked, 0 complaints; 3 played again, 0 came out otherwise" in out.stdout
    )


def test_rows_that_were_changed_are_not(rows: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged.jsonl.gz"
    save_results(forged, [replace(row, best=1.0, final=1.0) for row in read_results(rows)])
    out = ncs("verify", forged, "--workers", 1, "--json")
    assert out.returncode == 1, out.stderr
    facts = json.loads(out.stdout)
    assert facts["same"] is False
    assert len(facts["files"][0]["different"]) == 3


def test_rows_whose_model_is_elsewhere_cannot_be_told(rows: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.jsonl"
    lost = [
        replace(row, method="ncs", weights="0" * 12, settings={"preset": "best"})
        for row in read_results(rows)
    ]
    save_results(foreign, lost)
    for words in ([], ["--here"]):
        out = ncs("verify", foreign, "--models", tmp_path, *words)
        assert (out.returncode, out.stderr.count("\n")) == (2, 1)
        assert "no model with the weights 000000000000" in out.stderr


def test_rows_whose_model_is_elsewhere_are_counted_where_that_is_asked(
    rows: Path, tmp_path: Path
) -> None:
    mixed = tmp_path / "mixed.jsonl"
    found = read_results(rows)
    lost = [replace(row, method="ncs", weights="0" * 12, settings={"a": 1}) for row in found]
    save_results(mixed, [*found, *lost])
    out = ncs("verify", mixed, "--models", tmp_path, "--here", "--workers", 1)
    assert out.returncode == 0, out.stderr
    assert ": 3 rows not played: no model with the weights 000000000000" in out.stdout
    assert "6 rows checked, 0 complaints; 3 played again, 0 came out otherwise" in out.stdout
