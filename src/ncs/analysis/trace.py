"""Takes decisions, gives pictures of them: what was matched and chosen, and the edge acted by.

Legend: H height, W width, K slots, P mask cells, M nodes.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ncs.analysis.pictures import Picture, caption, enlarge
from ncs.storage import write_bytes

SHOWN = 256  # pixels of the longer side, about
GAP = 8
# Okabe and Ito's colours, which stay apart for colour-blind eyes.
PALETTE = [
    (230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66),
    (0, 114, 178), (213, 94, 0), (204, 121, 167), (0, 0, 0),
]  # fmt: skip
WHITE = (255, 255, 255)
RED = (220, 20, 60)
FRAME = 170  # grey
LEGEND = (
    "rims of one colour: matched by type, in the scene and in the goal",
    "thick rims: the constraint that is served now; arrow: the move",
    "right: the node the thing leaves, and below it the node it goes to;",
    "above them: how the move was found, and how often its edge was seen",
)
LINE = 17  # pixels of a line of the legend


@dataclass(frozen=True)
class Look:
    """A picture and the slots seen in it."""

    image: Picture  # (H, W, 3)
    mask: NDArray[np.float32]  # (K, P)
    presence: NDArray[np.bool_]  # (K,)


@dataclass(frozen=True)
class Panels:
    """One decision in three pictures."""

    scene: Picture  # slots in their pair's colour, the action as an arrow
    goal: Picture
    edge: Picture  # the two nodes


def draw_step(
    now: Look, goal: Look, decision: Mapping[str, Any], node_MP: NDArray[np.float32], title: str
) -> Picture:
    """One decision: the scene, the goal, and the two nodes with their edge, in a row."""
    return join_panels(draw_panels(now, goal, decision, node_MP), decision, title)


def join_panels(panels: Panels, decision: Mapping[str, Any], title: str) -> Picture:
    """The pictures of one decision in a row, with words above them."""
    text = decision["kind"]
    text += f", seen {decision['support']} times" if decision["support"] else ""
    edge = _pad(panels.edge, panels.scene.shape[0], panels.edge.shape[1] + 90)  # room for words
    captions = zip((panels.scene, panels.goal, edge), (title, "goal", text), strict=True)
    return _row([caption(*pair) for pair in captions])


def draw_panels(
    now: Look, goal: Look, decision: Mapping[str, Any], node_MP: NDArray[np.float32]
) -> Panels:
    """The pictures of one decision, without words."""
    colour_now, colour_goal = _pair_colours(decision["pairs"])
    left = outline(now, colour_now, thick=decision["moved"])
    right = outline(goal, colour_goal, thick=_chosen_goal(decision))
    tail, tip = _arrow_ends(now, goal, decision)
    if tail is not None and tip is not None:
        left = draw_arrow(left, tail, tip)
    return Panels(left, right, _draw_edge(decision, node_MP, left.shape[0]))


def outline(look: Look, colours: Mapping[int, tuple[int, int, int]], thick: int | None) -> Picture:
    """The picture with the border of each matched slot in its pair's colour."""
    canvas = enlarge(look.image, scale_of(look.image)).copy()
    for slot, colour in colours.items():
        inside = _full_size(look.mask[slot], canvas.shape[:2]) > _threshold(look.mask[slot])
        width = 5 if slot == thick else 2
        canvas[_border(inside, width)] = colour
    return canvas


def _pair_colours(
    pairs: Sequence[Mapping[str, Any]],
) -> tuple[dict[int, tuple[int, int, int]], dict[int, tuple[int, int, int]]]:
    """A colour for each pair, by its slot in the scene and by its slot in the goal."""
    colours = [PALETTE[index % len(PALETTE)] for index in range(len(pairs))]
    coloured = list(zip(pairs, colours, strict=True))
    now = {pair["now"]: colour for pair, colour in coloured if pair["now"] >= 0}
    goal = {pair["goal"]: colour for pair, colour in coloured if pair["goal"] >= 0}
    return now, goal


def _chosen_goal(decision: Mapping[str, Any]) -> int | None:
    """The slot of the goal that the action serves."""
    chosen = decision["chosen"]
    return None if chosen is None else int(decision["pairs"][chosen]["goal"])


def _threshold(mask_P: NDArray[np.float32]) -> float:
    """Half of the mask's peak: masks of different models differ in strength."""
    return 0.5 * float(mask_P.max())


def scale_of(image: Picture) -> int:
    """How often a picture is enlarged, so that small ones can be seen and large ones fit."""
    return max(1, round(SHOWN / int(max(image.shape[:2]))))


def _full_size(mask_P: NDArray[np.float32], size: Sequence[int]) -> NDArray[np.float32]:
    """A mask over cells as one over pixels; beyond the picture's edge there is nothing."""
    side = round(len(mask_P) ** 0.5)
    grid = Image.fromarray(np.pad(mask_P.reshape(side, side).astype(np.float32), 1))
    (height, width), (down, right) = size, (round(length / side) for length in size)
    whole = (width + 2 * right, height + 2 * down)
    padded = np.asarray(grid.resize(whole, Image.Resampling.BILINEAR))
    return padded[down : down + height, right : right + width]


