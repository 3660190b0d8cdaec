"""Takes results, gives the sections of a report: tables, margins, curves, time."""

from collections.abc import Mapping, Sequence
from typing import Any

from ncs.analysis.document import Block, Image, Section, Words
from ncs.analysis.figures import (
    as_png,
    draw_choices,
    draw_curves,
    draw_each_method,
    draw_table,
    draw_task_space,
)
from ncs.analysis.formatter import PAPER_MARK, Grid, counts_of, estimate_text, result_grids
from ncs.analysis.points import Point, in_words, names_of, of_study
from ncs.analysis.table import Row, beside_paper, label_of, paper, paper_rows
from ncs.analysis.task_space import count_trajectories
from ncs.records import Result
from ncs.registry import find_world, paper_worlds

SENSITIVITY = ("clusters", "clips", "slots")
STRESS = ("noise", "horizon")
ALTERNATIVES = ("choice", "representation")
OWN = ("ncs", "oracle")  # no rivals: the one is ours, the other is told the truth
PAPER_SPEED = 33  # seconds of MPC for one of NCS, in the paper


def results_of(points: Sequence[Point]) -> list[Result]:
    """All results of lines of a study."""
    return [result for point in points for result in point.results]


def table_section(points: Sequence[Point], absent: Sequence[str]) -> Section:
    """Table 1 beside the paper's, by both scores, and as a figure."""
    results, names = results_of(of_study(points, "table")), names_of(points)
    blocks: list[Block] = [
        Words(
            "Fractional success: constraints gained over those that did not hold at the start. "
            "Errors are standard errors over seeds. The paper's numbers fit the best-so-far score "
            "of an episode, so that is what stands beside them; the score at the end follows."
        )
    ]
    if absent:
        blocks.append(Words(f"Methods of the paper that were not run: {', '.join(absent)}."))
    blocks += result_grids(results, "best", names)
    caption = f"Table 1, ours filled and the paper's hollow. {in_words(results)}."
    blocks.append(Image("table.png", as_png(draw_table(results, names)), caption))
    blocks += result_grids(results, "final", names)
    return Section("table", "Table 1", tuple(blocks))


def margin_section(points: Sequence[Point]) -> Section:
    """How many times the best rival's score ours is, in every cell, beside the paper's."""
    results, names = results_of(of_study(points, "table")), names_of(points)
    blocks: list[Block] = [
        Words(
            "Our score over that of the best rival in the same cell, which is named, and over "
            "each rival alone. Where rivals scored nothing there is no ratio."
        )
    ]
    for (world, goal), rows in beside_paper(results, "best").items():
        ours = {label_of(r, names): r for r in rows if r.source == "ours"}
        counts = counts_of(rows)
        lines = [
            (label, *(_margin(row, _rivals(ours), n) for n in counts))
            for label, row in ours.items()
            if row.method == "ncs"
        ]
        if "ncs" in ours:
            for name, rival in _rivals(ours).items():
                margins = (_margin(ours["ncs"], {name: rival}, n) for n in counts)
                lines.append((f"ncs over {name}", *margins))
        theirs = {row.method: row for row in paper_rows(world, goal)}
        if "NCS" in theirs:
            rivals = {name: row for name, row in theirs.items() if name != "NCS"}
            lines.append((f"NCS{PAPER_MARK}", *(_margin(theirs["NCS"], rivals, n) for n in counts)))
        head = ("method", *(f"{n} objects" for n in counts))
        blocks.append(Grid(f"{world}, {goal} goals: margin", (head, *lines)))
    return Section("margin", "Margins", tuple(blocks))


def _rivals(rows: Mapping[str, Row]) -> dict[str, Row]:
    return {label: row for label, row in rows.items() if row.method not in OWN}


def _margin(row: Row, rivals: Mapping[str, Row], objects: int) -> str:
    """A ratio and the rival it is against."""
    scores = {name: r.cells[objects].mean for name, r in rivals.items() if objects in r.cells}
    if objects not in row.cells or not scores:
        return ""
    best = max(scores, key=lambda name: scores[name])
    if scores[best] <= 0:
        return "no rival scored"
    return f"{row.cells[objects].mean / scores[best]:.1f}x {best}"


