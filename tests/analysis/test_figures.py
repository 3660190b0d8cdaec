"""Figures show what the results say, and come out the same every time."""

import io

import numpy as np
import pytest
from PIL import Image
from tests.analysis.studies import point, table_points

from ncs.analysis import figures
from ncs.analysis.figures import (
    COLOURS,
    ORDER,
    as_png,
    draw_choices,
    draw_curves,
    draw_each_method,
    draw_table,
    draw_task_space,
    lines_of,
    style_of,
)

CURVES = [
    point("noise", label, v, s)
    for label in ("ncs", "random")
    for v, s in (("2", 0.1), ("0.5", 0.4))
]
CHOICES = [point("choice", "ncs", v, s) for v, s in (("sample", 0.3), ("argmax", 0.6))]


def test_a_curve_runs_from_the_lowest_value_to_the_highest() -> None:
    line = lines_of(CURVES)["ncs"]
    assert [(value, score.mean) for value, score in line] == [(0.5, 0.4), (2.0, 0.1)]


def test_a_panel_draws_the_means() -> None:
    axis = draw_curves(CURVES, ["noise"]).axes[0]
    drawn = [line.get_xydata().tolist() for line in axis.get_lines()]
    assert [[0.5, 0.4], [2.0, 0.1]] in drawn


def test_bars_are_as_high_as_the_scores() -> None:
    axis = draw_choices(CHOICES, ["choice"]).axes[0]
    assert [bar.get_height() for bar in axis.patches] == [0.3, 0.6]
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["sample", "argmax"]


def test_the_table_has_a_panel_for_each_world_and_goal_and_the_papers_lines() -> None:
    points = table_points()
    results = [r for p in points for r in p.results]
    figure = draw_table(results, {p.results[0].config: p.label for p in points})
    assert len([axis for axis in figure.axes if axis.get_title()]) == 4
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert {"ncs", "NCS (paper)", "mpc", "MPC (paper)"} <= labels


def test_methods_have_panels_of_their_own_scale() -> None:
    points = [point("horizon", label, "1", s) for label, s in (("ncs", 0.9), ("nf", 0.01))]
    tops = [axis.get_ylim()[1] for axis in draw_each_method(points, "horizon").axes]
    assert tops[1] < 0.1 < 0.8 < tops[0]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: draw_curves(CURVES, ["noise"]),
        lambda: draw_choices(CHOICES, ["choice"]),
        lambda: draw_task_space(16, {1: 10, 7: 10**16}),
    ],
)
def test_a_figure_is_a_picture_and_the_same_bytes_twice(draw: object) -> None:
    first, second = as_png(draw()), as_png(draw())  # type: ignore[operator]
    assert first == second
    assert np.asarray(Image.open(io.BytesIO(first))).std() > 0


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_ours_and_each_rival_differ_in_colour_and_in_marker() -> None:
    looks = [style_of(name) for name in ORDER]
    assert len({look["color"] for look in looks}) == len(ORDER)
    assert len({look["marker"] for look in looks}) == len(ORDER)


def test_colours_show_on_white() -> None:
    assert max(map(luminance, COLOURS)) < 0.75


def test_no_figure_touches_global_state() -> None:
    assert "pyplot" not in (figures.__loader__.get_source(figures.__name__) or "")  # type: ignore[union-attr]
