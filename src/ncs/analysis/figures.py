"""Takes results, gives figures drawn with matplotlib: one function a figure.

They read results and arrays alone and never run a policy. The first colours are Okabe and Ito's,
which stay apart for colour-blind eyes; markers and dashes tell all lines apart without them.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncs.analysis.formatter import PAPER_MARK
from ncs.analysis.points import Point, of_study
from ncs.analysis.table import Names, Row, beside_paper, label_of, paper
from ncs.evaluation.metrics import Estimate
from ncs.records import NcsError, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line = list[tuple[float, Estimate]]  # what was varied, and the score
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F",
    "#7F7F7F", "#003A70", "#7A4060", "#4D4D00",
    "#B0B0B0",
)  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "h", "<", ">", "p", ".")
ORDER = (
    "ncs", "ncs, paper's way", "random", "nf", "mpc", "iql", "bc", "gcivl", "oracle",
    "ncs, dSLATE", "mpc, dSLATE", "nf, dSLATE",
)  # fmt: skip
AXES = {
    "clusters": "clusters of the graph",
    "clips": "clips of the buffer in the graph",
    "slots": "slots",
    "horizon": "steps allowed / fewest needed",
    "noise": "noise / what a pick may miss by",
}


def new_figure(columns: int, rows: int = 1, width: float = 3.4, height: float = 2.7) -> "Figure":
    """An empty sheet for so many panels; no window and no global state is touched."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise NcsError("matplotlib is not installed; pip install 'ncs[figures]'") from None
    return Figure(figsize=(width * columns, height * rows), dpi=110, layout="constrained")


def as_png(figure: "Figure") -> bytes:
    """A figure as PNG, the same bytes for the same figure."""
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def style_of(label: str) -> dict[str, Any]:
    """How a method is drawn, the same in every figure."""
    place = ORDER.index(label) if label in ORDER else len(ORDER)  # the last look is for strangers
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}


