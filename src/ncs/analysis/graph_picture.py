"""Takes a graph, gives a picture: nodes as mean masks, laid out where they are in the image.

Legend: M nodes, P mask cells.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ncs.analysis.pictures import Picture
from ncs.records import Graph

SIZE = 720
TILE = 52
MARGIN = 40
PAPER = (255, 255, 255)
INK = (30, 30, 30)
EDGE = (0, 114, 178)


def draw_graph(graph: Graph) -> Picture:
    """Nodes where their masks are, edges as lines: the darker, the more moves support them."""
    image = Image.new("RGB", (SIZE, SIZE), PAPER)
    pen = ImageDraw.Draw(image)
    centre_M2 = spread_apart(node_centres(graph.mask))
    most = max(int(graph.count.max(initial=0)), 1)
    order = np.argsort(graph.count, axis=None, kind="stable")  # the best supported on top
    for i, j in zip(*np.unravel_index(order, graph.count.shape), strict=True):
        if i != j and graph.count[i, j]:
            share = float(np.sqrt(graph.count[i, j] / most))
            shade = tuple(round(255 + (c - 255) * (0.1 + 0.9 * share)) for c in EDGE)
            pen.line([*centre_M2[i], *centre_M2[j]], shade, 1 + round(2 * share))
    for index, (x, y) in enumerate(centre_M2):
        tile = Image.fromarray(mask_tile(graph.mask[index]))
        corner = (round(x - TILE / 2), round(y - TILE / 2))
        image.paste(tile, corner)
        pen.rectangle([*corner, corner[0] + TILE, corner[1] + TILE], outline=INK)
        pen.text((corner[0] + 3, corner[1] + 2), str(index), INK, ImageFont.load_default(11))
    return np.asarray(image)


def node_centres(mask_MP: NDArray[np.float32]) -> NDArray[np.float64]:
    """Where the bright half of each mean mask has its centre, in pixels of the drawing (M, 2)."""
    side = round(mask_MP.shape[1] ** 0.5)
    y_P, x_P = (axis.ravel() + 0.5 for axis in np.mgrid[:side, :side])
    peak_M1 = mask_MP.max(axis=1, keepdims=True, initial=0)
    bright_MP = np.where(mask_MP > 0.5 * peak_M1, mask_MP, 0) + 1e-12
    weight_MP = bright_MP / bright_MP.sum(axis=1, keepdims=True)
    centre_M2 = np.stack([weight_MP @ x_P, weight_MP @ y_P], axis=1) / side
    pixel_M2: NDArray[np.float64] = MARGIN + centre_M2 * (SIZE - 2 * MARGIN)
    return pixel_M2


def spread_apart(centre_M2: NDArray[np.float64]) -> NDArray[np.float64]:
    """Moves nodes of the same place a little aside, so that none hides another."""
    placed = centre_M2.copy()
    for index in range(len(placed)):
        near = np.linalg.norm(placed[:index] - placed[index], axis=1) < TILE / 2
        placed[index] += 12 * near.sum()
    return np.clip(placed, TILE / 2, SIZE - TILE / 2)


def mask_tile(mask_P: NDArray[np.float32]) -> Picture:
    """A mean mask as a small picture, dark where the node's entities are."""
    side = round(len(mask_P) ** 0.5)
    share = mask_P.reshape(side, side) / max(float(mask_P.max()), 1e-9)
    grey = Image.fromarray((255 * (1 - share)).astype(np.uint8))
    tile = grey.resize((TILE, TILE), Image.Resampling.NEAREST).convert("RGB")
    return np.asarray(tile)
