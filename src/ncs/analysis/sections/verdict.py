"""Takes the lines of the table, gives in a sentence each how ours fare beside the paper's NCS."""

from collections.abc import Iterable, Sequence

from ncs.analysis.document import Section, Words
from ncs.analysis.formatter import evidence_text
from ncs.analysis.points import Point, all_results, names_of, of_study
from ncs.analysis.table import Row, beside_paper, label_of

ORDER = 0  # what came of it stands first


def sections(points: Sequence[Point]) -> list[Section]:
    """One section, or none where the paper has no number to stand beside."""
    results, names = all_results(of_study(points, "table")), names_of(points)
    pairs: dict[str, list[tuple[Row, Row]]] = {}
    for rows in beside_paper(results, "best").values():
        theirs = next((row for row in rows if (row.source, row.method) == ("paper", "NCS")), None)
        for row in rows:
            if theirs is not None and (row.source, row.method) == ("ours", "ncs"):
                pairs.setdefault(label_of(row, names), []).append((row, theirs))
    words = tuple(Words(_sentence(label, found)) for label, found in pairs.items())
    return [Section("verdict", "In short", words)] if words else []


def _sentence(label: str, pairs: Iterable[tuple[Row, Row]]) -> str:
    """In how many cells a line is at or above the paper's."""
    cells, evidence = [], set()
    for row, theirs in pairs:
        shared = set(row.cells) & set(theirs.cells)
        cells += [row.cells[n].mean >= theirs.cells[n].mean for n in sorted(shared)]
        evidence.add(evidence_text(row))
    judged = " and ".join(sorted(evidence))
    return (
        f"{label}: at or above the paper's NCS in {sum(cells)} of {len(cells)} cells "
        f"({judged} episodes a cell)."
    )
