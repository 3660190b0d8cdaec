"""Graphs on disk: one safetensors file that knows which weights it belongs to."""

from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from ncs.bounded import Expected, check_finite, read_header
from ncs.graph.config import GraphConfig
from ncs.records import Calibration, ConfigError, DataError, Graph
from ncs.settings import Record, Word, checked
from ncs.storage import brief, digest_content, read_arrays, reading, write_arrays

FORMAT = "ncs-graph-2"
OLDER = "ncs-graph-1"  # had the calibration's values among the graph's, and none was left out
MOST_NODES = 4096
SURE = ("node", "mask", "whiten", "world", "rules")  # arrays without NaN for "there is none"
ARRAYS = {
    "node": Expected("f", ("M", "S")),
    "action": Expected("f", ("M", "M", 6)),
    "count": Expected("i", ("M", "M")),
    "mask": Expected("f", ("M", "P")),
    "spread": Expected("f", ("M", "M"), optional=True),
}
CALIBRATION = {
    "pick": Expected("f", ("M", 3)),
    "place": Expected("f", ("M", 3)),
    "world": Expected("f", ("F", 3), optional=True),
    "offset": Expected("f", ("M", 3)),
    "whiten": Expected("f", ("D", "D"), optional=True),
    "rules": Expected("f", ("R", 9), optional=True),
}


class Facts(Record):
    """What a graph says of itself beside its arrays."""

    model_config = ConfigDict(extra="forbid")

    representation: Literal["alpha", "state"] = "state"
    isolate_metric: Word = "euclidean"
    bind_metric: Word = "euclidean"
    checkpoint: Word = ""


class Measures(Record):
    """What a calibration says beside its arrays."""

    model_config = ConfigDict(extra="forbid")

    still: float
    gap: float
    error: float
    outliers: float


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
    with reading(path):
        about = read_header(path).about
    _check_format(path, about)
    facts, measures = _said(path, about)
    expected = {**ARRAYS, **CALIBRATION} if measures else ARRAYS
    arrays, _ = read_arrays(path, expected)
    if not len(arrays["node"]) <= MOST_NODES:
        raise DataError(f"{path}: has {len(arrays['node'])} nodes, the most is {MOST_NODES}")
    holes = [name for name in arrays if name not in SURE]
    check_finite(path, arrays, holes, boundless=["rules"])  # a rule may be open to one side
    extra: dict[str, Any] = {name: arrays.pop(name, None) for name in CALIBRATION}
    if about["format"] == OLDER and extra["world"] is not None and not len(extra["world"]):
        extra["world"] = None
    calibration = Calibration(**measures, **extra) if measures else None
    values: dict[str, Any] = {**arrays, **facts}
    graph = Graph(**values, calibration=calibration)
    if checkpoint is not None and graph.checkpoint != checkpoint:
        raise DataError(
            f"{path}: was built with checkpoint {graph.checkpoint[:12] or 'none'}, not "
            f"{checkpoint[:12]}; build the graph again with this checkpoint"
        )
    return graph


def _said(path: Path, about: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file says of its graph and, where there is one, of its calibration."""
    facts, measures = about.get("graph"), about.get("calibration")
    if about["format"] == OLDER and isinstance(facts, dict) and "still" in facts:
        measures = {name: facts[name] for name in Measures.model_fields if name in facts}
        facts = {name: value for name, value in facts.items() if name not in measures}
    own = checked(Facts, facts, path, "a graph").model_dump()
    return own, checked(Measures, measures, path, "a graph").model_dump() if measures else {}


def load_config(path: Path) -> GraphConfig:
    """The settings a saved graph was built with."""
    _, about = read_arrays(path)
    _check_format(path, about)
    try:
        return GraphConfig(**about["config"])
    except (ConfigError, KeyError, TypeError) as error:
        raise DataError(f"{path}: its settings are none of a graph ({brief(error)})") from None


def _check_format(path: Path, about: dict[str, Any]) -> None:
    """Refuses what is no graph, or one of another version."""
    if about.get("format") not in (FORMAT, OLDER):
        raise DataError(
            f"{path}: is not a graph of this version ({about.get('format')!r}, not {FORMAT!r}); "
            "build it again"
        )
