"""Takes and gives studies on the disk: results of each, and an index of what was varied.

FOLDER/index.json        one entry a line of a study
FOLDER/table.jsonl.gz    results, as 'ncs evaluate' writes them and 'ncs table' reads them, packed
FOLDER/noise.jsonl.gz    ...
FOLDER/cells.json        the table's cells by both scores, for who would not read all its rows
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from ncs.analysis.table import SCORES, Names, as_records
from ncs.evaluation.grid import Request, results_of
from ncs.evaluation.harness import judge_hash
from ncs.evaluation.metrics import Estimate, over_seeds
from ncs.evaluation.results import Key, key_of, read_results, save_results
from ncs.records import DataError, Result
from ncs.settings import Record, Word, checked
from ncs.storage import read_json, write_json

INDEX = "index.json"
CELLS = "cells.json"
# Together these tell one line of a study from another.
LINE_FIELDS = ("method", "world", "split", "config", "checkpoint")


@dataclass(frozen=True)
class Point:
    """One line of a study: a method, what was varied, and how it fared."""

    study: str
    label: str  # what the method is called
    value: str  # of what was varied; empty in the table
    world: str
    results: tuple[Result, ...]

    @property
    def score(self) -> Estimate:
        """Fractional success, best so far, over all cells of the line."""
        by_seed: dict[int, list[float]] = {}
        for result in self.results:
            by_seed.setdefault(result.seed, []).append(result.best)
        return over_seeds(by_seed)


def save_points(folder: Path, requests: Sequence[Request], cells: Path, about: Any) -> None:
    """Writes the results of finished requests, and the index."""
    studies: dict[str, dict[Key, Result]] = {}
    for request in requests:
        rows = studies.setdefault(request.study, {})
        rows.update((key_of(result), result) for result in results_of(request, cells))
    for name, rows in studies.items():
        save_results(file_of(folder, name), rows.values())
    lines = [_index_line(request) for request in requests]
    write_json(folder / INDEX, {"lines": lines, "about": about})
    own = [line for line in lines if line["study"] == "table"]
    names = {(line["config"], line["checkpoint"]): line["label"] for line in own}
    table = list(studies.get("table", {}).values())
    records = [cell for score in SCORES for cell in as_records(table, score, names)]
    write_json(folder / CELLS, {"cells": records})


def file_of(folder: Path, study: str) -> Path:
    """Where the results of a study stand."""
    return folder / f"{study}.jsonl.gz"


def _index_line(request: Request) -> dict[str, str]:
    return {
        "study": request.study,
        "label": request.label,
        "value": request.value,
        "method": request.method.name,
        "world": request.rules.world,
        "split": request.rules.split_name,
        "config": judge_hash(request.method, request.rules),
        "checkpoint": str(request.method.checkpoint),
    }


class IndexLine(Record):
    """A line of the index."""

    study: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")  # it names a file
    label: Word
    value: Word
    method: Word
    world: Word
    split: Word
    config: Word
    checkpoint: Word


class Index(Record):
    """What an index must say."""

    lines: list[IndexLine] = Field(max_length=10_000)
    about: Any = None


def checked_index(folder: Path) -> Index:
    """The index of a folder of results; refuses one that names files elsewhere."""
    return checked(Index, read_json(folder / INDEX), folder / INDEX, "an index of results")


def load_points(folder: Path) -> list[Point]:
    """Every line of every study in a folder, in the order in which they were asked for."""
    index = [line.model_dump() for line in checked_index(folder).lines]
    rows: dict[tuple[str, ...], list[Result]] = {}
    for study in dict.fromkeys(line["study"] for line in index):
        for result in read_results(file_of(folder, study)):
            name = (study, *(str(getattr(result, field)) for field in LINE_FIELDS))
            rows.setdefault(name, []).append(result)
    points = []
    for line in index:
        name = (line["study"], *(line[field] for field in LINE_FIELDS))
        own = (line["study"], line["label"], line["value"], line["world"])
        if name not in rows:
            raise DataError(f"{folder / INDEX}: there are no results of {line['label']!r}")
        points.append(Point(*own, tuple(rows[name])))
    return points


def names_of(points: Iterable[Point]) -> Names:
    """What the lines of the table are called."""
    firsts = [(point.results[0], point.label) for point in of_study(points, "table")]
    return {(first.config, first.checkpoint): label for first, label in firsts}


def names_in(folder: Path) -> Names:
    """What the lines of a folder's table are called, by its index."""
    lines = [line for line in checked_index(folder).lines if line.study == "table"]
    return {(line.config, line.checkpoint): line.label for line in lines}


def about(folder: Path) -> dict[str, Any]:
    """What the index says about the whole run."""
    facts: dict[str, Any] = checked_index(folder).about
    return facts


def of_study(points: Iterable[Point], study: str) -> list[Point]:
    """The lines of one study."""
    return [point for point in points if point.study == study]


def all_results(points: Sequence[Point]) -> list[Result]:
    """All results of lines of a study."""
    return [result for point in points for result in point.results]


def in_words(results: Sequence[Result]) -> str:
    """What was run, for a caption: tasks, objects, goals, seeds and episodes."""
    objects = sorted({result.objects for result in results})
    goals = " and ".join(sorted({result.goal for result in results}))
    seeds = sorted({result.seed for result in results})
    counts: dict[tuple[Any, ...], int] = {}
    for r in results:
        cell = (r.method, r.config, r.checkpoint, r.goal, r.objects, r.seed)
        counts[cell] = counts.get(cell, 0) + 1
    least, most = min(counts.values()), max(counts.values())
    episodes = f"{most}" if least == most else f"{least} to {most}"
    shown = str(objects[0]) if len(objects) == 1 else f"{objects[0]} to {objects[-1]}"
    splits = " and ".join(sorted({result.split for result in results}))
    return (
        f"{shown} objects, {goals} goals, {splits} tasks, {len(seeds)} "
        f"seed{'s' * (len(seeds) > 1)} of {episodes} episodes a cell"
    )
