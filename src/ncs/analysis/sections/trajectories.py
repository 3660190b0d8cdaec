"""Gives the size of the task space, counted, beside the paper's figure."""

from collections.abc import Sequence

from ncs.analysis.document import Image, Section, Words
from ncs.analysis.figures import as_png, draw_task_space
from ncs.analysis.formatter import Grid
from ncs.analysis.points import Point
from ncs.analysis.task_space import count_trajectories
from ncs.registry import find_world, paper_worlds

ORDER = 40


def sections(_: Sequence[Point]) -> list[Section]:
    """The size of the task space; it needs no results."""
    return [space_section()]


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
