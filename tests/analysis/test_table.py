"""Tables show our numbers and the paper's, and mix nothing."""

from dataclasses import replace

import numpy as np
import pytest

from ncs.analysis.formatter import estimate_text
from ncs.analysis.table import as_records, beside_paper, from_records, our_rows, paper
from ncs.records import Result
from ncs.registry import find_world, paper_worlds

ROW = Result(
    method="random", world="block-rearrange", goal="complete", objects=4, seed=0, episode=0,
    split="test", task="abc", config="def", code="0", minimum_moves=4, steps=16,
    unsatisfied=4, final=0.0, best=0.5, seconds=0.1,
)  # fmt: skip

NAMES = {("def", "none"): "chance"}


def test_means_and_errors_are_over_seeds() -> None:
    rows = [ROW, replace(ROW, episode=1, best=0.0), replace(ROW, seed=1, best=0.75)]
    (row,) = our_rows(rows, "best")
    assert row.cells[4].mean == pytest.approx(0.5)
    assert (row.cells[4].seeds, row.cells[4].episodes) == (2, 3)
    assert our_rows(rows, "final")[0].cells[4].mean == 0.0
    assert our_rows(rows, "moves")[0].cells[4].mean == 4.0


@pytest.mark.parametrize("change", [{"config": "x"}, {"weights": "y"}, {"split": "dev"}])
def test_rows_of_different_origin_are_never_mixed(change: dict[str, str]) -> None:
    assert len(our_rows([ROW, replace(ROW, **change)], "best")) == 2  # type: ignore[arg-type]


def test_the_papers_row_stands_under_ours_and_ncs_in_every_table() -> None:
    (rows,) = beside_paper([ROW], "best").values()
    assert [(r.method, r.source) for r in rows] == [
        ("random", "ours"),
        ("Rand", "paper"),
        ("NCS", "paper"),
    ]
    assert [rows[1].cells[n].mean for n in (4, 5, 6, 7)] == [0.06, 0.07, 0.07, 0.08]


def test_all_of_table_one_is_there() -> None:
    rows = [(name, row) for name in paper_worlds() for row in find_world(name).published]
    assert len(rows) == 24
    assert all(len(row.mean) == len(row.error) == 4 for _, row in rows)
    assert {row.method for _, row in rows} == set(paper()["names"].values())
    ncs = {(name, row.goal): row.mean for name, row in rows if row.method == "NCS"}
    assert ncs == {
        ("block-rearrange", "complete"): (0.94, 0.93, 0.93, 0.89),
        ("block-rearrange", "partial"): (0.89, 0.86, 0.78, 0.70),
        ("robogym-rearrange", "complete"): (0.64, 0.47, 0.49, 0.41),
        ("robogym-rearrange", "partial"): (0.47, 0.33, 0.27, 0.22),
    }


def test_records_hold_all_that_a_table_shows() -> None:
    rows = [ROW, replace(ROW, seed=1, best=0.25)]
    records = [one for score in ("best", "final") for one in as_records(rows, score, NAMES)]
    assert (records[0]["mean"], records[0]["error"], records[0]["source"]) == (0.375, 0.125, "ours")
    tables, names = from_records(records, "best")
    assert tables == beside_paper(rows, "best")
    assert names == NAMES


def test_a_number_between_two_texts_is_told_alike_from_rows_and_from_records() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):  # means of .0535, which additions miss by a last digit, up or down
        shares = rng.multinomial(214, np.full(10, 0.1)) / 400
        rows = [replace(ROW, seed=seed, best=float(share)) for seed, share in enumerate(shares)]
        (exact,) = our_rows(rows, "best")
        ((again, *_),) = from_records(as_records(rows, "best"), "best")[0].values()
        assert estimate_text(again.cells[4]) == estimate_text(exact.cells[4])
