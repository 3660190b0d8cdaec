"""Takes table rows, gives text: the one formatter of commands, reports, documents and viewer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from ncs.analysis.table import NAMELESS, Names, Row, ScoreName, beside_paper, label_of
from ncs.evaluation.metrics import Estimate
from ncs.records import DataError, Result

MEANING = {
    "best": "fractional success, best so far in the episode",
    "final": "fractional success, at the end of the episode",
    "moves": "steps taken, times the fewest needed",
}
PAPER_MARK = " (paper)"  # how rows of the paper end


@dataclass(frozen=True)
class Grid:
    """A table of texts: the first row is its head."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def estimate_text(cell: Estimate | None) -> str:
    """A number with its error; with one seed there is no error to show."""
    if cell is None:
        return ""
    return f"{cell.mean:.3f} ±{cell.error:.3f}" if cell.seeds > 1 else f"{cell.mean:.3f}"


def label_text(row: Row, names: Names) -> str:
    """A row's first column: what it is called, and on which tasks it was judged."""
    if row.source == "paper":
        return f"{row.method}{PAPER_MARK}"
    split = "" if row.split == "test" else f", {row.split} tasks"
    return f"{label_of(row, names)}{split}"


def evidence_text(row: Row) -> str:
    """How many seeds and episodes stand behind each number of a row."""
    if row.source == "paper":
        return "10 seeds x 100"
    seeds = min(cell.seeds for cell in row.cells.values())
    episodes = min(cell.episodes // cell.seeds for cell in row.cells.values())
    return f"{seeds} seeds x {episodes}"


def counts_of(rows: Iterable[Row]) -> list[int]:
    """The numbers of objects on which we were judged: the columns of a table."""
    return sorted({objects for row in rows if row.source == "ours" for objects in row.cells})


def shown_rows(rows: Sequence[Row], score: ScoreName) -> list[Row]:
    """The rows of a table: ours, and the paper's where they have a number to stand beside ours.

    The paper's numbers fit the best score, and stand beside it alone.
    """
    counts = set(counts_of(rows))
    return [
        row
        for row in joined(rows)
        if row.source == "ours" or (score == "best" and counts & set(row.cells))
    ]


def joined(rows: Iterable[Row]) -> list[Row]:
    """Rows of one label and model, judged by rules of their own in each column, as one line."""
    lines: list[Row] = []
    for row in rows:
        for place, line in enumerate(lines):
            if row.label and _named(row) == _named(line) and not set(row.cells) & set(line.cells):
                lines[place] = replace(line, cells=dict(sorted((line.cells | row.cells).items())))
                break
        else:
            lines.append(row)
    return lines


def _named(row: Row) -> tuple[str, ...]:
    """All that a table shows of a row, but for its numbers."""
    return (row.source, row.method, row.label, row.split, row.checkpoint)


def row_texts(row: Row, counts: Sequence[int], names: Names) -> tuple[str, ...]:
    """A row of a table, column by column."""
    cells = (estimate_text(row.cells.get(objects)) for objects in counts)
    return (label_text(row, names), *cells, evidence_text(row), row.checkpoint)


def result_grid(
    where: tuple[str, str], rows: Sequence[Row], score: ScoreName, names: Names
) -> Grid:
    """The table of a world and a goal kind."""
    world, goal = where
    counts = counts_of(rows)
    head = ("method", *(f"{n} objects" for n in counts), "evidence", "checkpoint")
    lines = [row_texts(row, counts, names) for row in shown_rows(rows, score)]
    return Grid(f"{world}, {goal} goals: {MEANING[score]}", (head, *lines))


def result_grids(
    results: Iterable[Result], score: ScoreName, names: Names = NAMELESS
) -> list[Grid]:
    """Results beside the paper's, a table a world and goal kind."""
    tables = beside_paper(results, score)
    return [result_grid(where, rows, score, names) for where, rows in tables.items()]


def summary_grid(
    results: Iterable[Result], score: ScoreName, names: Names, columns: Sequence[str] = ()
) -> Grid:
    """One table of everything: a line a world, goal kind and number of objects, a column a method.

    Of the numbers of objects the fewest and the most are shown. ``columns`` says which methods, in
    which order; the paper's NCS stands before them.
    """
    tables = {
        where: shown_rows(rows, score) for where, rows in beside_paper(results, score).items()
    }
    labels = [label_text(row, names) for rows in tables.values() for row in rows]
    theirs = [label for label in dict.fromkeys(labels) if label == f"NCS{PAPER_MARK}"]
    ours = list(columns) or [x for x in dict.fromkeys(labels) if not x.endswith(PAPER_MARK)]
    for label in ours:
        if label not in labels:
            choices = ", ".join(dict.fromkeys(labels))
            raise DataError(f"rows: there is no {label!r}, choose from {choices}")
    lines = []
    for (world, goal), rows in tables.items():
        by_label = {label_text(row, names): row for row in rows}
        counts = counts_of(rows)
        for objects in dict.fromkeys((counts[0], counts[-1])):
            cells = (_cell(by_label, label, objects) for label in (*theirs, *ours))
            lines.append((f"{world}, {goal} goals, {objects} objects", *cells))
    return Grid(MEANING[score].capitalize(), (("", *theirs, *ours), *lines))


def _cell(rows: Mapping[str, Row], label: str, objects: int) -> str:
    return estimate_text(rows[label].cells.get(objects)) if label in rows else ""


def grid_text(grid: Grid) -> str:
    """A table in plain columns; checkpoints would make it too wide for a screen."""
    kept = [i for i, name in enumerate(grid.rows[0]) if name != "checkpoint"]
    rows = [[row[i] for i in kept] for row in grid.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [grid.title]
    for row in rows:
        texts = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("  ".join(texts).rstrip())
    return "\n".join(lines)


def grid_markdown(grid: Grid) -> str:
    """A table in Markdown."""
    head, *rows = (f"| {' | '.join(map(markdown_text, row))} |" for row in grid.rows)
    lines = [f"**{markdown_text(grid.title)}**", "", head, "|" + "---|" * len(grid.rows[0])]
    return "\n".join([*lines, *rows])


def markdown_text(text: str) -> str:
    """Text that is no tag and ends no cell, whatever a stranger called a method."""
    return text.replace("<", "&lt;").replace("|", "\\|")


def grid_html(grid: Grid) -> str:
    """A table in HTML, rows of the paper marked."""
    head, *rows = grid.rows
    lines = [f"<table>\n<caption>{escape(grid.title)}</caption>"]
    lines.append("<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>")
    for row in rows:
        mark = ' class="paper"' if row[0].endswith(PAPER_MARK) else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def as_text(results: Iterable[Result], score: ScoreName, names: Names = NAMELESS) -> str:
    """Results as tables in plain columns."""
    return "\n\n".join(map(grid_text, result_grids(results, score, names)))


def as_markdown(results: Iterable[Result], score: ScoreName, names: Names = NAMELESS) -> str:
    """Results as tables in Markdown."""
    return "\n\n".join(map(grid_markdown, result_grids(results, score, names)))
