"""Fifty tasks on the table of ``table.py``, solved through 'ncs serve'.

python loop.py http://127.0.0.1:8766 50
"""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from table import HALF, Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from robot_loop import Client, run

MOST_MOVES = 16  # four things, four moves each


def as_png(picture: np.ndarray) -> bytes:
    """A picture as a file's bytes."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()


def solve(address: str, number: int) -> float:
    """The share of things that stand where the goal shows them, within half of their width."""
    rng = np.random.default_rng([2, number])
    table = Table(4, rng)
    start = table.place.copy()
    for thing in rng.permutation(4):
        table.place[thing] = table.free_place(but=int(thing))
    goal, wanted = as_png(table.picture()), table.place.copy()
    table.place = start
    client = Client(address)

    def move(pick: list[float], place: list[float]) -> None:
        table.move(np.array(pick[:2]), np.array(place[:2]))

    run(client, lambda: as_png(table.picture()), move, goal, MOST_MOVES)
    return float((np.linalg.norm(table.place - wanted, axis=1) < HALF / 2).mean())


if __name__ == "__main__":
    address, n_tasks = sys.argv[1], int(sys.argv[2])
    shares = [solve(address, number) for number in range(n_tasks)]
    print(f"{np.mean(shares):.3f} of things in place, {np.mean(np.array(shares) == 1):.3f} solved")
