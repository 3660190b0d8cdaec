"""Result files: one JSON line an episode, each with its own checksum, safe to append to.

A writer that is killed leaves at worst half a line at the end, which the next one cuts off. A
file whose name ends in .gz is packed: it is written at once and never added to.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ncs.records import DataError, Result
from ncs.storage import brief, digest_json, reading, write_bytes, writing

Key = tuple[str | int, ...]
OPENING = b'{"method": "'  # of every line
MOST_BYTES = 2**30  # of an unpacked file: some two million episodes
KEY_FIELDS = (
    "method", "world", "goal", "objects", "seed", "episode", "split", "config", "checkpoint",
)  # fmt: skip


def key_of(result: Result) -> Key:
    """What makes two rows the same episode."""
    return tuple(getattr(result, name) for name in KEY_FIELDS)


def encode(result: Result) -> str:
    """A result as one line of JSON with a checksum."""
    row = asdict(result)
    return json.dumps({**row, "check": digest_json(row)[:12]}, allow_nan=False)


def decode(line: str, where: str) -> Result:
    """A result from its line; refuses a line that was changed since it was written."""
    try:
        row = json.loads(line)
        check = row.pop("check")
        result = Result(**of_today(row))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
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
    content = _content(path)
    whole = content[: content.rfind(b"\n") + 1]
    results: dict[Key, Result] = {}
    for number, line in enumerate(whole.splitlines(), 1):
        result = decode(line.decode(errors="replace"), f"{path}, line {number}")
        if key_of(result) in results:
            raise DataError(f"{path}, line {number}: the same episode stands there twice")
        results[key_of(result)] = result
    return list(results.values())


def _content(path: Path) -> bytes:
    """The bytes of a file, unpacked."""
    with reading(path):
        data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    unpacker = zlib.decompressobj(wbits=31)  # a gzip header is expected
    try:
        text = unpacker.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise DataError(f"{path}: cannot be unpacked ({brief(error)})") from None
    if unpacker.unused_data:
        raise DataError(f"{path}: something follows the packed rows; restore it or write it anew")
    if not unpacker.eof:
        over = f"holds more than {MOST_BYTES} bytes"
        reason = over if unpacker.unconsumed_tail else "is cut off before its end"
        raise DataError(f"{path}: {reason}; restore it or write it anew")
    return text


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
    content, results = _content(path), read_results(path)
    size = content.rfind(b"\n") + 1
    if not is_torn_line(content[size:], whole_lines=bool(results)):
        raise DataError(f"{path}: is not a results file of ncs; name another --out")
    if len(content) > size:
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
