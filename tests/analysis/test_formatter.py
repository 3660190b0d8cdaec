"""One formatter: text, Markdown and HTML say the same."""

from dataclasses import replace

import pytest
from tests.analysis.test_table import NAMES, ROW

from ncs.analysis.formatter import (
    Grid,
    as_markdown,
    as_text,
    estimate_text,
    grid_html,
    grid_markdown,
    result_grids,
    summary_grid,
)
from ncs.evaluation.metrics import Estimate
from ncs.records import DataError

ROWS = [ROW, replace(ROW, seed=1, best=0.25)]


def test_text_markdown_and_html_agree() -> None:
    assert "random        0.375 ±0.125  2 seeds x 1" in as_text(ROWS, "best")
    assert "| random | 0.375 ±0.125 | 2 seeds x 1 | none |" in as_markdown(ROWS, "best")
    (grid,) = result_grids(ROWS, "best")
    assert "<td>random</td><td>0.375 ±0.125</td>" in grid_html(grid)
    assert '<tr class="paper"><td>Rand (paper)</td><td>0.060 ±0.020</td>' in grid_html(grid)


def test_only_numbers_of_objects_on_which_we_were_judged_have_a_column() -> None:
    (grid,) = result_grids(ROWS, "best")
    assert grid.rows[0] == ("method", "4 objects", "evidence", "checkpoint")


def test_the_paper_stands_beside_the_score_that_its_numbers_fit() -> None:
    (best,), (final,) = result_grids(ROWS, "best"), result_grids(ROWS, "final")
    assert [row[0] for row in best.rows[1:]] == ["random", "Rand (paper)", "NCS (paper)"]
    assert [row[0] for row in final.rows[1:]] == ["random"]
    (crowd,) = result_grids([replace(row, objects=12) for row in ROWS], "best")
    assert [row[0] for row in crowd.rows[1:]] == ["random"]  # the paper has no such number


def test_rows_are_called_by_their_names_and_other_tasks_are_named() -> None:
    other = [replace(row, split="dev") for row in ROWS]
    assert result_grids(ROWS, "best", NAMES)[0].rows[1][0] == "chance"
    assert result_grids(other, "best", NAMES)[0].rows[1][0] == "chance, dev tasks"


def test_rules_of_their_own_in_each_column_make_one_line_of_one_label() -> None:
    long = [replace(row, label="long", config="8") for row in ROWS]
    longer = [replace(row, label="long", config="10", objects=5) for row in ROWS]
    (grid,) = result_grids([*long, *longer], "best")
    assert grid.rows[1][:3] == ("long", "0.375 ±0.125", "0.375 ±0.125")
    (grid,) = result_grids([*long, *(replace(row, objects=4) for row in longer)], "best")
    assert [row[0] for row in grid.rows[1:]].count("long") == 2


def test_one_seed_has_no_error() -> None:
    assert estimate_text(Estimate(0.5, 0.1, 2, 4)) == "0.500 ±0.100"
    assert estimate_text(Estimate(0.5, 0.0, 1, 4)) == "0.500"
    assert estimate_text(None) == ""


def test_a_summary_has_a_line_a_cell_and_a_column_a_method() -> None:
    rows = [*ROWS, *(replace(row, objects=n, best=1.0) for row in ROWS for n in (5, 7))]
    grid = summary_grid(rows, "best", NAMES)
    assert grid.rows == (
        ("", "NCS (paper)", "chance"),
        ("block-rearrange, complete goals, 4 objects", "0.940 ±0.010", "0.375 ±0.125"),
        ("block-rearrange, complete goals, 7 objects", "0.890 ±0.000", "1.000 ±0.000"),
    )
    with pytest.raises(DataError, match="there is no 'magic', choose from chance"):
        summary_grid(rows, "best", NAMES, ["magic"])


def test_html_is_escaped() -> None:
    assert "&lt;b&gt;" in grid_html(Grid("<b>", (("a",), ("b",))))


def test_markdown_takes_no_tags_and_keeps_its_columns() -> None:
    shown = grid_markdown(Grid("a", (("b", "c"), ("<script>x</script>", "1 | 2"))))
    assert shown.splitlines()[-1] == r"| &lt;script>x&lt;/script> | 1 \| 2 |"
