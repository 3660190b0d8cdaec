"""Files that no crash can spoil: written aside, synced, renamed, and checked by hash when read."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as encode_arrays

from ncs.bounded import (
    MOST_JSON,
    MOST_MAPPED,
    Expected,
    check_arrays,
    open_regular,
    parse_json,
    read_entries,
    read_header,
    read_regular,
)
from ncs.records import DataError

CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(data: bytes) -> str:
    """SHA-256 of bytes, as hex."""
    return hashlib.sha256(data).hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 of a file, as hex."""
    with reading(path), open_regular(path, MOST_MAPPED) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical(value: Any) -> str:
    """JSON of one spelling: sorted keys, no spaces, no NaN."""
    return CANONICAL.encode(value)


def digest_json(value: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return digest(canonical(value).encode())


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns the system's complaint about a file into one line that names it."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns the system's complaint about a write into one line that says what to do."""
    try:
        yield
    except OSError as error:
        way_out = (
            "free some space and run the same command again (a training with --resume); nothing "
            "written so far is lost"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "check the path and its permissions"
        )
        raise DataError(f"{path}: cannot be written ({error.strerror}): {way_out}") from None


def write_bytes(path: Path, data: bytes) -> None:
    """Replaces a file in one step: a reader sees the old file or the new one, whole."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes a rename inside a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Deletes temporary files that a killed writer left behind."""
    for path in folder.glob(".*.tmp"):
        path.unlink(missing_ok=True)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Writes a JSON object together with a checksum of itself."""
    body = {**value, "checksum": digest_json(value)}
    text = json.dumps(body, indent=1, sort_keys=True, allow_nan=False)
    write_bytes(path, text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object as ``write_json`` left it; refuses one that was changed since."""
    with reading(path):
        value = parse_json(read_regular(path, MOST_JSON), str(path))
    if not isinstance(value, dict) or "checksum" not in value:
        raise DataError(f"{path}: has no checksum, so it was not written by ncs")
    expected = value.pop("checksum")
    if not is_digest(value, expected):
        raise DataError(f"{path}: damaged (checksum differs); restore it or make it again")
    return value


def is_digest(value: Any, expected: Any) -> bool:
    """Whether a hash is that of a value; a value with infinities has none."""
    try:
        return bool(digest_json(value) == expected)
    except ValueError:
        return False


def write_arrays(
    path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any] | None = None
) -> str:
    """Writes arrays as safetensors with a checksum inside; the file's own SHA-256 comes back."""
    dense = {name: np.ascontiguousarray(array) for name, array in sorted(arrays.items())}
    # One metadata key only: with several, their order in the file would not be fixed.
    facts = dict(about or {})
    label = canonical({"about": facts, "check": digest_json([facts, digest_content(dense)])})
    data = encode_arrays(dense, metadata={"ncs": label})
    write_bytes(path, data)
    return digest(data)


def digest_content(arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over names, types, shapes and bytes of arrays."""
    total = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        total.update(canonical([name, array.dtype.str, list(array.shape)]).encode())
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()


def read_arrays(
    path: Path, expected: Mapping[str, Expected] | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and their label as ``write_arrays`` left them; refuses a damaged file by name.

    Args:
        path: File to read.
        expected: What must stand there, no more and no less; compared before anything is read.
    """
    with reading(path):
        header = read_header(path)
        if expected is not None:
            check_arrays(path, header, expected)
        arrays = read_entries(path, header)
    if not is_digest([header.about, digest_content(arrays)], header.check):
        raise DataError(f"{path}: damaged (checksum differs); restore it or make it again")
    return arrays, header.about


def brief(error: BaseException, limit: int = 120) -> str:
    """An exception's words on one short line."""
    return " ".join(str(error).split())[:limit] or type(error).__name__


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Holds a lock beside a file or folder, so that two writers never meet.

    The lock belongs to the file that a link leads to, not to the link, and is gone afterwards.
    While another process holds it, this one is refused; or, if it has something to say of
    ``waiting``, says that and waits.
    """
    real = path.resolve()
    lock = real.parent / f".{real.name}.lock"
    with writing(path):
        lock.parent.mkdir(parents=True, exist_ok=True)
        handles = [_take_lock_file(lock, path, waiting)]
    try:
        if real.is_file():  # it may have a second name, so it is held by what it is, too
            with reading(path):
                handles.append(os.open(real, os.O_RDONLY))
            _take(handles[-1], path, waiting)
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()  # while it is held, so that nobody takes another's for free
        for handle in handles:
            os.close(handle)


def _take_lock_file(lock: Path, path: Path, waiting: Callable[[], None] | None) -> int:
    """A handle on a lock file, held."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _take(handle, path, waiting)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), lock.stat()):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # its last holder removed it meanwhile


def _take(handle: int, path: Path, waiting: Callable[[], None] | None) -> None:
    """Holds an open file, or refuses."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if waiting is None:
            line = f"{path}: another ncs process is writing it; wait for it"
            raise DataError(line) from None
        waiting()
        fcntl.flock(handle, fcntl.LOCK_EX)
