"""Graphs on disk: one safetensors file that knows which weights it belongs to."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.graph.config import GraphConfig
from ncs.records import Calibration, DataError, Graph
from ncs.storage import digest_content, read_arrays, write_arrays

FORMAT = "ncs-graph-2"
OLDER = "ncs-graph-1"  # had the calibration's values among the graph's, and none was left out


def graph_arrays(graph: Graph) -> dict[str, NDArray[Any]]:
    """The arrays of a graph and of its calibration, by name."""
    parts: list[Graph | Calibration] = [graph, *([graph.calibration] if graph.calibration else [])]
    values = {f.name: getattr(part, f.name) for part in parts for f in fields(part)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def graph_hash(graph: Graph) -> str:
    """A hash of a graph's arrays, the same in whatever format it was kept."""
    return digest_content(graph_arrays(graph))


def save_graph(path: Path, graph: Graph, config: GraphConfig) -> str:
    """Writes a graph with its settings; the file's SHA-256 comes back."""
    about = {
        "format": FORMAT,
        "graph": _scalars(graph),
        "calibration": _scalars(graph.calibration) if graph.calibration else None,
        "config": config.model_dump(mode="json"),
    }
    return write_arrays(path, graph_arrays(graph), about)


def _scalars(part: Graph | Calibration) -> dict[str, str | float]:
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {name: value for name, value in values.items() if isinstance(value, str | float)}


def load_graph(path: Path, checkpoint: str | None = None) -> Graph:
    """A graph as it was saved; refuses one that was built with other weights.

    Args:
        path: File to read.
        checkpoint: Hash of the weights it must belong to; None takes any.
    """
    arrays, about = read_arrays(path)
    _check_format(path, about)
    values: dict[str, Any] = {**arrays, **about["graph"], **(about.get("calibration") or {})}
    extra = {f.name: values.pop(f.name, None) for f in fields(Calibration)}
    whole = extra["still"] is not None
    if about["format"] == OLDER and whole and not len(extra["world"]):
        extra["world"] = None
    graph = Graph(**values, calibration=Calibration(**extra) if whole else None)
    if checkpoint is not None and graph.checkpoint != checkpoint:
        raise DataError(
            f"{path}: was built with checkpoint {graph.checkpoint[:12] or 'none'}, not "
            f"{checkpoint[:12]}; build the graph again with this checkpoint"
        )
    return graph


def load_config(path: Path) -> GraphConfig:
    """The settings a saved graph was built with."""
    _, about = read_arrays(path)
    _check_format(path, about)
    return GraphConfig(**about["config"])


def _check_format(path: Path, about: dict[str, Any]) -> None:
    """Refuses what is no graph, or one of another version."""
    if about.get("format") not in (FORMAT, OLDER):
        raise DataError(
            f"{path}: is not a graph of this version ({about.get('format')!r}, not {FORMAT!r}); "
            "build it again"
        )
