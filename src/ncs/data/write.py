"""A buffer from arrays: experience that no world of ours played.

Legend: N clips, T frames, H height, W width.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.data.buffer import FORMAT, MANIFEST, SHARD_CLIPS, Buffer, clip_shard, open_buffer
from ncs.data.importing.clip import LeftOut, RawClip, Tally, check_clip
from ncs.records import DataError
from ncs.storage import read_arrays, write_arrays, write_json, writing

SMALLEST, LARGEST = 32, 512  # pixels of a picture's side
OWN = "own"  # the world of a buffer that nobody named


def write_buffer(
    folder: Path | str,
    frame_NTHWC: NDArray[Any] | Sequence[NDArray[Any]],
    action_NTA: NDArray[Any] | Sequence[NDArray[Any]],
    world: str = OWN,
    unit: str = "m",
) -> Buffer:
    """A buffer of one's own clips, ready for ``ncs train``.

    Args:
        folder: New or empty.
        frame_NTHWC: Pictures, (T, H, W, 3) each: bytes, 16 bits, or numbers in [0, 1].
        action_NTA: Moves, (T - 1, 6) each: where a thing was picked, then by how much it moved.
        world: A name for where they come from.
        unit: Of the actions, for answers in the same one; they are kept as they are.
    """
    if len(frame_NTHWC) != len(action_NTA):
        raise DataError(
            f"{folder}: {len(frame_NTHWC)} clips of frames and {len(action_NTA)} of actions"
        )
    clips = (
        check_clip(f"clip {number}", np.asarray(frame), np.asarray(action))
        for number, (frame, action) in enumerate(zip(frame_NTHWC, action_NTA, strict=True))
    )
    tally = Tally()
    write_clips(Path(folder), clips, {"world": world, "unit": unit}, tally)
    if tally.left_out:
        first = tally.left_out[0]
        shutil.rmtree(folder)
        raise DataError(f"{folder}: {first.name} {first.why}")
    return open_buffer(Path(folder))


def write_clips(
    folder: Path, clips: Iterable[RawClip | LeftOut], about: dict[str, Any], tally: Tally
) -> None:
    """Fills a new folder with clips as they come; nothing stands there unless all went well."""
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: is not empty; choose another --out")
    with writing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent))
    try:
        manifest = _write_shards(aside, _same_size(clips, tally), tally)
        write_json(aside / MANIFEST, {"format": FORMAT, **about, **manifest})
        with writing(folder), contextlib.suppress(FileNotFoundError):
            folder.rmdir()
        with writing(folder):
            aside.chmod(0o755)
            aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _same_size(clips: Iterable[RawClip | LeftOut], tally: Tally) -> Iterator[RawClip]:
    """Clips whose pictures are as large as the first one's; the others are left out."""
    size: tuple[int, ...] | None = None
    for clip in clips:
        if isinstance(clip, LeftOut):
            tally.left_out.append(clip)
            continue
        shape = clip.frame.shape[1:3]
        size = size or shape
        if shape != size:
            why = f"is {shape[1]} x {shape[0]} pixels, the first clip {size[1]} x {size[0]}"
            tally.left_out.append(LeftOut(clip.name, why))
        elif min(shape) < SMALLEST or max(shape) > LARGEST:
            limits = f"{SMALLEST} to {LARGEST} pixels a side"
            why = f"is {shape[1]} x {shape[0]} pixels; pictures are {limits}"
            tally.left_out.append(LeftOut(clip.name, why))
        else:
            tally.taken += 1
            yield clip


def _write_shards(folder: Path, clips: Iterator[RawClip], tally: Tally) -> dict[str, Any]:
    """Writes clips, a hundred a file; what the manifest says of them."""
    writer = ShardWriter(folder)
    low_3, high_3 = np.full(3, np.inf), np.full(3, -np.inf)
    for clip in clips:
        start = clip.action[:, :3]
        ends = np.concatenate([start, start + clip.action[:, 3:]])
        low_3, high_3 = np.minimum(low_3, ends.min(axis=0)), np.maximum(high_3, ends.max(axis=0))
        writer.add(clip)
    writer.finish()
    if not writer.shards:
        why = f" ({tally.left_out[0].name}: {tally.left_out[0].why})" if tally.left_out else ""
        raise DataError(f"no clip could be taken{why}")
    return {
        "episodes": sum(int(shard["clips"]) for shard in writer.shards),
        "frames": writer.length,
        "objects": None,
        "arena": {"low": low_3.tolist(), "high": high_3.tolist()},
        "shards": writer.shards,
    }


class ShardWriter:
    """Clips on their way into files, all cut to the length of the shortest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: list[RawClip] = []
        self.length = 0
        self.shards: list[dict[str, Any]] = []

    def add(self, clip: RawClip) -> None:
        """Takes one more clip; one that is shorter than all before shortens them, too."""
        if self.length and len(clip.frame) < self.length:
            self._shorten(len(clip.frame))
        self.length = self.length or len(clip.frame)
        self._take(cut(clip, self.length))

    def finish(self) -> None:
        """Puts down what is still waiting."""
        if self._waiting:
            self._put_down(self._waiting)
            self._waiting = []

    def _take(self, pieces: list[RawClip]) -> None:
        self._waiting += pieces
        while len(self._waiting) >= SHARD_CLIPS:
            self._put_down(self._waiting[:SHARD_CLIPS])
            self._waiting = self._waiting[SHARD_CLIPS:]

    def _put_down(self, pieces: list[RawClip]) -> None:
        name = clip_shard(len(self.shards))
        arrays: dict[str, NDArray[Any]] = {
            "frame": np.stack([piece.frame for piece in pieces]),
            "action": np.stack([piece.action for piece in pieces]),
        }
        sha256 = write_arrays(self._folder / name, arrays, {"clips": len(pieces)})
        self.shards.append({"name": name, "clips": len(pieces), "sha256": sha256})

    def _shorten(self, length: int) -> None:
        """Cuts what was taken so far anew; a shard at a time is read back and written again."""
        written = [self._folder / shard["name"] for shard in self.shards]
        aside = [path.rename(path.with_suffix(".long")) for path in written]
        waiting, self.length = self._waiting, length
        self._waiting, self.shards = [], []
        for path in aside:
            arrays = read_arrays(path)[0]
            for frame, action in zip(arrays["frame"], arrays["action"], strict=True):
                self._take(cut(RawClip("", frame, action), length))
            path.unlink()
        for clip in waiting:
            self._take(cut(clip, length))


def cut(clip: RawClip, length: int) -> list[RawClip]:
    """Pieces of a clip of a given length that show every move; two share moves where they must."""
    last = len(clip.frame) - length
    firsts = sorted({*range(0, last + 1, length - 1), last})
    return [
        RawClip(clip.name, clip.frame[i : i + length], clip.action[i : i + length - 1])
        for i in firsts
    ]
