"""Files that mean harm, each with right checksums where that matters, and what becomes of them.

    python benchmarks/hostile_files.py            # every file, each read by a process of its own
    python benchmarks/hostile_files.py --only graph

Prints for each whether it was refused in one line, accepted, or failed (a traceback, or over ten
seconds), with seconds and the memory that reading it took.
"""

# ruff: noqa: E501 - a case is a line

import argparse
import gzip
import json
import multiprocessing
import os
import resource
import shutil
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ncs.analysis.points import load_points
from ncs.baselines.set_store import load_sets
from ncs.cli.command import parse
from ncs.cli.table import Table
from ncs.data.buffer import check_shards, open_buffer, open_truth, read_manifest
from ncs.evaluation.results import encode, read_results
from ncs.graph.config import GraphConfig
from ncs.graph.store import load_graph
from ncs.model.build import build_model
from ncs.model.dslate.config import DslateConfig
from ncs.records import NcsError, Result
from ncs.storage import canonical, digest, write_arrays, write_json
from ncs.training.checkpoint import Snapshot, load_model, to_arrays, write_checkpoint
from ncs.training.schedule import TrainConfig

LONGEST = 10.0  # seconds
HARMLESS = {
    "buffer: as it should be", "model: as it should be", "graph: as it should be",
    "sets: as it should be", "results: as it should be", "results: packed",
    "results: half a line at the end", "buffer: an unknown key in the manifest",
    "model: a link within the folder",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A way to spoil something good."""

    name: str
    spoil: Callable[[Path], None]


def raw_arrays(path: Path, entries: dict[str, Any], body: bytes, label: str | None = None) -> str:
    """A safetensors file whose header says what it is told to."""
    about = label or canonical({"about": {}, "check": "0" * 64})
    head = json.dumps({"__metadata__": {"ncs": about}, **entries}).encode()
    data = struct.pack("<Q", len(head)) + head + body
    path.write_bytes(data)
    return digest(data)


# A good one of each kind.


def make_buffer(folder: Path) -> None:
    folder.mkdir(parents=True)
    clips = {
        "frame": np.zeros((3, 3, 8, 8, 3), np.uint8),
        "action": np.zeros((3, 2, 6), np.float32),
    }
    truth = {
        "position": np.zeros((3, 3, 2, 3), np.float32),
        "moved": np.zeros((3, 2), np.int8),
        "kind": np.zeros((3, 2), np.int32),
        "colour": np.zeros((3, 2, 3), np.float32),
    }
    shards = []
    for name, arrays in (("clips-00000.safetensors", clips), ("truth-00000.safetensors", truth)):
        sha256 = write_arrays(folder / name, arrays, {"clips": 3})
        shards.append({"name": name, "clips": 3, "sha256": sha256})
    facts = {"format": 1, "world": "block-rearrange", "episodes": 3, "frames": 3, "objects": 2}
    write_json(folder / "manifest.json", {**facts, "seed": 0, "shards": shards})


def read_buffer(folder: Path) -> Any:
    check_shards(folder, read_manifest(folder))
    open_truth(folder)
    return open_buffer(folder).clips(np.arange(3))


def make_model(folder: Path) -> None:
    network = DslateConfig(
        image_size=16, patch=8, input_patch=8, vocabulary=8, dvae_width=4, n_slots=2, slot_width=8,
        type_width=4, slot_hidden=8, decoder_layers=1, decoder_heads=1, decoder_width=8,
        dynamics_layers=1, dynamics_heads=1,
    )  # fmt: skip
    config = TrainConfig(model="dslate", network=network)
    weights = to_arrays(build_model("dslate", network).state_dict())
    source = {"world": "block-rearrange", "hash": "0" * 12, "clips": 3}
    write_checkpoint(folder, Snapshot(1, config, source, weights, {}))


def make_graph(folder: Path) -> None:
    folder.mkdir(parents=True)
    write_arrays(folder / "g.safetensors", graph_parts(), graph_label())


def graph_parts() -> dict[str, Any]:
    parts = {
        "node": np.zeros((4, 2), np.float32),
        "action": np.full((4, 4, 6), np.nan, np.float32),
        "count": np.zeros((4, 4), np.int64),
        "mask": np.zeros((4, 9), np.float32),
    }
    measured = {
        "pick": np.zeros((4, 3), np.float32),
        "place": np.zeros((4, 3), np.float32),
        "offset": np.zeros((4, 3), np.float32),
        "whiten": np.eye(3, dtype=np.float32),
    }
    return {**parts, **measured}


def graph_label() -> dict[str, Any]:
    return {
        "format": "ncs-graph-2",
        "graph": {"representation": "state", "checkpoint": "0" * 12},
        "calibration": {"still": 0.1, "gap": 0.1, "error": 0.1, "outliers": 0.0},
        "config": GraphConfig().model_dump(mode="json"),
    }


def make_sets(folder: Path) -> None:
    folder.mkdir(parents=True)
    write_arrays(folder / "s.safetensors", set_parts(), SETS)


SETS = {"format": "ncs-sets-1", "checkpoint": "c"}


def set_parts() -> dict[str, Any]:
    return {
        "member": np.array([0, 1, 2]),
        "size": np.array([1, 2]),
        "edge": np.array([[0, 1]]),
        "action": np.zeros((1, 6), np.float32),
    }


ROW = Result(
    "random", "block-rearrange", "complete", 4, 0, 0, "dev", "t", "c", "0.1", 4, 16, 4, 0.5, 0.5,
    0.1, label="random",
)  # fmt: skip


def row(**changes: Any) -> str:
    """A line of a results file whose checksum is right, whatever it says."""
    values = {**asdict(ROW), **changes}
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return json.dumps({**values, "check": digest(text.encode())[:12]}) + "\n"


def make_results(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "r.jsonl").write_text(encode(ROW) + "\n")


def make_index(folder: Path) -> None:
    folder.mkdir(parents=True)


def make_config(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "c.toml").write_text('format = "text"\nfiles = ["x"]\n')


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    "buffer": (make_buffer, read_buffer),
    "model": (make_model, load_model),
    "graph": (make_graph, lambda folder: load_graph(folder / "g.safetensors")),
    "sets": (make_sets, lambda folder: load_sets(folder / "s.safetensors", "c")),
    "results": (make_results, lambda folder: read_results(next(folder.glob("r.*")))),
    "index": (make_index, load_points),
    "config": (
        make_config,
        lambda folder: parse(Table, "table", ["--config", str(folder / "c.toml")]),
    ),
}


# Ways to spoil them.


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
        from ncs.storage import read_arrays

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


GOOD_LINE = {
    "study": "table", "label": "x", "value": "", "method": "random", "world": "w", "split": "dev",
    "config": "c", "checkpoint": "none",
}  # fmt: skip
NOTHING: Callable[[Path], None] = lambda folder: None  # noqa: E731
SHARDS = [{"name": "clips-00000.safetensors", "clips": 3, "sha256": "0" * 64}]
BUFFER = [
    Case("as it should be", NOTHING),
    Case("an unknown key in the manifest", manifest("buffer", more={"x": [1]})),
    Case("no shards", manifest("buffer", shards=None)),
    Case("shards are a number", manifest("buffer", shards=5)),
    Case("an empty list of shards", manifest("buffer", shards=[])),
    Case("shards of lists", manifest("buffer", shards=[[]] * 1000)),
    Case("300 000 shards", manifest("buffer", shards=SHARDS * 300_000)),
    Case("a shard outside", manifest("buffer", shards=[{**SHARDS[0], "name": "../../x"}])),
    Case("a shard called /etc/passwd", manifest("buffer", shards=[{**SHARDS[0], "name": "/etc/passwd"}])),
    Case("a hash that is none", manifest("buffer", shards=[{**SHARDS[0], "sha256": 7}])),
    Case("NaN episodes", manifest("buffer", episodes=float("nan"))),
    Case("a million million episodes", manifest("buffer", episodes=10**12)),
    Case("more episodes than clips", manifest("buffer", episodes=4)),
    Case("true episodes", manifest("buffer", episodes=True)),
    Case("frames in words", manifest("buffer", frames="three")),
    Case("no frames", manifest("buffer", frames=None)),
    Case("format 9", manifest("buffer", format=9)),
    Case("a format of escape codes", manifest("buffer", format="\x1b[31mred")),
    Case("a world of escape codes", manifest("buffer", world="\x1b[2Jgone")),
    Case("a world of a million letters", manifest("buffer", world="x" * 10**6)),
    Case("no world", manifest("buffer", world=None)),
    Case("manifest of 3 million lists", written("manifest.json", "[" + "[]," * 3_000_000 + "[]]")),
    Case("manifest of 100 000 levels", written("manifest.json", "[" * 10**5 + "]" * 10**5)),
    Case("manifest of 900 levels", written("manifest.json", "[" * 900 + "]" * 900)),
    Case("manifest of 5000 digits", written("manifest.json", '{"checksum": ' + "9" * 5000 + "}")),
    Case("manifest that is a list", written("manifest.json", "[1]")),
    Case("empty manifest", written("manifest.json", "")),
    Case("manifest of zero bytes", written("manifest.json", bytes(1000))),
    Case("manifest is a pipe", piped("manifest.json")),
    Case("manifest is /dev/zero", linked("manifest.json", "/dev/zero")),
    Case("shard is a pipe", piped("clips-00000.safetensors")),
    Case("shard is /dev/zero", linked("clips-00000.safetensors", "/dev/zero")),
    Case("shard is a link out", moved_out("clips-00000.safetensors")),
    Case("truth is a link out", moved_out("truth-00000.safetensors")),
    Case("shard without actions", shard(clips(action=None))),
    Case("shard of floats", shard(clips(frame=np.zeros((3, 3, 8, 8, 3), np.float32)))),
    Case("shard of signed bytes", shard(clips(frame=np.zeros((3, 3, 8, 8, 3), np.int8)))),
    Case("shard of two clips", shard(clips(frame=np.zeros((2, 3, 8, 8, 3), np.uint8)))),
    Case("shard of grey pictures", shard(clips(frame=np.zeros((3, 3, 8, 8, 1), np.uint8)))),
    Case("shard with more in it", shard(clips(truth=np.zeros(3, np.uint8)))),
    Case("shard of 2000-pixel strips", shard(clips(frame=np.zeros((3, 3, 1, 2000, 3), np.uint8)))),
    Case("arrays that overlap", shard(entries={
        "frame": tensor("U8", [3, 3, 8, 8, 3], 0, 1728), "action": tensor("F32", [3, 2, 6], 0, 144),
    }, body=bytes(1728))),
    Case("negative offsets", shard(entries={
        "frame": tensor("U8", [3, 3, 8, 8, 3], -8, 1720), "action": tensor("F32", [3, 2, 6], 1720, 1864),
    }, body=bytes(1864))),
    Case("offsets past the end", shard(entries={
        "frame": tensor("U8", [3, 3, 8, 8, 3], 0, 1728), "action": tensor("F32", [3, 2, 6], 1728, 1872),
    }, body=bytes(100))),
]  # fmt: skip
MODEL = [
    Case("as it should be", NOTHING),
    Case("a link within the folder", moved_within("weights-00000001.safetensors")),
    Case("no buffer", manifest("model", buffer=None)),
    Case("a buffer of no world", manifest("model", buffer={})),
    Case("no files", manifest("model", files=None)),
    Case("files are a list", manifest("model", files=[1])),
    Case("no settings", manifest("model", config=None)),
    Case("a step in words", manifest("model", step="one")),
    Case("a step below zero", manifest("model", step=-1)),
    Case("notes are a number", manifest("model", notes=3)),
    Case("an unknown model", manifest("model", config={"model": "\x1b[1mx", "network": {}})),
    Case("a vocabulary of 3 million", network(vocabulary=3_000_000)),
    Case("a vocabulary of 16 384", network(vocabulary=16_384)),
    Case("a million layers", network(decoder_layers=1_000_000)),
    Case("64 layers", network(decoder_layers=64, dynamics_layers=64)),
    Case("widths of 4096", network(decoder_width=4096, slot_width=4096)),
    Case("pictures of a million pixels a side", network(image_size=1_000_000)),
    Case("a million slots", network(n_slots=1_000_000)),
    Case("negative widths", network(slot_width=-8)),
    Case("NaN rate", network(dvae_rate=float("nan"))),
    Case("weights are a pipe", piped("weights-00000001.safetensors")),
    Case("weights are /dev/zero", linked("weights-00000001.safetensors", "/dev/zero")),
    Case("weights are a link out", moved_out("weights-00000001.safetensors")),
    Case("weights are a folder", lambda f: (f / "weights-00000001.safetensors").unlink() or (f / "weights-00000001.safetensors").mkdir()),
    Case("NaN weights", weights(to_first(lambda a: a * np.float32("nan")))),
    Case("infinite weights", weights(to_first(lambda a: a + np.float32("inf")))),
    Case("int8 weights", weights(to_first(lambda a: a.astype(np.int8)))),
    Case("weights of another shape", weights(to_first(lambda a: a.ravel()[:-1]))),
    Case("weights too few", weights(without_first)),
    Case("weights too many", weights(lambda arrays: arrays.update(more=np.zeros(2, np.float32)))),
    Case("30 000 empty tensors", weights(lambda arrays: arrays.update({f"e{i}": np.zeros(0, np.float32) for i in range(30_000)}))),
    Case("model.json is a pipe", piped("model.json")),
]  # fmt: skip
GRAPH = [
    Case("as it should be", NOTHING),
    *(Case(f"no {name}", graph(**{name: None})) for name in graph_parts()),
    Case("an array more", graph(more=np.zeros(3))),
    Case("five nodes, four edges", graph(node=np.zeros((5, 2), np.float32))),
    Case("actions of five numbers", graph(action=np.zeros((4, 4, 5), np.float32))),
    Case("counts are floats", graph(count=np.zeros((4, 4), np.float32))),
    Case("nodes are whole numbers", graph(node=np.zeros((4, 2), np.int64))),
    Case("NaN nodes", graph(node=np.full((4, 2), np.nan, np.float32))),
    Case("infinite actions", graph(action=np.full((4, 4, 6), np.inf, np.float32))),
    Case("a flat mask", graph(mask=np.zeros(4, np.float32))),
    Case("another format", graph({"format": "x"})),
    Case("no facts", graph({"graph": None})),
    Case("facts are a list", graph({"graph": [1]})),
    Case("unknown facts", graph({"graph": {"x": 1}})),
    Case("an unknown representation", graph({"graph": {"representation": "omega"}})),
    Case("a checkpoint of escape codes", graph({"graph": {"checkpoint": "\x1b]0;x\x07"}})),
    Case("a calibration in words", graph({"calibration": {"still": "a", "gap": 1, "error": 1, "outliers": 0}})),
    Case("a header of 2^60 bytes", written("g.safetensors", struct.pack("<Q", 2**60) + b"{}")),
    Case("a header of 20 MB", written("g.safetensors", struct.pack("<Q", 20 << 20) + b" " * (20 << 20))),
    Case("seven bytes", written("g.safetensors", b"1234567")),
    Case("no label", written("g.safetensors", struct.pack("<Q", 2) + b"{}")),
    Case("a header of 500 levels", written("g.safetensors", struct.pack("<Q", 1000) + b"[" * 500 + b"]" * 500)),
    Case("a shape of 2^63", raw_graph({"node": tensor("F32", [2**63, 2], 0, 0)})),
    Case("a shape of words", raw_graph({"node": tensor("F32", ["4", 2], 0, 32)}, bytes(32))),
    Case("a shape of true", raw_graph({"node": tensor("U8", [True], 0, 1)}, bytes(1))),
    Case("an unknown type", raw_graph({"node": tensor("F99", [1], 0, 4)}, bytes(4))),
    Case("a hole between arrays", raw_graph({"node": tensor("U8", [1], 4, 5)}, bytes(5))),
    Case("bytes after the arrays", raw_graph({"node": tensor("U8", [1], 0, 1)}, bytes(9))),
    Case("a name of 100 000 letters", raw_graph({"n" * 100_000: tensor("U8", [1], 0, 1)}, bytes(1))),
    Case("is a pipe", piped("g.safetensors")),
    Case("is /dev/zero", linked("g.safetensors", "/dev/zero")),
    Case("a pickle", written("g.safetensors", b"\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.")),
]  # fmt: skip
SET_CASES = [
    Case("as it should be", NOTHING),
    Case("no sizes", sets(size=None)),
    Case("negative sizes", sets(size=np.array([-1, 4]))),
    Case("sizes that do not add up", sets(size=np.array([1, 1]))),
    Case("an edge to nowhere", sets(edge=np.array([[0, 9]]))),
    Case("edges of three", sets(edge=np.array([[0, 1, 1]]))),
    Case("more actions than edges", sets(action=np.zeros((2, 6), np.float32))),
    Case("NaN actions", sets(action=np.full((1, 6), np.nan, np.float32))),
]
RESULTS = [
    Case("as it should be", NOTHING),
    Case("packed", packed(lambda: gzip.compress((encode(ROW) + "\n").encode()))),
    Case("half a line at the end", rows(encode(ROW) + "\n" + encode(ROW)[:50])),
    Case("a score of NaN", rows(row(best=float("nan")))),
    Case("a score of 1e308", rows(row(best=1e308))),
    Case("a score of 5", rows(row(final=5))),
    Case("a score of true", rows(row(best=True))),
    Case("a score in words", rows(row(best="1.0"))),
    Case("a score that is a list", rows(row(best=[1]))),
    Case("an infinite time", rows(row(seconds=float("inf")))),
    Case("a seed below zero", rows(row(seed=-1))),
    Case("a seed of 5000 digits", rows('{"seed": ' + "9" * 5000 + "}\n")),
    Case("half an object", rows(row(objects=0.5))),
    Case("a method of escape codes", rows(row(method="\x1b[31mncs"))),
    Case("a label that turns around", rows(row(label="\u202escn"))),
    Case("a method of a million letters", rows(row(method="x" * 10**6))),
    Case("a column more", rows(row(extra=1))),
    Case("settings are a list", rows(row(settings=[1]))),
    Case("settings of 200 000 levels", rows(row(settings=0).replace('"settings": 0', '"settings": ' + "[" * 200_000 + "]" * 200_000))),
    Case("settings of 500 levels", rows(row(settings=0).replace('"settings": 0', '"settings": ' + "[" * 500 + "]" * 500))),
    Case("a checkpoint that is a number", rows(row(checkpoint=5))),
    Case("a list", rows("[1, 2]\n")),
    Case("a number", rows("5\n")),
    Case("no line ends in 2 MB", rows('{"method": "' + "x" * (2 << 20))),
    Case("an empty line", rows(encode(ROW) + "\n\n")),
    Case("bytes that are no text", written("r.jsonl", b"\xff\xfe\n")),
    Case("the same episode twice", rows(2 * (encode(ROW) + "\n"))),
    Case("a bomb of spaces", packed(lambda: gzip.compress(b" " * (200 << 20), 9))),
    Case("a bomb of line ends", packed(lambda: gzip.compress(b"\n" * (200 << 20), 9))),
    Case("packed and cut off", packed(lambda: gzip.compress((encode(ROW) + "\n").encode())[:-9])),
    Case("packed with more behind", packed(lambda: gzip.compress((encode(ROW) + "\n").encode()) + b"x")),
    Case("packed and not", packed(lambda: b"plain text")),
    Case("is a pipe", piped("r.jsonl")),
    Case("is /dev/zero", linked("r.jsonl", "/dev/zero")),
    Case("is a folder", lambda folder: (folder / "r.jsonl").unlink() or (folder / "r.jsonl").mkdir()),
]  # fmt: skip
INDEX = [
    Case("a study outside", index({**GOOD_LINE, "study": "../../x"})),
    Case("a study of nothing", index({**GOOD_LINE, "study": ""})),
    Case("a study without results", index(GOOD_LINE)),
    Case("a line that is a list", index([1])),
    Case("a label of escape codes", index({**GOOD_LINE, "label": "\x1b[1m"})),
    Case("no lines", lambda folder: write_json(folder / "index.json", {"about": {}})),
    Case("20 000 lines", index(*[GOOD_LINE] * 20_000)),
]
CONFIG = [
    Case("3000 levels", written("c.toml", "x = " + "[" * 3000 + "]" * 3000)),
    Case("100 levels", written("c.toml", "files = " + "[" * 100 + "]" * 100)),
    Case("an integer of 5000 digits", written("c.toml", "format = " + "9" * 5000)),
    Case("2 MB", written("c.toml", "#" * (2 << 20))),
    Case("bytes that are no text", written("c.toml", b"\xff\xfe")),
    Case("not TOML", written("c.toml", "= =")),
    Case("an unknown setting", written("c.toml", "colour = 1")),
    Case("is a pipe", piped("c.toml")),
    Case("is /dev/zero", linked("c.toml", "/dev/zero")),
]
CASES = {
    "buffer": BUFFER, "model": MODEL, "graph": GRAPH, "sets": SET_CASES, "results": RESULTS,
    "index": INDEX, "config": CONFIG,
}  # fmt: skip


def cases() -> Iterator[tuple[str, Case]]:
    """Every kind with every case of it."""
    for kind, found in CASES.items():
        for case in found:
            yield kind, case


def build(kind: str, case: Case, folder: Path) -> Path:
    """The spoiled thing, in a folder of its own."""
    home = folder / kind
    KINDS[kind][0](home)
    case.spoil(home)
    return home


def attempt(kind: str, home: Path) -> tuple[str, str]:
    """What becomes of a thing when it is read: a verdict and the words of the refusal."""
    try:
        KINDS[kind][1](home)
    except NcsError as error:
        from ncs.bounded import plain

        text = plain(str(error))
        return ("refused" if len(text.splitlines()) == 1 and len(text) < 1000 else "failed"), text
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    return "accepted", ""


def _measured(kind: str, home: Path, answers: Any) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    verdict, words = attempt(kind, home)
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers.put((verdict, words, seconds, (after - before) / 1024))


def measure(kind: str, home: Path) -> tuple[str, str, float, float]:
    """Verdict, words, seconds and MB of one reading, in a process of its own."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=_measured, args=(kind, home, answers))
    process.start()
    try:
        answer: tuple[str, str, float, float] = answers.get(timeout=LONGEST)
    except Exception:
        answer = ("failed", "no answer in time", LONGEST, float("nan"))
        process.kill()
    process.join()
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(CASES), help="only this kind")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    counts = {"refused": 0, "accepted": 0, "failed": 0}
    wrong, slowest, largest = [], 0.0, 0.0
    print("| file | verdict | seconds | MB |\n|---|---|---|---|")
    for kind, case in cases():
        if only not in (None, kind):
            continue
        with tempfile.TemporaryDirectory() as folder:
            verdict, words, seconds, size = measure(kind, build(kind, case, Path(folder)))
        name = f"{kind}: {case.name}"
        print(f"| {name} | {verdict} | {seconds:.2f} | {size:.0f} |", flush=True)
        counts[verdict] += 1
        slowest, largest = max(slowest, seconds), max(largest, size)
        if verdict != ("accepted" if name in HARMLESS else "refused"):
            wrong.append(f"{name}: {verdict} ({words[:200]})")
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"\n{sum(counts.values())} files: {said}; slowest {slowest:.2f} s, most {largest:.0f} MB")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
