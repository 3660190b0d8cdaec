"""Result files: one JSON line an episode, each with its own checksum, safe to append to.

A writer that is killed leaves at worst half a line at the end, which the next one cuts off. A
file whose name ends in .gz is packed: it is written at once and never added to.
"""

import gzip
import json
import operator
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from ncs.bounded import open_regular, parse_json
from ncs.records import DataError, Result
from ncs.settings import Record, Word, one_line
from ncs.storage import brief, digest_json, reading, write_bytes, writing

Key = tuple[str | int, ...]
OPENING = b'{"method": "'  # of every line
MOST_BYTES = 2**30  # of a file, unpacked: some two million episodes
MOST_ROWS = 1_000_000
MOST_LINE = 2**16  # bytes
PART = 2**18  # bytes that are unpacked at a time
KEY_FIELDS = (
    "method", "world", "goal", "objects", "seed", "episode", "split", "config", "checkpoint",
)  # fmt: skip


KEY = operator.attrgetter(*KEY_FIELDS)


def key_of(result: Result) -> Key:
    """What makes two rows the same episode."""
    key: Key = KEY(result)
    return key


def encode(result: Result) -> str:
    """A result as one line of JSON with a checksum."""
    row = asdict(result)
    return json.dumps({**row, "check": digest_json(row)[:12]}, allow_nan=False)


class Row(Record):
    """What a line of a results file must say; the columns are those of ``Result``."""

    model_config = ConfigDict(extra="forbid")

    method: Word
    world: Word
    goal: Word
    objects: int = Field(ge=0, le=1000)
    seed: int = Field(ge=0, lt=2**63)
    episode: int = Field(ge=0, lt=2**63)
    split: Word
    task: Word
    config: Word
    code: Word
    minimum_moves: int = Field(ge=0, le=100_000)
    steps: int = Field(ge=0, le=1_000_000)
    unsatisfied: int = Field(ge=0, le=100_000)
    final: float = Field(ge=-1000, le=1)  # what was undone may outnumber what was to do
    best: float = Field(ge=-1000, le=1)
    seconds: float = Field(ge=0, le=1e9)
    cap_factor: int = Field(4, ge=1, le=1_000_000)
    noise: float = Field(0.0, ge=0, le=1e6)
    n_constrained: int = Field(2, ge=0, le=100_000)
    label: Word = ""
    settings: dict[str, Any] = Field(default_factory=dict, max_length=1000)
    weights: Word = ""
    graph: Word = ""
    sets: Word = ""
    commit: Word = ""


