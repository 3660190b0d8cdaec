"""Training logs become curves."""

import json
from pathlib import Path

import pytest

from ncs.analysis.curves import draw_curves, gather, read_log
from ncs.records import DataError

ROWS = [
    {"step": 0, "holdout": {"loss": 9.0}},
    {"step": 10, "loss": 8.0, "rate": {"all": 1e-3}, "gradient_norm": float("nan")},
    {"step": 20, "loss": 0.5, "rate": {"all": 1e-3}},
]


def test_curves_hold_every_finite_figure_once_and_no_settings() -> None:
    trained, held_out = gather(ROWS)
    assert trained == {"loss": [(10, 8.0), (20, 0.5)]}
    assert held_out == {"loss": [(0, 9.0)]}


def test_the_picture_is_wide_and_not_blank() -> None:
    picture = draw_curves(ROWS, "a run")
    assert picture.shape[1] > picture.shape[0] > 0
    assert picture.min() < 100 < picture.max()


def test_a_log_that_is_no_log_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS[2:])) + "\nnonsense")
    with pytest.raises(DataError, match=r"metrics\.jsonl"):
        read_log(path)
