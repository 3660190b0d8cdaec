"""The map of nodes keeps neighbours together and is the same every time."""

import numpy as np
import pytest

from ncs.analysis.node_map import COLUMNS, STEP, draw_nodes, lay_out, tile_masks


def clumps(n_each: int = 15) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    centre_35 = 10 * np.eye(3, 5)
    node_X = np.repeat(np.arange(3), n_each)
    return (centre_35[node_X] + rng.normal(size=(3 * n_each, 5))).astype(np.float32), node_X


def test_clumps_stay_together() -> None:
    state_XS, node_X = clumps()
    place_X2 = lay_out(state_XS)
    distance_XX = np.linalg.norm(place_X2[:, None] - place_X2[None], axis=2)
    np.fill_diagonal(distance_XX, np.inf)
    assert (node_X[distance_XX.argmin(1)] == node_X).mean() > 0.95


def test_the_same_states_are_laid_out_the_same() -> None:
    state_XS, _ = clumps()
    assert (lay_out(state_XS) == lay_out(state_XS)).all()


@pytest.mark.parametrize("state_XS", [np.zeros((8, 3)), np.ones((2, 3)), np.zeros((0, 2))])
def test_degenerate_states_are_laid_out_all_the_same(state_XS: np.ndarray) -> None:
    place_X2 = lay_out(state_XS.astype(np.float32))
    assert place_X2.shape == (len(state_XS), 2)
    assert np.isfinite(place_X2).all()


def test_every_node_is_drawn_with_its_number_and_its_mask() -> None:
    state_XS, node_X = clumps(4)
    mask_MP = np.eye(3, 16, dtype=np.float32)
    figure = draw_nodes(state_XS[:, :2].astype(np.float64), node_X, mask_MP)
    for axis in figure.axes:
        assert {text.get_text() for text in axis.texts} == {"0", "1", "2"}


def test_masks_stand_side_by_side() -> None:
    mask_MP = np.eye(8, 16, dtype=np.float32)
    canvas = tile_masks(mask_MP, np.arange(8))
    assert canvas.shape == (2 * STEP, COLUMNS * STEP, 3)
    assert canvas[:4, :4].max() == 0  # node 0 is dark in its first corner
    assert canvas[STEP : STEP + 4, :4].min() == 255  # node 6 is not
