"""Takes the log of a training, gives a picture: every figure against the steps."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ncs.analysis.pictures import Picture
from ncs.bounded import MOST_JSON, parse_json, read_regular
from ncs.records import DataError
from ncs.storage import reading

HIDDEN = ("rate", "step")
TRAINED, HELD_OUT = "#0072B2", "#D55E00"  # told apart by the colour-blind
Points = dict[str, list[tuple[int, float]]]


def read_log(path: Path) -> list[dict[str, Any]]:
    """The rows of a training's metrics.jsonl."""
    with reading(path):
        lines = read_regular(path, MOST_JSON).splitlines()
    rows = [parse_json(line, f"{path}, line {number}") for number, line in enumerate(lines, 1)]
    if not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path}: cannot be read as a training log")
    return rows


def gather(rows: Iterable[Mapping[str, Any]]) -> tuple[Points, Points]:
    """Steps and values by name, as trained on and as held out."""
    trained: Points = defaultdict(list)
    held_out: Points = defaultdict(list)
    for row in rows:
        for curves, values in ((trained, row), (held_out, row.get("holdout", {}))):
            for name, value in values.items():
                if isinstance(value, int | float) and name not in HIDDEN and math.isfinite(value):
                    curves[name].append((row["step"], value))
    return dict(trained), dict(held_out)


def draw_curves(rows: Iterable[Mapping[str, Any]], title: str) -> Picture:
    """One small panel a figure; on a logarithm where values span more than a decade."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    trained, held_out = gather(rows)
    names = sorted({*trained, *held_out})
    columns = 3
    lines = max(1, math.ceil(len(names) / columns))
    figure = Figure(figsize=(4 * columns, 2.4 * lines), layout="constrained", dpi=80)
    for index, name in enumerate(names):
        axis = figure.add_subplot(lines, columns, index + 1, title=name.replace("_", " "))
        for curves, colour, label in (
            (trained, TRAINED, "training batches"),
            (held_out, HELD_OUT, "held-out clips"),
        ):
            if name in curves:
                marker = "o" if len(curves[name]) < 20 else ""
                steps, values = zip(*curves[name], strict=True)
                axis.plot(steps, values, color=colour, label=label, lw=1, marker=marker, ms=3)
        if _spans_decades([value for _, value in trained.get(name, [])]):
            axis.set_yscale("log")
        axis.set_xlabel("step")
        axis.legend(fontsize=7)
    figure.suptitle(title)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _spans_decades(values: list[float]) -> bool:
    return bool(values) and min(values) > 0 and max(values) > 10 * min(values)
