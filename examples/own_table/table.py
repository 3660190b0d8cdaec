"""A table of one's own: discs and squares on a textured ground, 96 x 128 pixels, in centimetres.

Stands for a camera above a table and a log of picks and places. Nothing of it is known to ncs.

    python table.py clips 300      # writes clips/clip-0000/000.png ... and actions.csv
"""

import csv
import sys
from pathlib import Path

import numpy as np
from PIL import Image

HEIGHT, WIDTH = 96, 128  # pixels
TABLE = np.array([40.0, 30.0])  # centimetres, x to the right and y down
HALF = 2.0  # of a thing's width
PER_CM = WIDTH / TABLE[0]
COLOURS = [(214, 64, 60), (66, 118, 214), (64, 168, 92), (230, 190, 60), (150, 80, 190)]
COLOURS += [(240, 130, 40), (60, 190, 200), (240, 240, 240)]


def ground() -> np.ndarray:
    """A cloth: two crossing weaves, always the same."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    weave = np.sin(x / 1.7) * np.sin(y / 2.3) + 0.6 * np.sin((x + 2 * y) / 5.0)
    shade = 1 + 0.08 * weave + 0.03 * rng.normal(size=(HEIGHT, WIDTH))
    return np.clip(np.array([120, 104, 88]) * shade[..., None], 0, 255)


GROUND = ground()


class Table:
    """Things on a table: seen as a picture, moved by a pick and a place."""

    def __init__(self, n_things: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.colour = [COLOURS[i] for i in rng.permutation(len(COLOURS))[:n_things]]
        self.round = rng.random(n_things) < 0.5
        self.place = np.zeros((0, 2))
        for _ in range(n_things):
            self.place = np.append(self.place, [self.free_place()], axis=0)

    def free_place(self, but: int = -1) -> np.ndarray:
        """A place where nothing stands."""
        others = np.delete(self.place, but, axis=0) if but >= 0 else self.place
        while True:
            place = self.rng.uniform(2 * HALF, TABLE - 2 * HALF)
            if (np.abs(others - place).max(axis=1) > 2.6 * HALF).all():
                return place

    def picture(self) -> np.ndarray:
        """What the camera sees: a little noise is in it."""
        image = GROUND.copy()
        y, x = (np.mgrid[:HEIGHT, :WIDTH] + 0.5) / PER_CM
        for place, colour, is_round in zip(self.place, self.colour, self.round, strict=True):
            dx, dy = x - place[0], y - place[1]
            inside = np.hypot(dx, dy) < HALF if is_round else np.maximum(abs(dx), abs(dy)) < HALF
            image[inside] = colour
        image += self.rng.normal(size=image.shape) * 2
        return np.clip(image, 0, 255).astype(np.uint8)

    def move(self, pick: np.ndarray, place: np.ndarray) -> bool:
        """Carries what is under the pick to the place, if something is and there is room."""
        gap = np.linalg.norm(self.place - pick, axis=1)
        thing = int(gap.argmin())
        there = self.place[thing] + place - pick
        others = np.delete(self.place, thing, axis=0)
        crowded = len(others) and np.abs(others - there).max(axis=1).min() < 2 * HALF
        outside = (there < HALF).any() or (there > TABLE - HALF).any()
        if gap[thing] > HALF or crowded or outside:
            return False
        self.place[thing] = there
        return True


def write_clip(folder: Path, table: Table) -> None:
    """Five pictures of four moves, and the moves."""
    folder.mkdir(parents=True)
    rows = []
    Image.fromarray(table.picture()).save(folder / "000.png")
    for time, thing in enumerate(table.rng.permutation(len(table.place)), 1):
        pick, place = table.place[thing].copy(), table.free_place(but=thing)
        table.move(pick, place)
        rows.append([*pick.round(3), *place.round(3)])
        Image.fromarray(table.picture()).save(folder / f"{time:03d}.png")
    with (folder / "actions.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["pick_x_cm", "pick_y_cm", "place_x_cm", "place_y_cm"])
        writer.writerows(rows)


if __name__ == "__main__":
    out, n_clips = Path(sys.argv[1]), int(sys.argv[2])
    for number in range(n_clips):
        write_clip(out / f"clip-{number:04d}", Table(4, np.random.default_rng([1, number])))
    print(f"{out}: {n_clips} clips")
