"""Takes results, gives table rows beside the paper's; ``formatter`` makes text of them."""

import functools
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from ncs.evaluation.metrics import Estimate, over_seeds
from ncs.records import Result
from ncs.registry import find_world, names

ScoreName = Literal["best", "final", "moves"]
SCORES: tuple[ScoreName, ...] = ("best", "final")
Names = Mapping[tuple[str, str], str]  # what a row is called, by hash of settings and checkpoint
NAMELESS: Names = {}  # rows are called after their method


@dataclass(frozen=True)
class Row:
    """One method on one world and goal kind, by number of objects."""

    world: str
    goal: str
    method: str
    source: Literal["ours", "paper"]
    split: str
    config: str
    checkpoint: str
    cells: dict[int, Estimate]
    label: str = ""  # what it is called, if not by its method


@functools.cache
def paper() -> dict[str, Any]:
    """What the paper's Table 1 is and calls its methods; its numbers stand with the worlds."""
    text = (resources.files("ncs.analysis") / "paper.json").read_text()
    content: dict[str, Any] = json.loads(text)
    return content


def our_rows(results: Iterable[Result], score: ScoreName) -> list[Row]:
    """Results gathered into rows; a row never mixes settings, checkpoints or splits."""
    scores: dict[tuple[str, ...], dict[int, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    labels: dict[tuple[str, ...], str] = {}
    key: tuple[str, ...]
    for r in results:
        key = (r.world, r.goal, r.method, r.split, r.config, r.checkpoint)
        scores[key][r.objects][r.seed].append(getattr(r, score))
        labels[key] = r.label
    rows = []
    for key, counts in scores.items():
        world, goal, method, split, config, checkpoint = key
        cells = {objects: over_seeds(by_seed) for objects, by_seed in sorted(counts.items())}
        rows.append(Row(world, goal, method, "ours", split, config, checkpoint, cells, labels[key]))
    return rows


def paper_rows(world: str, goal: str) -> list[Row]:
    """The paper's rows for one sub-table; none of a world that is not known here."""
    rows = []
    known = find_world(world).published if world in names("world") else ()
    for row in known:
        if row.goal != goal:
            continue
        values = zip(row.objects, row.mean, row.error, strict=True)
        cells = {objects: Estimate(mean, error, 10, 1000) for objects, mean, error in values}
        rows.append(Row(world, goal, row.method, "paper", "paper", "", "", cells))
    return rows


def beside_paper(results: Iterable[Result], score: ScoreName) -> dict[tuple[str, str], list[Row]]:
    """Our rows, each followed by the paper's row of the same method, by world and goal kind."""
    called = paper()["names"]
    tables: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in our_rows(results, score):
        tables[row.world, row.goal].append(row)
    for (world, goal), rows in tables.items():
        theirs = {row.method: row for row in paper_rows(world, goal)}
        ordered = []
        for row in sorted(rows, key=_rank):
            ordered.append(row)
            twin = theirs.pop(called.get(row.method, ""), None)
            if twin is not None:
                ordered.append(twin)
        if "NCS" in theirs:
            ordered.append(theirs["NCS"])  # the line to beat stands in every table
        tables[world, goal] = ordered
    return dict(tables)


def label_of(row: Row, names: Names) -> str:
    """What one of our rows is called: by the given names, its own label, or its method."""
    return names.get((row.config, row.checkpoint), row.label or row.method)


def _rank(row: Row) -> tuple[int, str]:
    """Order of methods: ours first, then the paper's rivals in its order, others, the oracle."""
    order = ["ncs", "random", "mpc", "nf", "iql", "bc", "gcivl", "oracle"]
    place = order.index(row.method) if row.method in order else len(order)
    return place, row.method


def as_records(
    results: Iterable[Result], score: ScoreName, names: Names = NAMELESS
) -> list[dict[str, Any]]:
    """The tables as plain data for machines: one record a cell."""
    return [
        {
            "world": world,
            "goal": goal,
            "method": row.method,
            "label": label_of(row, names),
            "source": row.source,
            "split": row.split,
            "config": row.config,
            "checkpoint": row.checkpoint,
            "objects": objects,
            "score": score,
            "mean": cell.mean,  # to the last digit: who rounds it again must come to the same text
            "error": cell.error,
            "seeds": cell.seeds,
            "episodes": cell.episodes,
        }
        for (world, goal), rows in beside_paper(results, score).items()
        for row in rows
        for objects, cell in row.cells.items()
    ]


def from_records(
    records: Iterable[Mapping[str, Any]], score: ScoreName
) -> tuple[dict[tuple[str, str], list[Row]], Names]:
    """The rows by world and goal kind, and their names, of what ``as_records`` gave."""
    tables: dict[tuple[str, str], dict[tuple[str, ...], Row]] = defaultdict(dict)
    names: dict[tuple[str, str], str] = {}
    for one in records:
        if one["score"] != score:
            continue
        rows = tables[one["world"], one["goal"]]
        key = (one["method"], one["source"], one["split"], one["config"], one["checkpoint"])
        row = rows.setdefault(key, Row(one["world"], one["goal"], *key, {}))
        row.cells[one["objects"]] = Estimate(
            one["mean"], one["error"], one["seeds"], one["episodes"]
        )
        if one["source"] == "ours":
            names[row.config, row.checkpoint] = one["label"]
    return {name: list(rows.values()) for name, rows in tables.items()}, names