def draw_table(results: Sequence[Result], names: Names) -> "Figure":
    """Table 1 as lines over the number of objects: ours filled, the paper's hollow and dashed."""
    tables = beside_paper(results, "best")
    figure = new_figure(2, -(-len(tables) // 2), 4.6, 3.4)
    axes = figure.subplots(-(-len(tables) // 2), 2, squeeze=False, sharey=True).ravel()
    back = {theirs: ours for ours, theirs in paper()["names"].items()}
    for axis, ((world, goal), rows) in zip(axes, sorted(tables.items()), strict=False):
        for row in rows:
            own = row.source == "ours"
            label = label_of(row, names) if own else back[row.method]
            _draw_row(axis, row, style_of(label), label if own else f"{row.method}{PAPER_MARK}")
        axis.set(title=f"{world}, {goal}", xlabel="objects", ylim=(-0.04, 1.04))
        axis.xaxis.get_major_locator().set_params(integer=True)
    for axis in axes[::2]:
        axis.set_ylabel("fractional success")
    _legend_below(figure, axes[: len(tables)])
    return figure


def _draw_row(axis: "Axes", row: Row, style: dict[str, Any], label: str) -> None:
    """One method's line."""
    line = [(float(objects), cell) for objects, cell in row.cells.items()]
    look = {"linestyle": "-"} if row.source == "ours" else {"linestyle": ":", "mfc": "white"}
    _draw_line(axis, line, label, {**look, **style})


def _draw_line(axis: "Axes", line: Line, label: str, look: dict[str, Any]) -> None:
    """Means with their errors, joined."""
    values = [value for value, _ in line]
    means, errors = [e.mean for _, e in line], [e.error for _, e in line]
    axis.errorbar(values, means, errors, label=label, ms=5, lw=1.4, capsize=2, **look)


def draw_curves(points: Sequence[Point], studies: Sequence[str]) -> "Figure":
    """One panel a study and world: fractional success against what was varied."""
    worlds = list(dict.fromkeys(point.world for point in points))
    figure = new_figure(len(studies), len(worlds))
    axes = figure.subplots(len(worlds), len(studies), squeeze=False)
    for row, world in enumerate(worlds):
        for column, study in enumerate(studies):
            lines = lines_of(p for p in of_study(points, study) if p.world == world)
            _draw_panel(axes[row, column], lines, AXES[study], world)
    for axis in axes[:, 0]:
        axis.set_ylabel("fractional success")
    _legend_below(figure, axes.ravel())
    return figure


def lines_of(points: Iterable[Point]) -> dict[str, Line]:
    """Curves by label, each from the lowest value to the highest."""
    lines: dict[str, Line] = {}
    for point in points:
        lines.setdefault(point.label, []).append((float(point.value), point.score))
    return {label: sorted(line, key=lambda pair: pair[0]) for label, line in lines.items()}


def _draw_panel(axis: "Axes", lines: Mapping[str, Line], name: str, world: str) -> None:
    for label, line in lines.items():
        _draw_line(axis, line, label, style_of(label))
    axis.set(xlabel=name, title=world, ylim=(-0.04, 1.04))
    if "clips" in name:
        axis.set_xscale("log")


def draw_each_method(points: Sequence[Point], study: str) -> "Figure":
    """One panel a method, each with its own scale, as the paper's figure of the horizon has it."""
    labels = list(dict.fromkeys(point.label for point in points))
    figure = new_figure(len(labels), 1, 2.8)
    axes = figure.subplots(1, len(labels), squeeze=False)[0]
    for axis, label in zip(axes, labels, strict=True):
        for number, world in enumerate(dict.fromkeys(point.world for point in points)):
            own = [p for p in points if (p.label, p.world) == (label, world)]
            look = {"color": COLOURS[number], "marker": MARKERS[number]}
            for line in lines_of(own).values():
                _draw_line(axis, line, world, look)
        axis.set(title=label, xlabel=AXES[study])
        axis.xaxis.label.set_size(8)
        axis.set_ylim(bottom=0)
    axes[0].set_ylabel("fractional success")
    _legend_below(figure, axes)
    return figure


def draw_choices(points: Sequence[Point], studies: Sequence[str]) -> "Figure":
    """Bars for studies of alternatives: what was chosen on the axis, one bar a preset."""
    worlds = list(dict.fromkeys(point.world for point in points))
    figure = new_figure(len(studies), len(worlds))
    axes = figure.subplots(len(worlds), len(studies), squeeze=False)
    for row, world in enumerate(worlds):
        for column, study in enumerate(studies):
            own = [p for p in of_study(points, study) if p.world == world]
            _draw_bars(axes[row, column], own)
            axes[row, column].set(title=f"{world}: {study}", ylim=(0, 1.05))
    for axis in axes[:, 0]:
        axis.set_ylabel("fractional success")
    _legend_below(figure, axes.ravel())
    return figure


def _draw_bars(axis: "Axes", points: Sequence[Point]) -> None:
    values = list(dict.fromkeys(point.value for point in points))
    labels = list(dict.fromkeys(point.label for point in points))
    width = 0.8 / max(len(labels), 1)
    for number, label in enumerate(labels):
        own = [point for point in points if point.label == label]
        places = [values.index(p.value) + (number - (len(labels) - 1) / 2) * width for p in own]
        scores = [point.score for point in own]
        axis.bar(
            places,
            [score.mean for score in scores],
            width,
            yerr=[score.error for score in scores],
            label=label,
            color=style_of(label)["color"],
            hatch=("", "//", "..", "xx")[number % 4],
            edgecolor="white",
            capsize=3,
        )
    axis.set_xticks(range(len(values)), values)


def draw_task_space(places: int, counts: Mapping[int, int]) -> "Figure":
    """Trajectories of the fewest moves against the number of objects, on a logarithmic axis."""
    figure = new_figure(1, 1, 4.6, 3.0)
    axis = figure.subplots()
    axis.semilogy(list(counts), list(counts.values()), marker="o", color=COLOURS[0])
    axis.axhline(4.5e16, color=COLOURS[1], linestyle="--", label="the paper's 4.5e16")
    axis.set(xlabel=f"objects on {places} cells", ylabel="trajectories")
    axis.legend(frameon=False)
    return figure


def _legend_below(figure: "Figure", axes: Iterable["Axes"]) -> None:
    """One legend for all panels, below them."""
    found: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found.update(zip(labels, handles, strict=True))
    if found:
        figure.legend(
            list(found.values()), list(found), loc="outside lower center", ncols=4, fontsize=8
        )
