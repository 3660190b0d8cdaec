"""Made-up studies for tests."""

from ncs.analysis.points import Point
from ncs.records import Result


def result(**changes: object) -> Result:
    values = {
        "method": "ncs", "world": "block-rearrange", "goal": "complete", "objects": 4, "seed": 0,
        "episode": 0, "split": "dev", "task": "t", "config": "c", "weights": "w", "code": "0",
        "minimum_moves": 4, "steps": 4, "unsatisfied": 4, "final": 0.5, "best": 0.75,
        "seconds": 1.0,
    }  # fmt: skip
    return Result(**{**values, **changes})  # type: ignore[arg-type]


def point(study: str, label: str, value: str, best: float, **changes: object) -> Point:
    world = str(changes.get("world", "block-rearrange"))
    config = f"{study}/{label}/{value}"
    rows = [
        result(best=best, final=best / 2, seed=seed, config=config, **changes) for seed in range(2)
    ]
    return Point(study, label, value, world, tuple(rows))


METHODS = (("ncs", 0.9), ("random", 0.1), ("mpc", 0.2))


def table_points() -> list[Point]:
    """A table of three methods over two counts, goals and worlds."""
    points = []
    for world in ("block-rearrange", "robogym-rearrange"):
        for method, best in METHODS:
            rows = []
            for goal in ("complete", "partial"):
                for objects in (4, 5):
                    cell = {"goal": goal, "objects": objects, "world": world}
                    rows += point("table", method, "", best, method=method, **cell).results
            points.append(Point("table", method, "", world, tuple(rows)))
    return points
