"""Graphs of whole scenes on disk: one safetensors file that knows which weights it belongs to."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.baselines.nonfactorised import SetGraph
from ncs.bounded import Expected, check_finite
from ncs.records import DataError
from ncs.storage import read_arrays, write_arrays

FORMAT = "ncs-sets-1"
ARRAYS = {
    "member": Expected("i", ("N",)),
    "size": Expected("i", ("C",)),
    "edge": Expected("i", ("E", 2)),
    "action": Expected("f", ("E", 6)),
}


def sets_path(folder: Path, preset: str) -> Path:
    """Where a model folder keeps the scenes of a preset."""
    return folder / f"sets-{preset}.safetensors"


def save_sets(path: Path, sets: SetGraph, checkpoint: str) -> None:
    """Writes a graph of scenes."""
    arrays: dict[str, NDArray[Any]] = {
        "member": np.array([n for scene in sets.scene for n in scene], np.int64),
        "size": np.array([len(scene) for scene in sets.scene], np.int64),
        "edge": sets.edge,
        "action": sets.action,
    }
    write_arrays(path, arrays, {"format": FORMAT, "checkpoint": checkpoint})


def load_sets(path: Path, checkpoint: str) -> SetGraph:
    """A graph of scenes as it was saved; refuses one that was built with other weights."""
    arrays, about = read_arrays(path, ARRAYS)
    if about.get("format") != FORMAT or about.get("checkpoint") != checkpoint:
        raise DataError(f"{path}: does not belong to this model; build it again with 'ncs graph'")
    check_finite(path, arrays)
    size, edge, member = arrays["size"], arrays["edge"], arrays["member"]
    whole = (size >= 0).all() and size.sum() == len(member) and (member >= 0).all()
    if not whole or not ((edge >= 0) & (edge < len(size))).all():
        raise DataError(f"{path}: its scenes and edges do not add up; build it again")
    cuts = np.cumsum(arrays["size"])[:-1]
    scenes = tuple(tuple(part.tolist()) for part in np.split(arrays["member"], cuts))
    return SetGraph(scenes, arrays["edge"], arrays["action"])
