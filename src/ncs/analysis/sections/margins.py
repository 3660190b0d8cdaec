"""Takes the lines of the table, gives how many times the best rival's score ours is."""

from collections.abc import Mapping, Sequence

from ncs.analysis.document import Block, Section, Words
from ncs.analysis.formatter import PAPER_MARK, Grid, counts_of
from ncs.analysis.points import Point, all_results, names_of, of_study
from ncs.analysis.table import Row, beside_paper, label_of, paper_rows

ORDER = 20
OWN = ("ncs", "oracle")  # no rivals: the one is ours, the other is told the truth
SEEING = ("mpc", "nf")  # rivals that see through a world model: compared on the same weights alone


def sections(points: Sequence[Point]) -> list[Section]:
    """Margins over rivals."""
    return [margin_section(points)] if of_study(points, "table") else []


def margin_section(points: Sequence[Point]) -> Section:
    """How many times the best rival's score ours is, in every cell, beside the paper's."""
    results, names = all_results(of_study(points, "table")), names_of(points)
    blocks: list[Block] = [
        Words(
            "Our score over that of the best rival in the same cell, which is named, and over "
            "each rival alone; a rival that sees through a world model is held against rows of "
            "the same weights only. Where rivals scored nothing there is no ratio."
        )
    ]
    for (world, goal), rows in beside_paper(results, "best").items():
        ours = {label_of(r, names): r for r in rows if r.source == "ours"}
        counts = counts_of(rows)
        mine = {label: row for label, row in ours.items() if row.method == "ncs"}
        lines = [
            (label, *(_margin(row, _rivals(ours, row), n) for n in counts))
            for label, row in mine.items()
        ]
        told: set[str] = set()  # each rival once, by the first row that it may stand beside
        for label, row in mine.items():
            for name, rival in _rivals(ours, row).items():
                if name not in told:
                    margins = (_margin(row, {name: rival}, n) for n in counts)
                    lines.append((f"{label} over {name}", *margins))
                    told.add(name)
        theirs = {row.method: row for row in paper_rows(world, goal)}
        if "NCS" in theirs:
            rivals = {name: row for name, row in theirs.items() if name != "NCS"}
            lines.append((f"NCS{PAPER_MARK}", *(_margin(theirs["NCS"], rivals, n) for n in counts)))
        head = ("method", *(f"{n} objects" for n in counts))
        blocks.append(Grid(f"{world}, {goal} goals: margin", (head, *lines)))
    return Section("margin", "Margins", tuple(blocks))


def _rivals(rows: Mapping[str, Row], own: Row) -> dict[str, Row]:
    """Rows that one of ours may be held against."""
    return {
        label: row
        for label, row in rows.items()
        if row.method not in OWN and (row.method not in SEEING or _weights(row) == _weights(own))
    }


def _weights(row: Row) -> str:
    return row.checkpoint.partition("+")[0]


def _margin(row: Row, rivals: Mapping[str, Row], objects: int) -> str:
    """A ratio and the rival it is against."""
    scores = {name: r.cells[objects].mean for name, r in rivals.items() if objects in r.cells}
    if objects not in row.cells or not scores:
        return ""
    best = max(scores, key=lambda name: scores[name])
    if scores[best] <= 0:
        return "no rival scored"
    return f"{row.cells[objects].mean / scores[best]:.1f}x {best}"
