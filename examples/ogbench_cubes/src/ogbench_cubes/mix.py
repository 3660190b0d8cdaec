"""Takes buffers of one world, gives one buffer in which their clips are spread evenly.

    python -m ogbench_cubes.mix runs/cubes runs/towers --out runs/both

A model measures its world in one buffer; the last clips of the mix, which training holds out, are
the last clips of each. Legend: C clips.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.data.buffer import (
    FORMAT,
    MANIFEST,
    SHARD_CLIPS,
    clip_shard,
    open_buffer,
    open_truth,
    truth_shard,
)
from ncs.records import DataError
from ncs.storage import write_arrays, write_json

Arrays = dict[str, NDArray[Any]]
SAME = ("world", "objects", "frames", "setup")  # settings that clips of one buffer share


def evenly(counts: list[int]) -> NDArray[np.int64]:
    """The order (C,) in which clips of buffers that follow one another are spread evenly."""
    share_C = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])
    return np.argsort(share_C, kind="stable")


def mix(folders: list[Path], out: Path) -> int:
    """Writes the mix; how many clips it has comes back."""
    buffers, truths = [open_buffer(f) for f in folders], [open_truth(f) for f in folders]
    first = buffers[0].manifest
    for folder, buffer in zip(folders, buffers, strict=True):
        for name in SAME:
            if buffer.manifest.get(name) != first.get(name):
                raise DataError(f"{folder}: its {name} is not that of {folders[0]}")
    order_C = evenly([len(buffer) for buffer in buffers])
    clips = [buffer.clips(np.arange(len(buffer))) for buffer in buffers]
    seen = {
        "frame": np.concatenate([c.frame for c in clips])[order_C],
        "action": np.concatenate([c.action for c in clips])[order_C],
    }
    true = {
        name: np.concatenate([truth.arrays[name] for truth in truths])[order_C]
        for name in truths[0].arrays
    }
    out.mkdir(parents=True, exist_ok=True)
    shards = _write(out, seen, clip_shard) + _write(out, true, truth_shard)
    settings = {name: first[name] for name in SAME if name in first}
    mixed = [buffer.hash for buffer in buffers]
    manifest = {"format": FORMAT, **settings, "episodes": len(order_C), "mixed": mixed}
    write_json(out / MANIFEST, {**manifest, "shards": shards})
    return len(order_C)


def _write(out: Path, arrays: Arrays, name: Any) -> list[dict[str, Any]]:
    """Writes arrays as shards; their entries in the manifest."""
    n_clips, entries = len(next(iter(arrays.values()))), []
    for index, low in enumerate(range(0, n_clips, SHARD_CLIPS)):
        part = {key: array[low : low + SHARD_CLIPS] for key, array in arrays.items()}
        clips = min(SHARD_CLIPS, n_clips - low)
        sha256 = write_arrays(out / name(index), part, {"index": index, "clips": clips})
        entries.append({"name": name(index), "clips": clips, "sha256": sha256})
    return entries


def main() -> None:
    """Mixes the buffers that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("buffers", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    print(f"{asked.out}: {mix(asked.buffers, asked.out)} clips")


if __name__ == "__main__":
    main()
