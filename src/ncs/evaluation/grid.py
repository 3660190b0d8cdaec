"""Many methods under many rules as one list of small pieces of work, each with a file of its own.

A piece is a stretch of episodes of one cell. Its file is named after all it depends on and appears
whole or not at all, so a piece is played once, by whoever comes first: this process after a kill,
another worker, another machine of a job array.

    FOLDER/WORLD/random-0123456789ab/complete-4-seed0-0-24.jsonl
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ncs import __version__
from ncs.evaluation.code import commit
from ncs.evaluation.harness import (
    Cell,
    Job,
    JudgeConfig,
    MakeEnv,
    judge,
    judge_hash,
    plan,
)
from ncs.evaluation.method import Method
from ncs.evaluation.results import is_cut_off, read_results, save_results
from ncs.records import DataError, Result
from ncs.settings import Settings
from ncs.storage import digest_json

# Answers to jobs in the jobs' order; who works them out, and where, is the engine's affair.
Engine = Callable[[Callable[[Job], list[Result]], Sequence[Job]], Iterator[list[Result]]]
Shard = tuple[int, int]
ALL: Shard = (0, 1)


class Request(Settings):
    """A line of a study: one method under one set of rules, and what was varied."""

    study: str  # "table", or the name of an ablation
    label: str  # what tables and figures call the method
    value: str = ""  # the value of what the study varies
    method: Method
    rules: JudgeConfig
    # Episodes played side by side. It is part of the key, as a piece is one such stretch.
    batch: int = Field(25, ge=1, le=100)

    @property
    def key(self) -> str:
        """Twelve hex digits over all that bears on the results, and nothing that does not."""
        facts = [
            judge_hash(self.method, self.rules),
            str(self.method.checkpoint),
            self.rules.split_name,
            self.batch,
            __version__,
        ]
        return digest_json(facts)[:12]


@dataclass(frozen=True)
class Piece:
    """A stretch of episodes and the file they belong in."""

    request: Request
    cell: Cell
    path: Path


@dataclass(frozen=True)
class GridProgress:
    """How far a grid has come."""

    done: int  # pieces that stand in the folder
    total: int
    latest: Piece | None = None


def pieces(requests: Sequence[Request], folder: Path) -> list[Piece]:
    """All pieces of requests in a fixed order; what two studies have in common comes once."""
    found: dict[Path, Piece] = {}
    for request in requests:
        home = folder / request.rules.world / f"{request.method.name}-{request.key}"
        for cell in plan(request.method, request.rules, request.batch):
            path = home / _file_name(cell)
            found.setdefault(path, Piece(request, cell, path))
    return list(found.values())


def _file_name(cell: Cell) -> str:
    first, last = cell.episodes[0], cell.episodes[-1]
    return f"{cell.goal}-{cell.objects}-seed{cell.seed}-{first}-{last}.jsonl"


def share_of(found: Sequence[Piece], shard: Shard) -> list[Piece]:
    """Every n-th piece, from the i-th on."""
    index, count = shard
    return list(found[index::count])


def play(
    make_env: MakeEnv,
    requests: Sequence[Request],
    folder: Path,
    engine: Engine,
    shard: Shard = ALL,
) -> Iterator[GridProgress]:
    """Plays what is missing of a grid, or of one shard of it, and tells of every piece."""
    mine = share_of(pieces(requests, folder), shard)
    todo = [piece for piece in mine if not piece.path.exists()]
    done = len(mine) - len(todo)
    yield GridProgress(done, len(mine))
    jobs = [job_of(piece, make_env) for piece in todo]
    if not jobs:
        return
    for piece, results in zip(todo, engine(judge, jobs), strict=True):
        save_results(piece.path, results)
        done += 1
        yield GridProgress(done, len(mine), piece)


def job_of(piece: Piece, make_env: MakeEnv) -> Job:
    """What a worker needs for a piece; its rows carry the label of the request."""
    request = piece.request
    method = request.method.model_copy(update={"label": request.label})
    return Job(make_env, method, request.rules, piece.cell, commit())


def missing(requests: Sequence[Request], folder: Path) -> int:
    """How many pieces have no file yet."""
    return sum(not piece.path.exists() for piece in pieces(requests, folder))


def results_of(request: Request, folder: Path) -> list[Result]:
    """Every result of a request, in a fixed order; refuses one that is not finished."""
    return [result for piece in pieces([request], folder) for result in read_piece(piece)]


def read_piece(piece: Piece) -> list[Result]:
    """The results of one piece; refuses a file that is missing, damaged or of other work."""
    results = read_results(piece.path)
    cell, request = piece.cell, piece.request
    if tuple(result.episode for result in results) != cell.episodes or is_cut_off(piece.path):
        raise DataError(f"{piece.path}: lacks episodes; remove it to have them played again")
    mine = {
        "method": request.method.name,
        "world": request.rules.world,
        "split": request.rules.split_name,
        "goal": cell.goal,
        "objects": cell.objects,
        "seed": cell.seed,
        "config": judge_hash(request.method, request.rules),
        "checkpoint": str(request.method.checkpoint),
    }
    for name, value in mine.items():
        if any(getattr(result, name) != value for result in results):
            raise DataError(
                f"{piece.path}: holds rows of another {name} than {value!r}; remove it to have "
                "them played again"
            )
    return results
