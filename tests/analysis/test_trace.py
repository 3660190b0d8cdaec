"""Traces are drawn whole, whatever the agent decided."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ncs.analysis.graph_picture import draw_graph, node_centres
from ncs.analysis.trace import RED, Look, draw_legend, draw_panels, draw_step, save_gif, stack
from ncs.records import Graph

RNG = np.random.default_rng(0)


def blob(row: int, column: int) -> np.ndarray:
    mask = np.zeros((16, 16), np.float32)
    mask[row : row + 3, column : column + 3] = 0.9
    return mask.ravel()


MASKS = np.stack([blob(1, 1), blob(1, 10), blob(10, 5)])
LOOK = Look(RNG.integers(0, 255, (64, 64, 3), np.uint8), MASKS, np.ones(3, bool))
PAIRS = [{"goal": i, "now": 2 - i, "cost": 0.1, "distance": 1.0, "settled": False} for i in (0, 1)]
DECISION = {
    "pairs": PAIRS, "chosen": 0, "moved": 2, "purpose": "constraint", "kind": "edge",
    "support": 3, "node_from": 0, "node_to": 1,
}  # fmt: skip
NOTHING = {
    "pairs": [], "chosen": None, "moved": None, "purpose": "nothing", "kind": "random",
    "support": 0, "node_from": None, "node_to": None,
}  # fmt: skip
PARKING = {**DECISION, "purpose": "park"}
REMEMBERED = {**DECISION, "pairs": [{**PAIRS[0], "now": -1}], "moved": -1}


@pytest.mark.parametrize("decision", [DECISION, NOTHING, PARKING, REMEMBERED])
def test_any_decision_can_be_drawn(decision: dict[str, object]) -> None:
    picture = draw_step(LOOK, LOOK, decision, MASKS, "step 1")
    assert picture.dtype == np.uint8
    assert picture.shape[0] >= 256


def test_an_arrow_and_outlines_change_the_picture() -> None:
    drawn = draw_step(LOOK, LOOK, DECISION, MASKS, "step 1")
    plain = draw_step(LOOK, LOOK, NOTHING, MASKS, "step 1")
    assert (drawn != plain).any(axis=-1).mean() > 0.01


def test_a_gif_has_a_frame_a_step(tmp_path: Path) -> None:
    rows = [draw_step(LOOK, LOOK, d, MASKS, "x") for d in (DECISION, NOTHING)]
    save_gif(tmp_path / "a.gif", rows)
    with Image.open(tmp_path / "a.gif") as gif:
        assert gif.n_frames == 2  # type: ignore[attr-defined]
    assert stack(rows).shape[0] > rows[0].shape[0]


def test_nodes_are_drawn_where_their_masks_are() -> None:
    centre = node_centres(MASKS)
    assert centre[0, 0] < centre[1, 0]  # the first is left of the second
    assert centre[0, 1] < centre[2, 1]  # and above the third


@pytest.mark.parametrize("n_nodes", [0, 1, 3])
def test_a_graph_of_any_size_can_be_drawn(n_nodes: int) -> None:
    count = RNG.integers(0, 3, (n_nodes, n_nodes))
    action = np.zeros((n_nodes, n_nodes, 6), np.float32)
    graph = Graph(np.zeros((n_nodes, 2), np.float32), action, count, MASKS[:n_nodes])
    assert draw_graph(graph).shape == (720, 720, 3)


@pytest.mark.parametrize(("kind", "arrow"), [("edge", True), ("random", False)])
def test_only_an_action_that_aims_is_drawn_as_an_arrow(kind: str, arrow: bool) -> None:
    scene = draw_panels(LOOK, LOOK, {**DECISION, "kind": kind}, MASKS).scene
    assert (scene == RED).all(axis=-1).any() == arrow


@pytest.mark.parametrize("width", [1, 900])
def test_a_legend_is_never_cut(width: int) -> None:
    legend = draw_legend(width)
    assert legend.shape[1] >= width
    dark = (legend < 128).all(axis=-1)
    assert dark.any()
    assert not dark[:, -1].any()  # words end before the sheet does
