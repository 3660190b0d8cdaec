"""The buffer of experience on disk, and the two ways to read it: as a model may, and as a judge.

    DIR/
      manifest.json            settings, and name, clips and SHA-256 of every shard
      clips-00000.safetensors  frame  (C, T, H, W, 3) uint8, action (C, T - 1, 6) float32
      truth-00000.safetensors  position (C, T, N, 3), moved (C, T - 1), kind, colour, scene/...

``open_buffer`` gives frames and actions and nothing else; ``open_truth`` is for diagnostics.
Legend: C clips in a shard, B clips in a batch, T frames, N objects.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ncs.bounded import Expected, check_arrays, inside, map_entry, read_header
from ncs.records import Clips, DataError, Task
from ncs.registry import check_written
from ncs.settings import FileName, Record, Sha256, Word, checked
from ncs.storage import digest_file, digest_json, read_arrays, read_json, reading

FORMAT = 1
SHARD_CLIPS = 100
MANIFEST = "manifest.json"
LARGEST = 1024  # pixels of a picture's side


def clip_shard(index: int) -> str:
    """Name of the shard with frames and actions."""
    return f"clips-{index:05d}.safetensors"


def truth_shard(index: int) -> str:
    """Name of the shard with ground truth."""
    return f"truth-{index:05d}.safetensors"


class ShardEntry(Record):
    """A shard as the manifest lists it."""

    name: FileName
    clips: int = Field(ge=1, le=SHARD_CLIPS)
    sha256: Sha256


class Manifest(Record):
    """What a manifest must say."""

    world: Word
    episodes: int = Field(ge=1, le=10_000_000)
    frames: int = Field(ge=2, le=100_000)
    objects: int | None = Field(None, ge=1, le=1000)
    style: Word = ""
    unit: Word = ""
    shards: list[ShardEntry] = Field(min_length=1, max_length=200_000)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        for kind, name in (("clips", clip_shard), ("truth", truth_shard)):
            own = [shard for shard in self.shards if shard.name.startswith(kind)]
            full = all(shard.clips == SHARD_CLIPS for shard in own[:-1])
            named = [shard.name for shard in own] == [name(i) for i in range(len(own))]
            total = sum(shard.clips for shard in own)
            if (own or kind == "clips") and not (full and named and total == self.episodes):
                raise ValueError(f"its {kind} shards are not those of {self.episodes} clips")
        if not all(shard.name.startswith(("clips-", "truth-")) for shard in self.shards):
            raise ValueError("it lists a file that is no shard")
        return self


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished buffer; refuses what is not one."""
    path = folder / MANIFEST
    if not path.exists():
        raise DataError(f"{folder}: holds no finished buffer; make one with 'ncs collect'")
    manifest = read_json(path)
    if manifest.get("format") != FORMAT:
        raise DataError(f"{path}: format {manifest.get('format')!r}, this ncs reads {FORMAT}")
    checked(Manifest, manifest, path, "the manifest of a buffer")
    check_written(path, "world", [manifest["world"]])
    return manifest


def check_shards(folder: Path, manifest: dict[str, Any], prefix: str = "") -> None:
    """Compares every shard with the manifest; the first that differs is refused by name."""
    for shard in manifest["shards"]:
        if not shard["name"].startswith(prefix):
            continue
        path = inside(folder, shard["name"])
        if digest_file(path) != shard["sha256"]:
            raise DataError(f"{path}: damaged (checksum differs); run the same 'ncs collect' again")


def map_clips(path: Path, clips: int, frames: int) -> Clips:
    """The clips of a shard, memory-mapped and read-only, after a look at the file's header."""
    with reading(path):
        header = read_header(path)
        check_arrays(
            path,
            header,
            {
                "frame": Expected("u", (clips, frames, "H", "W", 3)),
                "action": Expected("f", (clips, frames - 1, 6)),
            },
        )
        frame, action = (map_entry(path, header.arrays[name]) for name in ("frame", "action"))
    if frame.dtype != np.uint8 or action.dtype != np.float32:
        raise DataError(f"{path}: its frames are no bytes, or its actions no single floats")
    if max(frame.shape[2:4]) > LARGEST or min(frame.shape[2:4]) < 1:
        raise DataError(f"{path}: its pictures are over {LARGEST} pixels a side, or empty")
    return Clips(frame, action)


class Buffer:
    """Clips by number, from memory-mapped shards; it has no door to the ground truth."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.world: str = manifest["world"]
        self._shards = [
            map_clips(inside(folder, shard["name"]), shard["clips"], manifest["frames"])
            for shard in manifest["shards"]
            if shard["name"].startswith("clips-")
        ]

    def __len__(self) -> int:
        return int(self.manifest["episodes"])

    @cached_property
    def hash(self) -> str:
        """Twelve hex digits that change with any byte of the buffer."""
        return digest_json(self.manifest)[:12]

    def clips(self, index_B: NDArray[np.int64]) -> Clips:
        """The clips with these numbers, in this order."""
        places = [divmod(int(index), SHARD_CLIPS) for index in index_B]
        frame = np.stack([self._shards[shard].frame[row] for shard, row in places])
        action = np.stack([self._shards[shard].action[row] for shard, row in places])
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
    _check_truth(folder / names[0], manifest, shards)
    arrays = {name: np.concatenate([shard[name] for shard in shards]) for name in shards[0]}
    return TruthReader(manifest, arrays)


def _check_truth(
    path: Path, manifest: dict[str, Any], shards: Sequence[dict[str, NDArray[Any]]]
) -> None:
    """Refuses ground truth whose arrays are missing or not as long as the clips."""
    needed = {"position", "moved", "kind", "colour"}
    counts = [min(SHARD_CLIPS, manifest["episodes"] - i * SHARD_CLIPS) for i in range(len(shards))]
    for shard, count in zip(shards, counts, strict=True):
        alike = shard.keys() == shards[0].keys() and needed <= shard.keys()
        if not alike or any(
            array.shape[:1] != (count,) or array.shape[1:] != shards[0][name].shape[1:]
            for name, array in shard.items()
        ):
            raise DataError(f"{path}: is no ground truth of {manifest['episodes']} clips")
