"""A camera and an arm for the robot's loop; here both are simulated.

python arm.py http://127.0.0.1:8766 secret.txt 3
"""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from ncs.envs import make_env

sys.path.insert(0, str(Path(__file__).parents[1]))
from robot_loop import Client, run


class Arm:
    """A table with five cubes; put your camera behind ``look`` and your arm behind ``move``."""

    def __init__(self, seed: int) -> None:
        self._world = make_env("block-rearrange", n_objects=5)
        self._seen, facts = self._world.reset(seed=seed)
        self.moves, self.most, self.solved = 0, facts["max_steps"], False

    def look(self) -> bytes:
        """What the camera sees, as the bytes of a file."""
        return as_png(self._seen["image"])

    def goal(self) -> bytes:
        """What it should see in the end."""
        return as_png(self._seen["goal"])

    def move(self, pick: list[float], place: list[float]) -> None:
        """Picks something up and puts it down elsewhere, in metres."""
        action = np.array([*pick, *np.subtract(place, pick)], np.float32)
        self._seen, _, self.solved, _, _ = self._world.step(action)
        self.moves += 1


def as_png(picture: np.ndarray) -> bytes:
    """A picture as a file's bytes."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()


if __name__ == "__main__":
    address, secret, tasks = sys.argv[1], Path(sys.argv[2]).read_text().strip(), int(sys.argv[3])
    for number in range(tasks):
        arm, client = Arm(number), Client(address, secret)
        holds = run(client, arm.look, arm.move, arm.goal(), arm.most)
        print(f"task {number}: {'the goal holds' if holds else 'given up'}, {arm.moves} moves")