def curve_section(points: Sequence[Point]) -> list[Section]:
    """Sensitivity, stress and alternatives: a figure and the numbers in it."""
    sections = []
    for name, title, studies, text in (
        ("sensitivity", "Sensitivity of the graph", SENSITIVITY, SENSITIVITY_WORDS),
        ("stress", "Stress: unsteady hands, fewer or more steps", STRESS, STRESS_WORDS),
        ("choices", "Alternatives", ALTERNATIVES, ALTERNATIVES_WORDS),
    ):
        present = [study for study in studies if of_study(points, study)]
        if not present:
            continue
        own = [point for point in points if point.study in present]
        draw = draw_choices if name == "choices" else draw_curves
        caption = f"{title}. {in_words(results_of(own))}."
        blocks: list[Block] = [
            Words(text),
            Image(f"{name}.png", as_png(draw(own, present)), caption),
        ]
        if "horizon" in present:
            lines = of_study(points, "horizon")
            figure = as_png(draw_each_method(lines, "horizon"))
            caption = f"The horizon, each method to its own scale. {in_words(results_of(lines))}."
            blocks.append(Image("horizon.png", figure, caption))
        blocks += [study_grid(of_study(points, study)) for study in present]
        sections.append(Section(name, title, tuple(blocks)))
    return sections


SENSITIVITY_WORDS = (
    "Appendix C of the paper: too few clusters cannot tell places apart, too many split the data; "
    "more clips cover more edges; surplus slots do little harm. The graph is built anew for every "
    "value. With every extension on, the number of nodes is chosen from the data, but for the "
    "study of clusters, where it is fixed. The study of slots builds both graphs from as many "
    "clips as the one with every extension."
)
STRESS_WORDS = (
    "Noise is added to every number of every action; 1 is a standard deviation as large as the "
    "distance by which a pick may miss. The horizon is the number of steps allowed, as a multiple "
    "of the fewest that solve the task; Table 1 has 4."
)
ALTERNATIVES_WORDS = (
    "Which constraint is served next: sampled by distance, as in the paper, or the one that is "
    "worst off. What is clustered: masks (alpha) or states (the paper's lambda s), with the "
    "paper's metric of each."
)


def study_grid(points: Sequence[Point]) -> Grid:
    """The numbers of a study: a line a method and world, a column a value."""
    values = list(dict.fromkeys(point.value for point in points))
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for point in points:
        lines.setdefault((point.world, point.label), {})[point.value] = estimate_text(point.score)
    rows = [(w, n, *(cells.get(v, "") for v in values)) for (w, n), cells in lines.items()]
    return Grid(points[0].study, (("world", "method", *values), *rows))


def space_section() -> Section:
    """The size of the task space of the paper's world whose places can be counted."""
    world = next(w for w in map(find_world, paper_worlds()) if w.places)
    cells = world.places
    counts = {k: count_trajectories(cells, k, k) for k in range(1, 9)}
    rows = [(str(k), f"{n:.2e}") for k, n in counts.items()]
    blocks = (
        Words(
            f"Appendix D: k objects on {cells} cells can start in C({cells}, k) ways, and each "
            f"move has k ({cells} - k) outcomes; a complete goal takes at least k moves. Seven "
            f"objects make {counts[7]:.2e} trajectories; the paper says at least 4.5e16."
        ),
        Image(
            "task_space.png",
            as_png(draw_task_space(cells, counts)),
            f"Trajectories of k moves of k objects on {cells} cells, counted.",
        ),
        Grid("trajectories", (("objects", "trajectories"), *rows)),
    )
    return Section("space", "The size of the task space", blocks)


def time_section(points: Sequence[Point]) -> Section:
    """Seconds a step of every method, by the clock; the only part that no two runs share."""
    blocks: list[Block] = [
        Words(
            "Seconds on the clock for each step of an episode, world and policy together, in "
            "this run. It is the only part of this report that comes out differently every time. "
            f"The paper has NCS {PAPER_SPEED} times as fast as MPC; how large MPC's search was "
            "here stands among the settings (none: the paper's 10 rounds of 250)."
        )
    ]
    table = of_study(points, "table")
    for world in dict.fromkeys(point.world for point in table):
        cost = {point.label: _seconds(point.results) for point in table if point.world == world}
        ours = cost.get("ncs")
        rows = [
            (label, f"{seconds:.4f}", f"{seconds / ours:.2g}x" if ours else "")
            for label, seconds in cost.items()
        ]
        blocks.append(Grid(f"{world}", (("method", "seconds a step", "times ours"), *rows)))
    return Section("time", "Time", tuple(blocks))


def _seconds(results: Sequence[Result]) -> float:
    return sum(r.seconds for r in results) / max(1, sum(r.steps for r in results))


def absent_methods(points: Sequence[Point]) -> list[str]:
    """Methods of the paper's table that were not run."""
    run = {result.method for result in results_of(of_study(points, "table"))}
    return [theirs for ours, theirs in paper()["names"].items() if ours not in run]


def facts_section(facts: Mapping[str, Any]) -> Section:
    """What was run: settings and hashes, so that every number can be traced."""
    rows = [(str(name), str(value)) for name, value in facts.items()]
    words = Words(
        "Every number below comes from one run of 'ncs reproduce'; the rows behind them stand in "
        "results/, with the hash of each task, setting and checkpoint."
    )
    return Section("run", "What was run", (words, Grid("settings", (("name", "value"), *rows))))