def decode(line: bytes | str, where: str) -> Result:
    """A result from its line; refuses a line that was changed since it was written."""
    data = line.encode() if isinstance(line, str) else line
    if len(data) > MOST_LINE:
        raise DataError(f"{where}: is longer than {MOST_LINE} bytes, so it is not a result")
    try:
        row = parse_json(data, where)
        check = row.pop("check")
        values = of_today(row)
        Row.model_validate(values)
        result = Result(**values)
    except ValidationError as error:
        raise DataError(f"{where}: is not a result ({one_line(error)})") from None
    except (DataError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{where}: is not a result ({brief(error)})") from None
    if digest_json(row)[:12] != check:
        raise DataError(f"{where}: damaged (checksum differs); remove the line to run it again")
    return result


def of_today(row: dict[str, Any]) -> dict[str, Any]:
    """A row with today's columns: older ones had all hashes in one word, and no settings."""
    if "checkpoint" not in row:
        return row
    rest = {name: value for name, value in row.items() if name != "checkpoint"}
    parts = [] if row["checkpoint"] == "none" else row["checkpoint"].split("+")
    hashes = dict(zip(("weights", "graph", "sets"), parts, strict=False))
    return {**rest, **hashes, "label": row["method"], "commit": row["code"]}


def read_results(path: Path) -> list[Result]:
    """Every result in a file, once. Half a line at the very end is passed over."""
    results: dict[Key, Result] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.endswith(b"\n"):
            break  # half a line, or one whose writer may still be at it
        if number > MOST_ROWS:
            raise DataError(f"{path}: holds more than {MOST_ROWS} rows, the most that are read")
        result = decode(line, f"{path}, line {number}")
        if results.setdefault(key_of(result), result) is not result:
            raise DataError(f"{path}, line {number}: the same episode stands there twice")
    return list(results.values())


def is_cut_off(path: Path) -> bool:
    """Whether the last row of a file lacks its end, so that it does not count."""
    last = b"\n"
    for line in _lines(path):
        last = line
    return not last.endswith(b"\n")


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, unpacked bit by bit; the last may lack its end."""
    left = b""
    for part in _unpacked(path) if path.suffix == ".gz" else _parts(path):
        *whole, left = (left + part).split(b"\n")
        for line in whole:
            yield line + b"\n"
        if len(left) > MOST_LINE:
            raise DataError(f"{path}: has a line of over {MOST_LINE} bytes: is not a result")
    if left:
        yield left


def _parts(path: Path) -> Iterator[bytes]:
    """The bytes of a file, bit by bit."""
    with reading(path), open_regular(path, MOST_BYTES) as file:
        while part := file.read(PART):
            yield part


def _unpacked(path: Path) -> Iterator[bytes]:
    """The unpacked bytes of a file, bit by bit; never more than the limit."""
    unpacker = zlib.decompressobj(wbits=31)  # a gzip header is expected
    size, more = 0, False
    try:
        for packed in _parts(path):
            more = more or unpacker.eof
            while packed and not unpacker.eof:
                part = unpacker.decompress(packed, PART)
                packed = unpacker.unconsumed_tail
                size += len(part)
                if size > MOST_BYTES:
                    why = f"holds more than {MOST_BYTES} bytes"
                    raise DataError(f"{path}: {why}; restore it or write it anew")
                yield part
    except zlib.error as error:
        raise DataError(f"{path}: cannot be unpacked ({brief(error)})") from None
    if not unpacker.eof:
        raise DataError(f"{path}: is cut off before its end; restore it or write it anew")
    if unpacker.unused_data or more:
        raise DataError(f"{path}: something follows the packed rows; restore it or write it anew")


def save_results(path: Path, results: Iterable[Result]) -> None:
    """Writes results as one file that 'ncs table' reads; the same bytes for the same results."""
    lines = "".join(encode(result) + "\n" for result in results).encode()
    write_bytes(path, gzip.compress(lines, mtime=0) if path.suffix == ".gz" else lines)


def merge_results(paths: Sequence[Path]) -> list[Result]:
    """The results of several files as one; an episode in two of them counts once."""
    merged: dict[Key, Result] = {}
    for path in paths:
        for result in read_results(path):
            earlier = merged.setdefault(key_of(result), result)
            if (earlier.final, earlier.best, earlier.task) != (
                result.final,
                result.best,
                result.task,
            ):
                raise DataError(
                    f"{path}: contradicts another file on {result.method}, {result.objects} "
                    f"objects, seed {result.seed}, episode {result.episode}"
                )
    return list(merged.values())


def open_results(path: Path) -> list[Result]:
    """The results in a file that is about to be added to; none where it is not there yet.

    Half a line that a killed writer left at the end is removed, but not before the whole file has
    shown itself to be of results: anything else is refused and left as it is.
    """
    if not path.exists():
        return []
    if not path.is_file():
        raise DataError(f"{path}: is no file; name another --out")
    results, size, tail = read_results(path), 0, b""
    for line in _lines(path):
        whole = line.endswith(b"\n")
        size, tail = size + len(line) * whole, b"" if whole else line
    if not is_torn_line(tail, whole_lines=bool(results)):
        raise DataError(f"{path}: is not a results file of ncs; name another --out")
    if tail:
        with writing(path):
            os.truncate(path, size)
    return results


def is_torn_line(tail: bytes, whole_lines: bool) -> bool:
    """Whether what follows the last line of a file is part of a result, or nothing."""
    try:
        json.loads(tail)
    except (ValueError, RecursionError):
        start = OPENING[: len(tail)] if whole_lines or not tail else OPENING
        return tail.startswith(start)
    try:
        return bool(decode(tail.decode(), "here"))  # only its line end is missing
    except DataError:
        return False


def append_results(path: Path, results: Iterable[Result]) -> None:
    """Adds results to a file; on return they are on the disk."""
    lines = "".join(encode(result) + "\n" for result in results).encode()
    with writing(path):
        size = path.stat().st_size if path.exists() else 0
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            view = memoryview(lines)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, size)
            raise
        finally:
            os.close(handle)


def result_fields() -> list[str]:
    """Names of a result's columns."""
    return [f.name for f in fields(Result)]
