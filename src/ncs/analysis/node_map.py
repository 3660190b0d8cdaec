"""Takes states and their nodes, gives the paper's figure: t-SNE, coloured by node.

Legend: X states, S state channels, M nodes, P mask cells.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncs.analysis.figures import new_figure
from ncs.analysis.graph_picture import mask_tile
from ncs.records import NcsError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PERPLEXITY = 30.0  # scikit-learn's default; fewer states get less
SHOWN = 24  # mean masks around the map: more are too small to see
JITTER = 1e-6  # of the spread: states that are equal to the bit make t-SNE divide by zero


def lay_out(state_XS: NDArray[np.float32], seed: int = 0) -> NDArray[np.float64]:
    """Places (X, 2) in the plane by which near states stay near; the same for the same states."""
    try:
        from sklearn.manifold import TSNE
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise NcsError("scikit-learn is not installed; pip install 'ncs[figures]'") from None
    n_states = len(state_XS)
    if n_states < 4:
        return np.stack([np.arange(n_states), np.zeros(n_states)], axis=1).astype(np.float64)
    rng = np.random.default_rng(seed)
    state_XS = np.asarray(state_XS, np.float64)
    state_XS = state_XS + JITTER * max(state_XS.std(), 1e-12) * rng.normal(size=state_XS.shape)
    method = TSNE(
        perplexity=min(PERPLEXITY, (n_states - 1) / 3),
        init="random" if state_XS.shape[1] < 2 else "pca",
        random_state=seed,
    )
    with threadpool_limits(1):  # sums of several threads would differ in their last digits
        place_X2: NDArray[np.float64] = method.fit_transform(state_XS).astype(np.float64)
    return place_X2


def draw_nodes(
    place_X2: NDArray[np.float64], node_X: NDArray[np.int64], mask_MP: NDArray[np.float32]
) -> "Figure":
    """States as dots in their node's colour and number, and the mean masks of the largest nodes."""
    from matplotlib import colormaps

    figure = new_figure(2, 1, 5.0, 4.6)
    axes = figure.subplots(1, 2, width_ratios=[1, 1])
    nodes, counts = np.unique(node_X, return_counts=True)
    colours = colormaps["viridis"](np.linspace(0, 1, max(len(nodes), 2)))
    for colour, node in zip(colours, nodes, strict=False):
        own_X2 = place_X2[node_X == node]
        axes[0].scatter(*own_X2.T, s=7, color=colour, linewidths=0)
        axes[0].text(*np.median(own_X2, axis=0), str(node), fontsize=7, ha="center")
    axes[0].set(xticks=[], yticks=[], title="states of moved entities, by node")
    axes[1].imshow(tile_masks(mask_MP, nodes[np.argsort(-counts, kind="stable")][:SHOWN]))
    axes[1].set(xticks=[], yticks=[], title="mean masks of the largest nodes")
    for number, node in enumerate(nodes[np.argsort(-counts, kind="stable")][:SHOWN]):
        row, column = divmod(number, COLUMNS)
        axes[1].text(column * STEP + 4, row * STEP + 10, str(node), fontsize=7, color="#D55E00")
    return figure


COLUMNS = 6
STEP = 56  # a tile of 52 pixels and a gap


def tile_masks(mask_MP: NDArray[np.float32], nodes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Mean masks side by side, in the order of the nodes given."""
    rows = max(1, -(-len(nodes) // COLUMNS))
    canvas = np.full((rows * STEP, COLUMNS * STEP, 3), 255, np.uint8)
    for number, node in enumerate(nodes):
        row, column = divmod(number, COLUMNS)
        tile = mask_tile(mask_MP[node])
        top, left = row * STEP, column * STEP
        canvas[top : top + len(tile), left : left + len(tile)] = tile
    return canvas
