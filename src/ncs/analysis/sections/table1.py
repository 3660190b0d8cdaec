"""Takes the lines of the table, gives Table 1 beside the paper's, by both scores and drawn."""

from collections.abc import Sequence

from ncs.analysis.document import Block, Image, Section, Words
from ncs.analysis.figures import as_png, draw_table
from ncs.analysis.formatter import result_grids
from ncs.analysis.points import Point, all_results, in_words, names_of, of_study
from ncs.analysis.table import paper

ORDER = 10


def sections(points: Sequence[Point]) -> list[Section]:
    """Table 1."""
    table = of_study(points, "table")
    return [table_section(points, absent_methods(points))] if table else []


def table_section(points: Sequence[Point], absent: Sequence[str]) -> Section:
    """Table 1 beside the paper's, by both scores, and as a figure."""
    results, names = all_results(of_study(points, "table")), names_of(points)
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


def absent_methods(points: Sequence[Point]) -> list[str]:
    """Methods of the paper's table that were not run."""
    run = {result.method for result in all_results(of_study(points, "table"))}
    return [theirs for ours, theirs in paper()["names"].items() if ours not in run]
