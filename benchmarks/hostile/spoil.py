"""Ways to spoil a good thing, with hashes and checksums to match."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.hostile.good import SETS, graph_label, graph_parts, raw_arrays, set_parts

from ncs.storage import digest, read_arrays, write_arrays, write_json


@dataclass(frozen=True)
class Case:
    """A way to spoil something good."""

    name: str
    spoil: Callable[[Path], None]


def manifest(kind: str, **changes: Any) -> Callable[[Path], None]:
    """A change of a manifest, with a checksum to match; None takes a key out."""
    name = {"buffer": "manifest.json", "model": "model.json"}[kind]

    def spoil(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        content.pop("checksum")
        content = {key: v for key, v in {**content, **changes}.items() if v is not None}
        body = json.dumps(content, sort_keys=True, separators=(",", ":"))
        text = json.dumps({**content, "checksum": digest(body.encode())})
        (folder / name).write_text(text)

    return spoil


def written(name: str, content: bytes | str) -> Callable[[Path], None]:
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data) and None


def piped(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return spoil


def linked(name: str, target: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return spoil


def moved_out(name: str) -> Callable[[Path], None]:
    """The right file, but outside, with a link to it."""

    def spoil(folder: Path) -> None:
        shutil.move(folder / name, folder.parent / "outside")
        (folder / name).symlink_to(folder.parent / "outside")

    return spoil


def moved_within(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).rename(folder / "other")
        (folder / name).symlink_to("other")

    return spoil


def shard(arrays: Callable[[], dict[str, Any]] | None = None, **raw: Any) -> Callable[[Path], None]:
    """Another shard of clips, with hashes to match."""
    name = "clips-00000.safetensors"

    def spoil(folder: Path) -> None:
        if arrays is not None:
            sha256 = write_arrays(folder / name, arrays(), {"clips": 3})
        else:
            sha256 = raw_arrays(folder / name, raw["entries"], raw["body"])
        shards = json.loads((folder / "manifest.json").read_text())["shards"]
        shards[0]["sha256"] = sha256
        manifest("buffer", shards=shards)(folder)

    return spoil


def network(**changes: Any) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        config = json.loads((folder / "model.json").read_text())["config"]
        manifest("model", config={**config, "network": {**config["network"], **changes}})(folder)

    return spoil


def weights(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """Other weights, with hashes to match."""

    def spoil(folder: Path) -> None:
        files = json.loads((folder / "model.json").read_text())["files"]
        arrays, about = read_arrays(folder / files["weights"]["name"])
        change(arrays)
        sha256 = write_arrays(folder / files["weights"]["name"], arrays, about)
        files["weights"]["sha256"] = sha256
        manifest("model", files=files)(folder)

    return spoil


def without_first(arrays: dict[str, Any]) -> None:
    del arrays[sorted(arrays)[0]]


def to_first(value: Any) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        name = sorted(arrays)[0]
        arrays[name] = value(arrays[name])

    return change


def graph(label: dict[str, Any] | None = None, **changes: Any) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        arrays = {k: v for k, v in {**graph_parts(), **changes}.items() if v is not None}
        write_arrays(folder / "g.safetensors", arrays, {**graph_label(), **(label or {})})

    return spoil


def sets(**changes: Any) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        arrays = {k: v for k, v in {**set_parts(), **changes}.items() if v is not None}
        write_arrays(folder / "s.safetensors", arrays, SETS)

    return spoil


def packed(data: Callable[[], bytes]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / "r.jsonl").unlink()
        (folder / "r.jsonl.gz").write_bytes(data())

    return spoil


def rows(text: str) -> Callable[[Path], None]:
    return written("r.jsonl", text)


def raw_graph(entries: dict[str, Any], body: bytes = b"") -> Callable[[Path], None]:
    return lambda folder: raw_arrays(folder / "g.safetensors", entries, body) and None


def index(*lines: Any) -> Callable[[Path], None]:
    return lambda folder: write_json(folder / "index.json", {"lines": list(lines), "about": {}})


def tensor(dtype: str, shape: Any, start: Any, end: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def clips(**changes: Any) -> Callable[[], dict[str, Any]]:
    good = {
        "frame": np.zeros((3, 3, 8, 8, 3), np.uint8),
        "action": np.zeros((3, 2, 6), np.float32),
    }
    return lambda: {k: v for k, v in {**good, **changes}.items() if v is not None}


NOTHING: Callable[[Path], None] = lambda folder: None  # noqa: E731
