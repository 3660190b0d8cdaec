"""A LeRobot dataset (v3) on this disk: parquet tables, and pictures inside them or in videos.

Rows of an episode are its frames in order; a row's action is what was done after its picture, so
the last row's counts for nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ncs.bounded import MOST_MAPPED, open_regular, parse_json, read_regular
from ncs.data.importing.clip import MOST_CLIPS, MOST_FRAMES, LeftOut, RawClip, Source, check_clip
from ncs.data.importing.pictures import MOST_PIXELS, decode_picture
from ncs.records import ConfigError, DataError
from ncs.settings import Record, Word, checked
from ncs.storage import brief, reading

MOST_INFO = 4 << 20
MOST_BATCH = 1 << 30  # bytes of 256 rows


@dataclass(frozen=True)
class Columns:
    """Which columns hold what."""

    picture: str = "observation.image"
    action: str = "action"


class Feature(Record):
    """A column of the dataset."""

    dtype: Word = ""


class Info(Record):
    """What ``meta/info.json`` says, as far as it is needed."""

    features: dict[Word, Feature]
    total_episodes: int = Field(gt=0, le=MOST_CLIPS)
    video_path: Word | None = None


def open_lerobot(folder: Path, columns: Columns) -> Source:
    """The episodes of a dataset's folder, as ``meta/info.json`` describes it."""
    info = read_info(folder)
    for name in (columns.picture, columns.action):
        if name not in info.features:
            held = ", ".join(sorted(info.features))
            raise DataError(f"{folder}: has no column {name!r}; it has {held}")
    return Source("lerobot", _clips(folder, info, columns), info.total_episodes)


def read_info(folder: Path) -> Info:
    """What a dataset says of itself; refuses other versions."""
    path = folder / "meta" / "info.json"
    with reading(path):
        content = parse_json(read_regular(path, MOST_INFO), str(path))
    version = str(content.get("codebase_version")) if isinstance(content, dict) else "?"
    if not version.startswith("v3"):
        raise DataError(
            f"{path}: is of version {version[:20]}; convert it to v3 with LeRobot's script"
        )
    return checked(Info, content, path, "a LeRobot dataset's info")


def _clips(folder: Path, info: Info, columns: Columns) -> Iterator[RawClip | LeftOut]:
    is_video = info.features[columns.picture].dtype == "video"
    for number, rows in episodes(folder, columns, with_pictures=not is_video):
        name = f"episode {number}"
        try:
            if is_video:
                stamps = [float(stamp) for stamp in rows["timestamp"]]
                frame = _video_frames(folder, info, columns.picture, number, stamps)
            else:
                pictures = [decode_picture(_bytes(p, name), name) for p in rows[columns.picture]]
                frame = np.stack(pictures)
            action = np.array(rows[columns.action], np.float64)[:-1]
            yield check_clip(name, frame, action)
        except (DataError, ValueError, TypeError) as error:
            yield LeftOut(name, brief(error))


def _bytes(picture: Any, name: str) -> bytes:
    """The bytes of a picture in a table."""
    held = picture.get("bytes") if isinstance(picture, dict) else None
    if not isinstance(held, bytes):
        raise DataError(f"{name}: a picture is not in the table")
    return held


def episodes(
    folder: Path, columns: Columns, with_pictures: bool
) -> Iterator[tuple[int, dict[str, list[Any]]]]:
    """Rows of each episode by column, episode by episode."""
    wanted = [columns.action, "episode_index", "frame_index", "timestamp"]
    wanted += [columns.picture] if with_pictures else []
    held: dict[str, list[Any]] = {}
    number: int | None = None
    for row in _rows(folder / "data", wanted):
        if row["episode_index"] != number and number is not None:
            yield number, held
            held = {}
        number = int(row["episode_index"])
        for name in wanted:
            held.setdefault(name, []).append(row[name])
        if len(held["timestamp"]) > MOST_FRAMES:
            raise DataError(f"{folder}: episode {number} has over {MOST_FRAMES} pictures")
    if number is not None:
        yield number, held


