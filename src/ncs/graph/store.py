"""Graphs on disk: one safetensors file that knows which weights it belongs to."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ncs.graph.build import GraphConfig
from ncs.records import DataError, Graph
from ncs.storage import read_arrays, write_arrays

FORMAT = "ncs-graph-1"


def save_graph(path: Path, graph: Graph, config: GraphConfig) -> str:
    """Writes a graph with its settings; the file's SHA-256 comes back."""
    values = {field.name: getattr(graph, field.name) for field in fields(Graph)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    scalars = {name: value for name, value in values.items() if name not in arrays}
    about = {"format": FORMAT, "graph": scalars, "config": config.model_dump(mode="json")}
    return write_arrays(path, arrays, about)


def load_graph(path: Path, checkpoint: str | None = None) -> Graph:
    """A graph as it was saved; refuses one that was built with other weights.

    Args:
        path: File to read.
        checkpoint: Hash of the weights it must belong to; None takes any.
    """
    arrays, about = read_arrays(path)
    if about.get("format") != FORMAT:
        raise DataError(
            f"{path}: is not a graph of this version ({about.get('format')!r}, not {FORMAT!r}); "
            "build it again"
        )
    values: dict[str, Any] = {**arrays, **about["graph"]}
    graph = Graph(**values)
    if checkpoint is not None and graph.checkpoint != checkpoint:
        raise DataError(
            f"{path}: was built with checkpoint {graph.checkpoint[:12] or 'none'}, not "
            f"{checkpoint[:12]}; build the graph again with this checkpoint"
        )
    return graph


def load_config(path: Path) -> GraphConfig:
    """The settings a saved graph was built with."""
    _, about = read_arrays(path)
    if about.get("format") != FORMAT:
        raise DataError(f"{path}: is not a graph of this version; build it again")
    return GraphConfig(**about["config"])
