"""The buffer of experience on disk, and the two ways to read it: as a model may, and as a judge.

    DIR/
      manifest.json            settings, and name, clips and SHA-256 of every shard
      clips-00000.safetensors  frame  (C, T, H, W, 3) uint8, action (C, T - 1, 6) float32
      truth-00000.safetensors  position (C, T, N, 3), moved (C, T - 1), kind, colour, scene/...

``open_buffer`` gives frames and actions and nothing else; ``open_truth`` is for diagnostics.
Legend: C clips in a shard, B clips in a batch, T frames, N objects.
"""

import json
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ncs.records import Clips, DataError, Task
from ncs.storage import digest_file, digest_json, read_arrays, read_json, reading

FORMAT = 1
SHARD_CLIPS = 100
MANIFEST = "manifest.json"


def clip_shard(index: int) -> str:
    """Name of the shard with frames and actions."""
    return f"clips-{index:05d}.safetensors"


def truth_shard(index: int) -> str:
    """Name of the shard with ground truth."""
    return f"truth-{index:05d}.safetensors"


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished buffer; refuses what is not one."""
    path = folder / MANIFEST
    if not path.exists():
        raise DataError(f"{folder}: holds no finished buffer; make one with 'ncs collect'")
    manifest = read_json(path)
    if manifest.get("format") != FORMAT:
        raise DataError(f"{path}: format {manifest.get('format')}, this ncs reads {FORMAT}")
    for shard in manifest["shards"]:
        if Path(shard["name"]).name != shard["name"]:
            raise DataError(f"{path}: names a file outside its folder ({shard['name']!r})")
    return manifest


def check_shards(folder: Path, manifest: dict[str, Any], prefix: str = "") -> None:
    """Compares every shard with the manifest; the first that differs is refused by name."""
    for shard in manifest["shards"]:
        path = folder / shard["name"]
        if shard["name"].startswith(prefix) and digest_file(path) != shard["sha256"]:
            raise DataError(f"{path}: damaged (checksum differs); run the same 'ncs collect' again")


def map_array(path: Path, name: str) -> NDArray[Any]:
    """An array of a safetensors file, memory-mapped and read-only."""
    with reading(path), path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        entry = json.loads(file.read(length))[name]
    dtype = {"U8": np.uint8, "F32": np.float32}[entry["dtype"]]
    offset = 8 + length + entry["data_offsets"][0]
    return np.memmap(path, dtype, "r", offset, tuple(entry["shape"]))


class Buffer:
    """Clips by number, from memory-mapped shards; it has no door to the ground truth."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.world: str = manifest["world"]
        names = [s["name"] for s in manifest["shards"] if s["name"].startswith("clips-")]
        self._frames = [map_array(folder / name, "frame") for name in names]
        self._actions = [map_array(folder / name, "action") for name in names]

    def __len__(self) -> int:
        return int(self.manifest["episodes"])

    @cached_property
    def hash(self) -> str:
        """Twelve hex digits that change with any byte of the buffer."""
        return digest_json(self.manifest)[:12]

    def clips(self, index_B: NDArray[np.int64]) -> Clips:
        """The clips with these numbers, in this order."""
        places = [divmod(int(index), SHARD_CLIPS) for index in index_B]
        frame = np.stack([self._frames[shard][row] for shard, row in places])
        action = np.stack([self._actions[shard][row] for shard, row in places])
        return Clips(frame, action)


@dataclass(frozen=True)
class TruthReader:
    """Ground truth by clip number: for scoring, health reports and replay, never for training."""

    manifest: dict[str, Any]
    arrays: dict[str, NDArray[Any]]  # the first axis is the clip

    def __len__(self) -> int:
        return int(self.manifest["episodes"])

    def task(self, index: int) -> Task:
        """The scene a clip started from, ready to be played again."""
        scene = {
            name.removeprefix("scene/"): array[index]
            for name, array in self.arrays.items()
            if name.startswith("scene/")
        }
        return Task(self.manifest["world"], "none", scene, 0)

    def position(self, index: int) -> NDArray[np.float32]:
        """Where each object was in each frame, (T, N, 3) metres."""
        return cast(NDArray[np.float32], self.arrays["position"][index])

    def moved(self, index: int) -> NDArray[np.int8]:
        """Which object each action moved, (T - 1,)."""
        return cast(NDArray[np.int8], self.arrays["moved"][index])

    def colour(self, index: int) -> NDArray[np.float32]:
        """Each object's colour, (N, 3)."""
        return cast(NDArray[np.float32], self.arrays["colour"][index])


def open_buffer(folder: Path, verify: bool = True) -> Buffer:
    """The buffer in a folder as a model may see it; a damaged shard is refused by name."""
    manifest = read_manifest(folder)
    if verify:
        check_shards(folder, manifest, prefix="clips-")
    return Buffer(folder, manifest)


def has_truth(folder: Path) -> bool:
    """Whether a buffer holds ground truth; one that was imported does not."""
    shards = read_manifest(folder)["shards"]
    return any(shard["name"].startswith("truth-") for shard in shards)


def open_truth(folder: Path) -> TruthReader:
    """The ground truth of a buffer, for diagnostics alone."""
    manifest = read_manifest(folder)
    if not has_truth(folder):
        raise DataError(f"{folder}: holds no ground truth; 'ncs collect' makes buffers that do")
    check_shards(folder, manifest, prefix="truth-")
    names = [s["name"] for s in manifest["shards"] if s["name"].startswith("truth-")]
    shards = [read_arrays(folder / name)[0] for name in names]
    arrays = {name: np.concatenate([shard[name] for shard in shards]) for name in shards[0]}
    return TruthReader(manifest, arrays)
