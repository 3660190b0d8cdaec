"""A robot's loop in thirty lines: look, ask 'ncs serve', move, until the goal holds.

python robot_loop.py http://127.0.0.1:8766    # with a camera and an arm of your own
"""

import base64
import json
import urllib.request
from collections.abc import Callable


class Client:
    """Asks a service what to do next; an episode remembers what failed."""

    def __init__(self, address: str, token: str = "") -> None:
        self.address, self.token = address, token
        self.episode = self._post("/v1/episodes", {})["episode"]

    def act(self, now: bytes, goal: bytes) -> dict:
        """The next move for two pictures, given as the bytes of PNG, JPEG or WebP files."""
        pictures = {"now": base64.b64encode(now).decode(), "goal": base64.b64encode(goal).decode()}
        return self._post("/v1/act", {**pictures, "episode": self.episode})

    def _post(self, path: str, body: dict) -> dict:
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def run(client: Client, look: Callable[[], bytes], move: Callable, goal: bytes, most: int) -> bool:
    """Moves things until the goal holds, or as often as allowed."""
    for _ in range(most):
        answer = client.act(look(), goal)
        if answer["holds"]:
            return True
        move(answer["move"]["pick"], answer["move"]["place"])
    return client.act(look(), goal)["holds"]
