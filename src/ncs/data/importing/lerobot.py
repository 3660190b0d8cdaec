"""A LeRobot dataset (v3) on this disk: parquet tables, and pictures inside them or in videos.

Rows of an episode are its frames in order; a row's action is what was done after its picture, so
the last row's counts for nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.bounded import parse_json, read_regular
from ncs.data.importing.clip import MOST_CLIPS, LeftOut, RawClip, Source, check_clip
from ncs.data.importing.pictures import decode_picture
from ncs.records import ConfigError, DataError
from ncs.storage import brief

MOST_INFO = 4 << 20


@dataclass(frozen=True)
class Columns:
    """Which columns hold what."""

    picture: str = "observation.image"
    action: str = "action"


def open_lerobot(folder: Path, columns: Columns) -> Source:
    """The episodes of a dataset's folder, as ``meta/info.json`` describes it."""
    info = read_info(folder)
    for name in (columns.picture, columns.action):
        if name not in info["features"]:
            held = ", ".join(sorted(info["features"]))
            raise DataError(f"{folder}: has no column {name!r}; it has {held}")
    total = int(info.get("total_episodes", 0))
    if not 0 < total <= MOST_CLIPS:
        raise DataError(f"{folder}: says it has {total} episodes, 1 to {MOST_CLIPS} are read")
    return Source("lerobot", _clips(folder, info, columns), total)


def read_info(folder: Path) -> dict[str, Any]:
    """What a dataset says of itself; refuses other versions."""
    path = folder / "meta" / "info.json"
    try:
        info = parse_json(read_regular(path, MOST_INFO), str(path))
        version, features = str(info["codebase_version"]), info["features"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path}: is not a LeRobot dataset's info ({brief(error)})") from None
    if not version.startswith("v3") or not isinstance(features, dict):
        raise DataError(f"{path}: is of version {version}; convert it to v3 with LeRobot's script")
    return dict(info)


def _clips(folder: Path, info: dict[str, Any], columns: Columns) -> Iterator[RawClip | LeftOut]:
    is_video = info["features"][columns.picture].get("dtype") == "video"
    for number, rows in episodes(folder, columns, with_pictures=not is_video):
        name = f"episode {number}"
        try:
            if is_video:
                frame = _video_frames(folder, info, columns.picture, number, rows["timestamp"])
            else:
                pictures = [decode_picture(_bytes(p, name), name) for p in rows[columns.picture]]
                frame = np.stack(pictures)
            action = np.array(rows[columns.action], np.float64)[:-1]
            yield check_clip(name, frame, action)
        except (DataError, ValueError) as error:
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
    parquet = _parquet()
    wanted = [columns.action, "episode_index", "frame_index", "timestamp"]
    wanted += [columns.picture] if with_pictures else []
    held: dict[str, list[Any]] = {}
    number: int | None = None
    for path in sorted((folder / "data").glob("chunk-*/file-*.parquet")):
        try:
            file = parquet.ParquetFile(path)
            for batch in file.iter_batches(batch_size=256, columns=wanted):
                for row in batch.to_pylist():
                    if row["episode_index"] != number and number is not None:
                        yield number, held
                        held = {}
                    number = int(row["episode_index"])
                    for name in wanted:
                        held.setdefault(name, []).append(row[name])
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}: is not a table of this dataset ({brief(error)})") from None
    if number is not None:
        yield number, held


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"reading it needs the package {error.name}: pip install 'ncs[lerobot]'"
        ) from None
    return parquet


def _video_frames(
    folder: Path, info: dict[str, Any], picture: str, number: int, timestamps: list[float]
) -> NDArray[np.uint8]:
    """The pictures of an episode, cut from the video that holds it."""
    where = _video_place(folder, picture, number)
    name = str(info["video_path"]).format(
        video_key=picture, chunk_index=where.chunk, file_index=where.file
    )
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise DataError(f"{folder}: names a video outside itself ({name})")
    return read_video(path, [where.first + float(stamp) for stamp in timestamps])


@dataclass(frozen=True)
class VideoPlace:
    """Where an episode's pictures are."""

    chunk: int
    file: int
    first: float  # seconds


def _video_place(folder: Path, picture: str, number: int) -> VideoPlace:
    parquet = _parquet()
    keys = [f"videos/{picture}/{part}" for part in ("chunk_index", "file_index", "from_timestamp")]
    for path in sorted((folder / "meta" / "episodes").glob("chunk-*/file-*.parquet")):
        table = parquet.read_table(path, columns=["episode_index", *keys])
        for row in table.to_pylist():
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
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
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