def _rows(folder: Path, wanted: list[str]) -> Iterator[dict[str, Any]]:
    """Rows of all tables in a folder, in order."""
    parquet = _parquet()
    for path in sorted(folder.glob("chunk-*/file-*.parquet")):
        try:
            with open_regular(path, MOST_MAPPED) as file:
                for batch in parquet.ParquetFile(file).iter_batches(256, columns=wanted):
                    if missing := set(wanted) - set(batch.schema.names):
                        raise ValueError(f"has no column {', '.join(sorted(missing))}")
                    if batch.nbytes > MOST_BATCH:
                        raise ValueError(f"256 rows hold more than {MOST_BATCH >> 20} MB")
                    yield from batch.to_pylist()
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise DataError(f"{path}: is not a table of this dataset ({brief(error)})") from None


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"reading it needs the package {error.name}: pip install 'ncs[lerobot]'"
        ) from None
    return parquet


def _video_frames(
    folder: Path, info: Info, picture: str, number: int, timestamps: list[float]
) -> NDArray[np.uint8]:
    """The pictures of an episode, cut from the video that holds it."""
    where = _video_place(folder, picture, number)
    parts: dict[str, str | int] = {
        "video_key": picture,
        "chunk_index": where.chunk,
        "file_index": where.file,
    }
    name = filled(info.video_path or "", parts)
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise DataError(f"{folder}: names a video outside itself ({name})")
    return read_video(path, [where.first + stamp for stamp in timestamps])


def filled(template: str, parts: dict[str, str | int]) -> str:
    """A template with its {names} put in, numbers as wide as {name:03d} asks; no other formats."""

    def part(found: re.Match[str]) -> str:
        value = parts.get(found["name"], found[0])
        return f"{value:0>{found['width'] or 1}}"

    return re.sub(r"\{(?P<name>\w+)(?::0(?P<width>\d)d)?\}", part, template)


@dataclass(frozen=True)
class VideoPlace:
    """Where an episode's pictures are."""

    chunk: int
    file: int
    first: float  # seconds


def _video_place(folder: Path, picture: str, number: int) -> VideoPlace:
    keys = [f"videos/{picture}/{part}" for part in ("chunk_index", "file_index", "from_timestamp")]
    for row in _rows(folder / "meta" / "episodes", ["episode_index", *keys]):
        if row["episode_index"] == number:
            return VideoPlace(int(row[keys[0]]), int(row[keys[1]]), float(row[keys[2]]))
    raise DataError(f"{folder}: meta/episodes does not say where episode {number} is")


def read_video(path: Path, seconds: list[float]) -> NDArray[np.uint8]:
    """The pictures (T, H, W, 3) shown at given moments of a video."""
    try:
        import av
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"reading videos needs the package {error.name}: pip install 'ncs[lerobot]'"
        ) from None
    found: list[NDArray[np.uint8]] = []
    try:
        with open_regular(path, MOST_MAPPED) as file, av.open(file, "r") as container:
            stream = container.streams.video[0]
            if stream.width * stream.height > MOST_PIXELS:
                raise DataError(f"{path}: is {stream.width} x {stream.height} pixels, too large")
            half = 0.5 / float(stream.average_rate or 1)
            for frame in container.decode(stream):
                while len(found) < len(seconds) and frame.time >= seconds[len(found)] - half:
                    found.append(np.asarray(frame.to_ndarray(format="rgb24"), np.uint8))
                if len(found) == len(seconds):
                    break
    except (av.error.FFmpegError, OSError, IndexError) as error:
        raise DataError(f"{path}: is not a video that can be read ({brief(error)})") from None
    if len(found) < len(seconds):
        raise DataError(f"{path}: ends after {len(found)} of {len(seconds)} pictures")
    return np.stack(found)
