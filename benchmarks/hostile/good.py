"""A small good thing of every stored kind, and what reads it."""

import json
import struct
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ncs.analysis.points import load_points
from ncs.baselines.set_store import load_sets
from ncs.cli.command import parse
from ncs.cli.table import Table
from ncs.data.buffer import check_shards, open_buffer, open_truth, read_manifest
from ncs.data.importing.arrays import open_arrays
from ncs.data.importing.pictures import load_picture
from ncs.evaluation.results import encode, read_results, save_results
from ncs.graph.config import GraphConfig
from ncs.graph.store import load_graph
from ncs.model.build import build_model
from ncs.model.dslate.config import DslateConfig
from ncs.records import Result
from ncs.storage import canonical, digest, write_arrays, write_json
from ncs.training.checkpoint import (
    Snapshot,
    load_model,
    read_checkpoint,
    to_arrays,
    write_checkpoint,
)
from ncs.training.schedule import TrainConfig


def raw_arrays(path: Path, entries: dict[str, Any], body: bytes, label: str | None = None) -> str:
    """A safetensors file whose header says what it is told to."""
    about = label or canonical({"about": {}, "check": "0" * 64})
    head = json.dumps({"__metadata__": {"ncs": about}, **entries}).encode()
    data = struct.pack("<Q", len(head)) + head + body
    path.write_bytes(data)
    return digest(data)


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


def read_model(folder: Path) -> Any:
    snapshot = read_checkpoint(folder)
    return [load_model(folder), snapshot.weights, snapshot.state, snapshot.buffer]


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


GOOD_LINE = {
    "study": "table", "label": "x", "value": "", "method": "random", "world": "block-rearrange",
    "split": ROW.split, "config": ROW.config, "checkpoint": str(ROW.checkpoint),
}  # fmt: skip


def make_index(folder: Path) -> None:
    folder.mkdir(parents=True)
    save_results(folder / "table.jsonl.gz", [ROW])
    write_json(folder / "index.json", {"lines": [GOOD_LINE], "about": {}})


def make_picture(folder: Path) -> None:
    folder.mkdir(parents=True)
    pixels = np.random.default_rng(0).integers(0, 255, (24, 32, 3), np.uint8)
    Image.fromarray(pixels).save(folder / "p.png")


def make_arrays(folder: Path) -> None:
    folder.mkdir(parents=True)
    frame = np.random.default_rng(0).integers(0, 255, (2, 3, 8, 8, 3), np.uint8)
    np.savez_compressed(folder / "a.npz", frame=frame, action=np.zeros((2, 2, 6), np.float32))


def read_clips(folder: Path) -> Any:
    (path,) = folder.glob("a.*")
    return list(open_arrays(path).clips)


def make_config(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "c.toml").write_text('format = "text"\nfiles = ["x"]\n')


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    "buffer": (make_buffer, read_buffer),
    "model": (make_model, read_model),
    "graph": (make_graph, lambda folder: load_graph(folder / "g.safetensors")),
    "sets": (make_sets, lambda folder: load_sets(folder / "s.safetensors", "c")),
    "results": (make_results, lambda folder: read_results(next(folder.glob("r.*")))),
    "index": (make_index, load_points),
    "config": (
        make_config,
        lambda folder: parse(Table, "table", ["--config", str(folder / "c.toml")]),
    ),
    "picture": (make_picture, lambda folder: load_picture(next(folder.glob("p.*")))),
    "arrays": (make_arrays, read_clips),
}
