"""A buffer as a LeRobot dataset (v3): tables, with pictures inside them or in a video.

Pictures inside the table are PNG and lose nothing; a video loses a little, as codecs do. A row is
a frame; its action is what was done after it, and the last frame of an episode has zeros there.
"""

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ncs.data.buffer import Buffer
from ncs.data.exporting.folder import encode_png
from ncs.records import ConfigError, DataError
from ncs.storage import write_bytes

PICTURE = "observation.image"
RATE = 1  # frames a second: moves have no duration
TASK = "move one thing"
TABLE = "data/chunk-000/file-000.parquet"
EPISODES = "meta/episodes/chunk-000/file-000.parquet"
VIDEO = f"videos/{PICTURE}/chunk-000/file-000.mp4"


def export_lerobot(buffer: Buffer, folder: Path, video: bool = False) -> Path:
    """Writes a buffer as a dataset folder; nothing stands there unless all went well."""
    if folder.exists():
        raise DataError(f"{folder}: already exists; choose another --out or remove it")
    aside = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        _write(buffer, aside, video)
        aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return folder


def _write(buffer: Buffer, folder: Path, video: bool) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"the export needs the package {error.name}: pip install 'ncs[lerobot]'"
        ) from None
    for name in (TABLE, EPISODES, VIDEO if video else TABLE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    n_frames = int(buffer.manifest["frames"])
    if video:
        _write_video(buffer, folder / VIDEO)
    batches = (_rows(buffer, number, n_frames, video) for number in range(len(buffer)))
    writer = None
    for rows in batches:
        table = pyarrow.table(rows)
        writer = writer or parquet.ParquetWriter(folder / TABLE, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    parquet.write_table(pyarrow.table(_episodes(buffer, n_frames, video)), folder / EPISODES)
    tasks = {"task_index": np.zeros(1, np.int64), "task": [TASK]}
    parquet.write_table(pyarrow.table(tasks), folder / "meta/tasks.parquet")
    write_bytes(folder / "meta/info.json", json.dumps(_info(buffer, video), indent=4).encode())


def _rows(buffer: Buffer, number: int, n_frames: int, video: bool) -> dict[str, Any]:
    """The rows of one episode, column by column."""
    clips = buffer.clips(np.array([number]))
    action = np.concatenate([clips.action[0], np.zeros((1, clips.action.shape[2]), np.float32)])
    rows: dict[str, Any] = {
        "action": list(action),
        "timestamp": (np.arange(n_frames) / RATE).astype(np.float32),
        "frame_index": np.arange(n_frames),
        "episode_index": np.full(n_frames, number),
        "index": np.arange(n_frames) + number * n_frames,
        "task_index": np.zeros(n_frames, np.int64),
    }
    if not video:
        names = [f"frame-{time:06d}.png" for time in range(n_frames)]
        pictures = [encode_png(picture) for picture in clips.frame[0]]
        rows[PICTURE] = [
            {"bytes": data, "path": name} for data, name in zip(pictures, names, strict=True)
        ]
    return rows


def _episodes(buffer: Buffer, n_frames: int, video: bool) -> dict[str, Any]:
    """Where each episode is, column by column."""
    number = np.arange(len(buffer))
    zeros = np.zeros_like(number)
    columns: dict[str, Any] = {
        "episode_index": number,
        "tasks": [[TASK]] * len(buffer),
        "length": np.full(len(buffer), n_frames),
        "data/chunk_index": zeros,
        "data/file_index": zeros,
        "dataset_from_index": number * n_frames,
        "dataset_to_index": (number + 1) * n_frames,
    }
    if video:
        columns[f"videos/{PICTURE}/chunk_index"] = zeros
        columns[f"videos/{PICTURE}/file_index"] = zeros
        columns[f"videos/{PICTURE}/from_timestamp"] = number * n_frames / RATE
        columns[f"videos/{PICTURE}/to_timestamp"] = (number + 1) * n_frames / RATE
    return columns


def _info(buffer: Buffer, video: bool) -> dict[str, Any]:
    """What the dataset says of itself."""
    n_frames = int(buffer.manifest["frames"])
    shape = list(buffer.clips(np.array([0])).frame.shape[2:])
    picture = {"dtype": "video" if video else "image", "shape": shape}
    features: dict[str, Any] = {
        PICTURE: {**picture, "names": ["height", "width", "channels"]},
        "action": {"dtype": "float32", "shape": [6], "names": _axes()},
    }
    for name in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
        dtype = "float32" if name == "timestamp" else "int64"
        features[name] = {"dtype": dtype, "shape": [1], "names": None}
    return {
        "codebase_version": "v3.0",
        "robot_type": None,
        "total_episodes": len(buffer),
        "total_frames": len(buffer) * n_frames,
        "total_tasks": 1,
        "chunks_size": 1000,
        "fps": RATE,
        "splits": {"train": f"0:{len(buffer)}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
        if video
        else None,
        "features": features,
    }


def _axes() -> list[str]:
    return ["pick_x", "pick_y", "pick_z", "change_x", "change_y", "change_z"]


def _write_video(buffer: Buffer, path: Path) -> None:
    """All frames, one after another, as one video."""
    try:
        import av
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"videos need the package {error.name}: pip install 'ncs[lerobot]'"
        ) from None
    height, width = buffer.clips(np.array([0])).frame.shape[2:4]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(RATE))
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuv444p"  # colours as fine as the pictures
        stream.options = {"crf": "10"}
        for number in range(len(buffer)):
            for picture in buffer.clips(np.array([number])).frame[0]:
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
