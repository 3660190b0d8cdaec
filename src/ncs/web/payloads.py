"""Takes tasks, moments, graphs and results, gives the values and pictures that the page shows.

Legend: M nodes, 2 places in a picture.
"""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.agent.recorder import Moment
from ncs.analysis.formatter import estimate_text, result_grid, shown_rows
from ncs.analysis.graph_picture import SIZE, mask_tile, node_centres, spread_apart
from ncs.analysis.pictures import encode_png, enlarge
from ncs.analysis.points import CELLS
from ncs.analysis.table import NAMELESS, SCORES, Row, beside_paper, from_records
from ncs.analysis.trace import PALETTE
from ncs.envs.goal_editing import handles
from ncs.evaluation.results import read_results
from ncs.graph.summary import summarise
from ncs.records import ConfigError, Graph, Task
from ncs.storage import read_json

SHOWN = 256  # pixels a side of pictures on the page, at least


def as_url(picture: NDArray[np.uint8]) -> str:
    """A picture as a data address."""
    return "data:image/png;base64," + base64.b64encode(encode_png(picture)).decode()


def large_url(picture: NDArray[np.uint8]) -> str:
    """A model's small picture, enlarged, as a data address."""
    return as_url(enlarge(picture, max(1, SHOWN // len(picture))))


def scene_payload(
    task: Task, observation: Mapping[str, NDArray[np.uint8]], info: Mapping[str, Any]
) -> dict[str, Any]:
    """Start and goal of a task, with a handle on each object."""
    return {
        "image": large_url(observation["image"]),
        "goal": large_url(observation["goal"]),
        "handles": [{"index": h.index, "x": h.x, "y": h.y} for h in handles(task)],
        **{name: info[name] for name in ("minimum_moves", "satisfied", "constraints")},
    }


def moment_payload(moment: Moment) -> dict[str, Any]:
    """A moment of an episode, pictures inside."""
    payload: dict[str, Any] = {
        "image": large_url(moment.image),
        "goal": large_url(moment.goal),
        "satisfied": moment.satisfied,
        "constraints": moment.constraints,
        "minimum_moves": moment.minimum_moves,
        "solved": moment.solved,
        "step": moment.decision,
    }
    if moment.panels is not None and moment.decision is not None:
        payload["scene_seen"] = as_url(moment.panels.scene)
        payload["goal_seen"] = as_url(moment.panels.goal)
        payload["nodes_seen"] = as_url(moment.panels.edge)
        count = len(moment.decision["pairs"])
        payload["colours"] = [
            "#{:02x}{:02x}{:02x}".format(*PALETTE[i % len(PALETTE)]) for i in range(count)
        ]
    return payload


def graph_payload(graph: Graph) -> dict[str, Any]:
    """Nodes with their places and pictures, edges with their evidence."""
    by_mask_M2 = spread_apart(node_centres(graph.mask)) / SIZE
    nodes = [
        {
            "tile": as_url(mask_tile(graph.mask[index])),
            "mask": by_mask_M2[index].tolist(),
            "in": int(graph.count[:, index].sum()),
            "out": int(graph.count[index].sum()),
        }
        for index in range(len(graph.node))
    ]
    edges = [
        {
            "from": int(i),
            "to": int(j),
            "count": int(graph.count[i, j]),
            "action": [round(float(number), 3) for number in graph.action[i, j]],
            "spread": None if graph.spread is None else round(float(graph.spread[i, j]), 4),
        }
        for i, j in np.argwhere(graph.count > 0)
    ]
    return {"nodes": nodes, "edges": edges, "facts": summarise(graph)}


def tsne_payload(graph: Graph) -> list[list[float]]:
    """Where t-SNE lays nodes out, in [0, 1]."""
    if len(graph.node) < 4:
        raise ConfigError("layout: t-SNE needs four nodes at least")
    try:
        from ncs.analysis.node_map import lay_out
    except ImportError as error:
        raise ConfigError(f"layout: t-SNE needs {error.name}: pip install 'ncs[figures]'") from None
    place_M2 = lay_out(graph.node)
    low_2, high_2 = place_M2.min(axis=0), place_M2.max(axis=0)
    share_M2: NDArray[np.float64] = (place_M2 - low_2) / np.maximum(high_2 - low_2, 1e-9)
    return [[float(x), float(y)] for x, y in share_M2]


def result_payloads(path: Path) -> list[dict[str, Any]]:
    """The tables of a result file, or of the run that wrote its cells down, by both scores."""
    payloads = []
    cells = read_json(path)["cells"] if path.name == CELLS else None
    results = read_results(path) if cells is None else []
    for score in SCORES:
        if cells is not None:
            tables, names = from_records(cells, score)
        else:
            tables, names = beside_paper(results, score), NAMELESS
        for where, rows in tables.items():
            head, *lines = (grid := result_grid(where, rows, score, names)).rows
            own = [
                {"source": row.source, "texts": texts, "means": row_means(row)}
                for row, texts in zip(shown_rows(rows, score), lines, strict=True)
            ]
            payloads.append({"score": score, "title": grid.title, "head": head, "rows": own})
    return payloads


def row_means(row: Row) -> list[tuple[int, float, str]]:
    """A line of a chart: numbers of objects, each with the mean score and its text."""
    return [(objects, cell.mean, estimate_text(cell)) for objects, cell in row.cells.items()]
