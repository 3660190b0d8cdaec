"""A folder of clips: pictures in the order of their names, and a table of picks and places.

    SOURCE/
      clip-0001/
        000.png 001.png ...   PNG, JPEG or WebP, one more than there are moves
        actions.csv           pick_x_cm,pick_y_cm,place_x_cm,place_y_cm: a line a move

Legend: T frames.
"""

import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncs.bounded import read_regular
from ncs.data.importing.clip import MOST_CLIPS, MOST_FRAMES, LeftOut, RawClip, Source, check_clip
from ncs.data.importing.pictures import load_picture
from ncs.data.importing.units import AXES, metres_of, read_header
from ncs.records import DataError

TABLE = "actions.csv"
ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
MOST_TABLE = 4 << 20  # bytes of a table


@dataclass(frozen=True)
class Moves:
    """A table of picks and places."""

    action: NDArray[np.float32]  # (T - 1, 6) metres, or as given where no unit is named
    unit: str


def open_folder(folder: Path, longest: int) -> Source:
    """The clips of a folder, read one at a time."""
    names = clip_folders(folder)
    unit = read_moves(within(folder, folder / names[0] / TABLE)).unit
    return Source("folder", _read_all(folder, names, unit, longest), len(names), unit)


def clip_folders(folder: Path) -> list[str]:
    """Names of the folders inside that hold a table, in order."""
    names = [name for name in list_bounded(folder, MOST_CLIPS) if (folder / name).is_dir()]
    with_table = sorted(name for name in names if (folder / name / TABLE).exists())
    if not with_table:
        where = f"{folder / names[0]}" if names else f"{folder}"
        raise DataError(f"{where}: holds no {TABLE}; each clip is a folder with pictures and one")
    return with_table


def list_bounded(folder: Path, most: int) -> list[str]:
    """Names in a folder, refused when there are more than it may hold."""
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(names) == most:
                raise DataError(f"{folder}: holds more than {most} files; split it up")
            if not entry.name.startswith("."):
                names.append(entry.name)
    return sorted(names)


def _read_all(
    folder: Path, names: list[str], unit: str, longest: int
) -> Iterator[RawClip | LeftOut]:
    for name in names:
        try:
            yield read_clip(folder, name, unit, longest)
        except DataError as error:
            yield LeftOut(name, str(error))


def read_clip(folder: Path, name: str, unit: str, longest: int) -> RawClip | LeftOut:
    """One clip's pictures and moves."""
    moves = read_moves(within(folder, folder / name / TABLE))
    if moves.unit != unit:
        return LeftOut(name, f"is in {moves.unit or 'no unit'}, the first clip in {unit or 'none'}")
    inside = list_bounded(folder / name, MOST_FRAMES)
    pictures = [within(folder, folder / name / n) for n in inside if n.lower().endswith(ENDINGS)]
    frames = [load_picture(path, longest) for path in pictures]
    for path, frame in zip(pictures, frames, strict=True):
        if frame.shape != frames[0].shape:
            raise DataError(
                f"{path}: is {frame.shape[1]} x {frame.shape[0]} pixels, the first picture "
                f"{frames[0].shape[1]} x {frames[0].shape[0]}"
            )
    if len(frames) < 2:
        return LeftOut(name, f"holds {len(frames)} pictures, at least 2 make a clip")
    return check_clip(name, np.stack(frames), moves.action)


def within(folder: Path, path: Path) -> Path:
    """A path, if what it leads to lies in the folder."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(f"{path}: is a link out of {folder}; copy there what it leads to")
    return path


def read_moves(path: Path) -> Moves:
    """The table of a clip's moves; refuses what is not one by file and line."""
    try:
        text = read_regular(path, MOST_TABLE).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as a table ({type(error).__name__})") from None
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    if not rows:
        raise DataError(f"{path}: is empty; its first line names pick_x, pick_y, place_x, place_y")
    columns, unit = read_header(rows[0], str(path))
    ends = np.zeros((len(rows) - 1, len(AXES)))
    for line, row in enumerate(rows[1:]):
        for axis, column in columns.items():
            ends[line, AXES.index(axis)] = _number(path, line + 2, row, column)
    ends *= metres_of(unit)
    action = np.concatenate([ends[:, :3], ends[:, 3:] - ends[:, :3]], axis=1)
    return Moves(action.astype(np.float32), unit)


def _number(path: Path, line: int, row: list[str], column: int) -> float:
    try:
        return float(row[column])
    except (ValueError, IndexError):
        raise DataError(f"{path}: line {line} has no number in column {column + 1}") from None
