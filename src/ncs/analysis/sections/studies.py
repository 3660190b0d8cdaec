"""Takes the lines of studies, gives a section of curves or bars for each group of them."""

import contextlib
from collections.abc import Sequence

from ncs.analysis.document import Block, Image, Section, Words
from ncs.analysis.figures import as_png, draw_choices, draw_curves, draw_each_method
from ncs.analysis.formatter import Grid, estimate_text
from ncs.analysis.points import Point, all_results, in_words, of_study

ORDER = 30
SENSITIVITY = ("clusters", "clips", "slots")
STRESS = ("noise", "horizon")
ALTERNATIVES = ("choice", "representation")
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


def sections(points: Sequence[Point]) -> list[Section]:
    """Sensitivity, stress and alternatives: a figure and the numbers in it."""
    found = []
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
        caption = f"{title}. {in_words(all_results(own))}."
        blocks: list[Block] = [
            Words(text),
            Image(f"{name}.png", as_png(draw(own, present)), caption),
        ]
        if "horizon" in present:
            lines = of_study(points, "horizon")
            figure = as_png(draw_each_method(lines, "horizon"))
            caption = f"The horizon, each method to its own scale. {in_words(all_results(lines))}."
            blocks.append(Image("horizon.png", figure, caption))
        blocks += [study_grid(of_study(points, study)) for study in present]
        found.append(Section(name, title, tuple(blocks)))
    return found


def study_grid(points: Sequence[Point]) -> Grid:
    """The numbers of a study: a line a method and world, a column a value."""
    values = list(dict.fromkeys(point.value for point in points))
    with contextlib.suppress(ValueError):  # values that are no numbers stay as they came
        values.sort(key=float)
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for point in points:
        lines.setdefault((point.world, point.label), {})[point.value] = estimate_text(point.score)
    rows = [(w, n, *(cells.get(v, "") for v in values)) for (w, n), cells in lines.items()]
    return Grid(points[0].study, (("world", "method", *values), *rows))
