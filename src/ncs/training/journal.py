"""What a run writes as it goes: figures, timings and pictures beside its checkpoint.

DIR/
  metrics.jsonl   losses and rates; the same bytes however often the run was interrupted
  timing.jsonl    seconds and speed, which no two runs share
  pictures/       step-00002000.png: frames, reconstructions, predictions, masks
  tensorboard/    the same figures for TensorBoard, where it is installed
"""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ncs.storage import canonical, reading, remove_leftovers, write_bytes, writing

METRICS = "metrics.jsonl"
TIMING = "timing.jsonl"
PICTURES = "pictures"
EVALUATED = "holdout"  # a row with this key is written after the checkpoint of its step


def keep_rows(path: Path, step: int) -> None:
    """Cuts a file of rows back to a checkpoint's step.

    The evaluation of a step comes after the checkpoint of that step, so it is cut as well and
    done again.
    """
    if not path.exists():
        return
    with reading(path):
        lines = path.read_bytes().splitlines(keepends=True)
    kept = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            break  # torn off when the run was killed
        if row["step"] < step or (row["step"] == step and EVALUATED not in row):
            kept.append(line)
    write_bytes(path, b"".join(kept))


class Rows:
    """A file of JSON lines, one object each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab")

    def add(self, row: Mapping[str, Any]) -> None:
        """Appends a row; it is with the system before this returns."""
        with writing(self._path):
            self._file.write(canonical(dict(row)).encode() + b"\n")
            self._file.flush()

    def sync(self) -> None:
        """Makes every row so far survive a power cut."""
        with writing(self._path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Lets go of the file."""
        with contextlib.suppress(OSError):  # the rows were flushed, or their failure reported
            self._file.close()


class Journal:
    """The files of one run. With ``step`` it goes on from there; without, it starts afresh."""

    def __init__(self, folder: Path, step: int) -> None:
        self.folder = folder
        for name in (METRICS, TIMING):
            keep_rows(folder / name, step)
        remove_leftovers(folder / PICTURES)
        self._metrics = Rows(folder / METRICS)
        self._timing = Rows(folder / TIMING)
        self._board = _open_board(folder / "tensorboard", step)

    @property
    def has_board(self) -> bool:
        """Whether TensorBoard is installed and being written."""
        return self._board is not None

    def metrics(self, step: int, values: Mapping[str, Any]) -> None:
        """Notes figures of a step; one level of nesting is allowed."""
        self._metrics.add({"step": step, **values})
        if self._board is not None:
            for name, value in _flatten(values):
                self._board.add_scalar(name, value, step)

    def timing(self, step: int, values: Mapping[str, float]) -> None:
        """Notes what differs between two runs that are otherwise the same."""
        self._timing.add({"step": step, **values})

    def picture(self, step: int, png: bytes) -> Path:
        """Writes a picture of a step."""
        path = self.folder / PICTURES / f"step-{step:08d}.png"
        write_bytes(path, png)
        return path

    def sync(self) -> None:
        """Makes the rows so far safe; to be called before a checkpoint is."""
        self._metrics.sync()
        self._timing.sync()
        if self._board is not None:
            self._board.flush()

    def close(self) -> None:
        """Lets go of all files."""
        self._metrics.close()
        self._timing.close()
        if self._board is not None:
            self._board.close()


def _flatten(values: Mapping[str, Any]) -> list[tuple[str, float]]:
    flat = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat += [(f"{name}/{inner}", float(number)) for inner, number in value.items()]
        else:
            flat.append((name, float(value)))
    return flat


def _open_board(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)
