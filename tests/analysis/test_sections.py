"""Sections say what the results say, each number beside the paper's."""

import pytest
from tests.analysis.studies import point, table_points

from ncs.analysis.document import Image, Section, Words
from ncs.analysis.formatter import Grid
from ncs.analysis.points import Point
from ncs.analysis.sections import facts_section, result_sections
from ncs.analysis.sections.decision_time import time_section
from ncs.analysis.sections.margins import margin_section
from ncs.analysis.sections.studies import sections as curve_section
from ncs.analysis.sections.studies import study_grid
from ncs.analysis.sections.table1 import absent_methods, table_section
from ncs.analysis.sections.trajectories import space_section


def grids(section: Section) -> list[Grid]:
    return [block for block in section.blocks if isinstance(block, Grid)]


def test_each_method_stands_above_the_papers_row_of_it() -> None:
    grid = grids(table_section(table_points(), []))[0]
    names = [row[0] for row in grid.rows]
    assert names == [
        "method", "ncs, dev tasks", "NCS (paper)", "random, dev tasks", "Rand (paper)",
        "mpc, dev tasks", "MPC (paper)",
    ]  # fmt: skip
    assert grid.rows[1][1:4] == ("0.900 ±0.000", "0.900 ±0.000", "2 seeds x 1")
    assert grid.rows[2][1] == "0.940 ±0.010"


def test_the_score_at_the_end_follows_without_the_paper() -> None:
    grid = grids(table_section(table_points(), []))[-1]
    assert "at the end" in grid.title
    assert grid.rows[1][1] == "0.450 ±0.000"
    assert not any("(paper)" in row[0] for row in grid.rows)


def test_what_came_of_it_stands_first() -> None:
    first = result_sections(table_points())[0]
    assert first.title == "In short"
    (words,) = first.blocks
    assert isinstance(words, Words)
    assert words.text.startswith("ncs: at or above the paper's NCS in 6 of 8 cells (2 seeds x 1 ")


def test_margins_are_over_the_best_rival_and_beside_the_papers() -> None:
    grid = grids(margin_section(table_points()))[0]
    assert grid.rows[1] == ("ncs", "4.5x mpc", "4.5x mpc")
    assert ("ncs over mpc", "4.5x mpc", "4.5x mpc") in grid.rows
    assert grid.rows[-1] == ("NCS (paper)", "5.9x MPC", "7.8x MPC")


def test_a_rival_that_sees_is_held_against_rows_of_its_own_weights_alone() -> None:
    points = [
        point("table", "ncs", "", 0.9, weights="aa", goal="complete"),
        point("table", "ncs, other", "", 0.6, weights="bb", goal="complete"),
        point("table", "mpc", "", 0.8, method="mpc", weights="aa", goal="complete"),
        point("table", "mpc, other", "", 0.2, method="mpc", weights="bb", goal="complete"),
        point("table", "bc", "", 0.3, method="bc", weights="cc", goal="complete"),
    ]
    rows = {row[0]: row[1] for row in grids(margin_section(points))[0].rows}
    assert rows["ncs"] == "1.1x mpc"
    assert rows["ncs, other"] == "2.0x bc"
    assert rows["ncs, other over mpc, other"] == "3.0x mpc, other"
    assert "ncs over mpc, other" not in rows


def test_no_margin_is_claimed_over_rivals_that_score_nothing() -> None:
    points = [p for p in table_points() if p.label == "ncs"]
    points.append(point("table", "nf", "", 0.0, method="nf", goal="complete"))
    grid = grids(margin_section(points))[0]
    assert grid.rows[1][1] == "no rival scored"


def test_methods_that_were_not_run_are_named() -> None:
    absent = absent_methods(table_points())
    assert absent == ["NF", "IQL", "BC"]
    words = [b.text for b in table_section(table_points(), absent).blocks if hasattr(b, "text")]
    assert any("NF, IQL, BC" in text for text in words)


def studies() -> list[Point]:
    names = {"clusters": ("16", "50"), "noise": ("0", "1"), "horizon": ("1", "8")}
    points = [point(s, "ncs", v, 0.5) for s, values in names.items() for v in values]
    return [*points, point("choice", "ncs", "sample", 0.4), point("choice", "ncs", "argmax", 0.6)]


def test_values_of_a_study_stand_in_their_order() -> None:
    points = [point("clips", "ncs", value, 0.5) for value in ("50", "500")]
    points += [point("clips", "ncs, paper's way", value, 0.5) for value in ("100", "5000")]
    assert study_grid(points).rows[0][2:] == ("50", "100", "500", "5000")
    words = [point("choice", "ncs", value, 0.5) for value in ("sample", "argmax")]
    assert study_grid(words).rows[0][2:] == ("sample", "argmax")


def test_every_study_that_was_run_has_its_figure_and_its_numbers() -> None:
    sections = curve_section(studies())
    assert [section.name for section in sections] == ["sensitivity", "stress", "choices"]
    assert [[grid.title for grid in grids(s)] for s in sections] == [
        ["clusters"], ["noise", "horizon"], ["choice"],
    ]  # fmt: skip
    for section in sections:
        images = [block for block in section.blocks if isinstance(block, Image)]
        assert images
        assert all("4 objects, complete goals, dev tasks" in image.caption for image in images)


def test_the_numbers_of_a_study_have_a_column_for_each_value() -> None:
    grid = study_grid([p for p in studies() if p.study == "choice"])
    assert grid.rows == (
        ("world", "method", "sample", "argmax"),
        ("block-rearrange", "ncs", "0.400 ±0.000", "0.600 ±0.000"),
    )


def test_time_is_told_as_a_ratio_to_ours() -> None:
    points = [
        point("table", "ncs", "", 0.5, seconds=2.0),
        point("table", "mpc", "", 0.5, method="mpc", seconds=66.0),
    ]
    grid = grids(time_section(points))[0]
    assert grid.rows[1:] == (("ncs", "0.5000", "1x"), ("mpc", "16.5000", "33x"))


@pytest.mark.parametrize("number", ["4.51e+16", "at least 4.5e16"])
def test_the_task_space_is_counted_beside_the_papers_figure(number: str) -> None:
    assert number in str(space_section().blocks)


def test_settings_are_listed() -> None:
    assert ("seeds", "3") in grids(facts_section({"seeds": 3}))[0].rows


def test_every_module_has_its_place_and_says_nothing_without_results() -> None:
    whole = [section.name for section in result_sections([*table_points(), *studies()])]
    assert whole == [
        "verdict", "table", "margin", "sensitivity", "stress", "choices", "space", "time"
    ]  # fmt: skip
    assert [section.name for section in result_sections([])] == ["space"]
