"""Single files of arrays, spoiled: graphs and sets."""

# ruff: noqa: E501 - a case is a line

import struct

import numpy as np
from benchmarks.hostile.good import graph_parts
from benchmarks.hostile.spoil import (
    NOTHING,
    Case,
    graph,
    linked,
    piped,
    raw_graph,
    sets,
    tensor,
    written,
)  # fmt: skip

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
