"""What the eyes of a model do on real pictures that nothing was trained on: labelled by hand.

The labels stand in real_frames.json, the pictures in the Debian package opencv-doc:

    apt-get install opencv-doc
    python benchmarks/real_frames.py checkpoints/blocks-fast-0 checkpoints/robogym-fast-0

A thing is found if the middle of exactly one slot lies in its box; a slot whose middle lies in no
box, or in a box that has one already, is one too many. Beside it stands chance: as many middles
thrown at random. Pictures are reduced to the size that a model was trained with.
"""

import argparse
import gzip
import hashlib
import io
import json
import math
from pathlib import Path

import av
import numpy as np
import torch
from PIL import Image, ImageDraw

from ncs.agent.perceive import Perception
from ncs.agent.trained import TrainedModel

HOME = Path("/usr/share/doc/opencv-doc")
LABELS = Path(__file__).with_name("real_frames.json")
THROWS = 200  # of chance
MOST_THINGS = 12
USUAL = (64, 64)


def pictures_of(file: Path, frames: list[int]) -> list[Image.Image]:
    """The frames of a packed video, or the one of a picture."""
    if file.suffix != ".gz":
        return [Image.open(file).convert("RGB")]
    with av.open(io.BytesIO(gzip.decompress(file.read_bytes()))) as video:
        wanted = {n: f.to_image() for n, f in enumerate(video.decode(video=0)) if n in frames}
    return [wanted[n] for n in frames]


def read_labels(home: Path) -> list[dict]:
    """Every labelled frame with its picture; refuses other files than those that were labelled."""
    found = []
    for entry in json.loads(LABELS.read_text())["files"]:
        path = home / entry["file"]
        if not path.exists():
            raise SystemExit(f"{path}: is not there; apt-get install opencv-doc, or name --home")
        if hashlib.sha256(path.read_bytes()).hexdigest()[:16] != entry["sha256"]:
            raise SystemExit(f"{path}: is not the file that was labelled")
        numbers = [frame["frame"] for frame in entry["frames"]]
        for frame, picture in zip(entry["frames"], pictures_of(path, numbers), strict=True):
            box_N4 = np.array(frame["things"]) / [*picture.size, *picture.size]
            found.append({"set": entry["set"], "picture": picture, "box": box_N4})
    return found


def middles(model: TrainedModel, picture: Image.Image) -> np.ndarray:
    """Where present slots have their middles (K, 2), as shares of width and height."""
    height, width = model.model.picture_size or USUAL
    small = np.array(picture.resize((width, height), Image.Resampling.BOX))
    seen = Perception(model.model, model.slots_for(MOST_THINGS))(small[None], [0])[0]
    mask_KP = seen.mask[seen.presence]
    side = math.isqrt(mask_KP.shape[1])
    share = (np.arange(side) + 0.5) / side
    grid_P2 = np.stack(np.meshgrid(share, share), axis=-1).reshape(-1, 2)
    return mask_KP @ grid_P2 / np.maximum(mask_KP.sum(axis=1, keepdims=True), 1e-6)


def score(middle_K2: np.ndarray, box_N4: np.ndarray) -> tuple[int, int]:
    """Things found by exactly one middle, and middles too many; of two boxes the smaller counts."""
    size_N = np.prod(box_N4[:, 2:] - box_N4[:, :2], axis=1)
    hits = np.zeros(len(box_N4), int)
    astray = 0
    for middle in middle_K2:
        inside = ((middle >= box_N4[:, :2]) & (middle <= box_N4[:, 2:])).all(axis=1)
        if inside.any():
            hits[np.where(inside, size_N, np.inf).argmin()] += 1
        else:
            astray += 1
    return int((hits == 1).sum()), astray + int(np.maximum(hits - 1, 0).sum())


def chance(count: int, box_N4: np.ndarray, rng: np.random.Generator) -> float:
    """Things that as many middles find when they are thrown at random."""
    return float(np.mean([score(rng.random((count, 2)), box_N4)[0] for _ in range(THROWS)]))


def draw(frame: dict, middle_K2: np.ndarray) -> Image.Image:
    """A picture with labels in green and middles in red."""
    picture = frame["picture"].resize((320, 240))
    pen = ImageDraw.Draw(picture)
    for box in frame["box"] * [320, 240, 320, 240]:
        pen.rectangle(tuple(box), outline=(0, 220, 0), width=2)
    for x, y in middle_K2 * [320, 240]:
        pen.ellipse((x - 5, y - 5, x + 5, y + 5), outline=(255, 0, 0), width=3)
    return picture


def report(folder: Path, frames: list[dict], sheet: Path | None) -> list[str]:
    """Rows of a Markdown table: a model's figures on each set of pictures and on all of them."""
    model, rng = TrainedModel.load(folder), np.random.default_rng(0)
    rows, drawn = {}, []
    for frame in frames:
        middle_K2 = middles(model, frame["picture"])
        found, too_many = score(middle_K2, frame["box"])
        lucky = chance(len(middle_K2), frame["box"], rng)
        row = np.array([1, len(frame["box"]), found, lucky, too_many])
        for name in (frame["set"], "all"):
            rows[name] = rows.get(name, 0) + row
        drawn.append(draw(frame, middle_K2))
    if sheet is not None:
        whole = Image.new("RGB", (320 * 7, 240 * -(-len(drawn) // 7)))
        for index, picture in enumerate(drawn):
            whole.paste(picture, (index % 7 * 320, index // 7 * 240))
        whole.save(sheet)
    order = [*(name for name in rows if name != "all"), "all"]
    return [line(folder.name, name, *rows[name]) for name in order]


def line(
    model: str, name: str, n: float, things: float, found: float, luck: float, many: float
) -> str:
    shares = f"{found / things:.3f} | {luck / things:.3f} | {many / n:.2f}"
    return f"| {model} | {name} ({n:.0f}) | {things:.0f} | {shares} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--sheet", type=Path, help="a PNG of the last model's pictures")
    options = parser.parse_args()
    torch.set_num_threads(1)
    frames = read_labels(options.home)
    print("| model | frames | things | found | by chance | too many a frame |")
    print("|---|---|---|---|---|---|")
    for folder in options.models:
        print("\n".join(report(folder, frames, options.sheet)), flush=True)


if __name__ == "__main__":
    main()
