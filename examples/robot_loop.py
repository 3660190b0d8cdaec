"""A robot's loop: look, ask 'ncs serve', move, until the goal holds.

The client waits while the service is busy or being started again, and then goes on.
"""

import base64
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable


class Client:
    """Asks a service what to do next; an episode remembers what failed."""

    def __init__(self, address: str, token: str = "", patience: float = 60.0) -> None:
        self.address, self.token, self.patience = address, token, patience
        self.episode = self._post("/v1/episodes", {})["episode"]

    def act(self, now: bytes, goal: bytes) -> dict:
        """The next move for two pictures, given as the bytes of PNG, JPEG or WebP files."""
        pictures = {"now": base64.b64encode(now).decode(), "goal": base64.b64encode(goal).decode()}
        try:
            return self._post("/v1/act", {**pictures, "episode": self.episode})
        except urllib.error.HTTPError as refusal:
            if refusal.code != 404:  # 404: the service was started again and knows no episodes
                raise
        self.episode = self._post("/v1/episodes", {})["episode"]
        return self._post("/v1/act", {**pictures, "episode": self.episode})

    def _post(self, path: str, body: dict) -> dict:
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        deadline = time.monotonic() + self.patience
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)
            except (OSError, http.client.HTTPException) as error:  # 503, or nobody answers
                if getattr(error, "code", 503) != 503 or time.monotonic() > deadline:
                    raise
            time.sleep(1)


def run(client: Client, look: Callable[[], bytes], move: Callable, goal: bytes, most: int) -> bool:
    """Moves things until the goal holds, or as often as allowed."""
    for _ in range(most):
        answer = client.act(look(), goal)
        if answer["holds"]:
            return True
        move(answer["move"]["pick"], answer["move"]["place"])
    return client.act(look(), goal)["holds"]