def _border(inside: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """The rim of a shape, a few pixels wide."""
    from scipy.ndimage import binary_dilation, binary_erosion

    grown = binary_dilation(inside, iterations=(width + 1) // 2)
    rim: NDArray[np.bool_] = grown & ~binary_erosion(inside, iterations=max(width // 2, 1))
    return rim


def _centre(look: Look, slot: int) -> tuple[float, float]:
    """Centre of a slot's mask in pixels of the enlarged picture, as (x, y)."""
    mask_P = look.mask[slot]
    side = round(len(mask_P) ** 0.5)
    grid = mask_P.reshape(side, side) * (mask_P.reshape(side, side) > _threshold(mask_P))
    y, x = np.mgrid[:side, :side] + 0.5
    total = max(float(grid.sum()), 1e-9)
    height, width = (length * scale_of(look.image) / side for length in look.image.shape[:2])
    return float((grid * x).sum() / total * width), float((grid * y).sum() / total * height)


def _arrow_ends(
    now: Look, goal: Look, decision: Mapping[str, Any]
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """From the slot that moves to where the goal has it; nothing for a random action."""
    target = _chosen_goal(decision)
    moved = decision["moved"]
    if decision["kind"] == "random" or moved is None or moved < 0 or target is None or target < 0:
        return None, None
    if decision["purpose"] != "constraint":
        return _centre(now, moved), None
    return _centre(now, moved), _centre(goal, target)


def draw_arrow(picture: Picture, tail: tuple[float, float], tip: tuple[float, float]) -> Picture:
    """The picture with an arrow, rimmed in white so that it shows on any colour."""
    image = Image.fromarray(picture)
    pen = ImageDraw.Draw(image)
    direction = np.subtract(tip, tail)
    length = float(np.linalg.norm(direction))
    if length < 1:
        return picture
    unit = direction / length
    side = np.array([-unit[1], unit[0]])
    head = [tuple(tip), tuple(tip - 14 * unit + 7 * side), tuple(tip - 14 * unit - 7 * side)]
    neck = tuple(tip - 10 * unit)
    pen.line([tuple(tail), neck], WHITE, 7)
    pen.polygon(head, RED, WHITE)
    pen.line([tuple(tail), neck], RED, 3)
    return np.asarray(image)


def _draw_edge(decision: Mapping[str, Any], node_MP: NDArray[np.float32], height: int) -> Picture:
    """The node it leaves above the node it goes to."""
    tile = height // 2 - GAP
    rows = []
    for key in ("node_from", "node_to"):
        index = decision[key]
        canvas = np.full((tile, tile, 3), 235, np.uint8)
        if index is not None:
            mask = _full_size(node_MP[index], (tile, tile))
            canvas = (255 * (1 - mask[..., None] / max(float(mask.max()), 1e-9))).astype(np.uint8)
            canvas = canvas.repeat(3, axis=2)
        canvas[[0, -1]] = canvas[:, [0, -1]] = FRAME
        rows.append(_label(canvas, f"node {'-' if index is None else index}"))
    return np.concatenate([rows[0], np.full((GAP, tile, 3), 255, np.uint8), rows[1]])


def _label(picture: Picture, text: str) -> Picture:
    """Small words in a picture's corner."""
    image = Image.fromarray(picture)
    ImageDraw.Draw(image).text((4, 2), text, RED, ImageFont.load_default(12))
    return np.asarray(image)


def _pad(picture: Picture, height: int, width: int) -> Picture:
    """The picture on a white sheet of at least that size."""
    canvas = np.full(
        (max(height, picture.shape[0]), max(width, picture.shape[1]), 3), 255, np.uint8
    )
    canvas[: picture.shape[0], : picture.shape[1]] = picture
    return canvas


def _row(panels: Sequence[Picture]) -> Picture:
    """Panels side by side."""
    height = max(panel.shape[0] for panel in panels)
    spaced = [_pad(panel, height, panel.shape[1] + GAP) for panel in panels]
    return np.concatenate(spaced, axis=1)


def stack(rows: Sequence[Picture]) -> Picture:
    """Pictures below each other: the whole episode."""
    width = max(row.shape[1] for row in rows)
    return np.concatenate([_pad(row, row.shape[0] + GAP, width) for row in rows])


def draw_legend(width: int) -> Picture:
    """What the marks of a step mean, on a sheet of at least that width."""
    font = ImageFont.load_default(12)
    longest = max(int(font.getlength(line)) for line in LEGEND)
    image = Image.new("RGB", (max(width, longest + 2 * GAP), LINE * len(LEGEND) + GAP), WHITE)
    for number, line in enumerate(LEGEND):
        ImageDraw.Draw(image).text((3, LINE * number), line, (FRAME // 2,) * 3, font)
    return np.asarray(image)


def save_gif(path: Path, frames: Sequence[Picture], seconds: float = 1.0) -> None:
    """Writes frames as an endless GIF that rests on its last picture."""
    write_bytes(path, encode_gif(frames, seconds))


def encode_gif(frames: Sequence[Picture], seconds: float = 1.0) -> bytes:
    """Frames as an endless GIF that rests on its last picture."""
    width, height = max(f.shape[1] for f in frames), max(f.shape[0] for f in frames)
    images = [Image.fromarray(_pad(frame, height, width)) for frame in frames]
    times = [round(1000 * seconds)] * (len(images) - 1) + [round(3000 * seconds)]
    data = io.BytesIO()
    images[0].save(data, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0)
    return data.getvalue()
