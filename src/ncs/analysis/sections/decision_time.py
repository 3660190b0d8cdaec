"""Takes the lines of the table, gives the seconds of each step by the clock."""

from collections.abc import Sequence

from ncs.analysis.document import Block, Section, Words
from ncs.analysis.formatter import Grid
from ncs.analysis.points import Point, of_study
from ncs.records import Result

ORDER = 50
PAPER_SPEED = 33  # seconds of MPC for one of NCS, in the paper


def sections(points: Sequence[Point]) -> list[Section]:
    """Seconds a step."""
    return [time_section(points)] if of_study(points, "table") else []


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
