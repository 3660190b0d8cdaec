"""A server of its own for the tests, with the model that ships."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.conftest import PATIENCE

from ncs.agent import shipped_model
from ncs.analysis.points import CELLS
from ncs.analysis.table import as_records
from ncs.evaluation.results import read_results, save_results
from ncs.storage import write_json
from ncs.web.catalogue import Folders
from ncs.web.serve import address_of, make_server, open_socket

FOLDER = shipped_model("blocks-fast-0")
FEW_CLIPS = 30  # of the viewer's small buffers, where it does not matter how good a graph is


class Site:
    """A running server and a way to ask it."""

    def __init__(self, address: str, folders: Folders) -> None:
        self.address = address.rstrip("/")
        self.port = int(self.address.rpartition(":")[2])
        self.folders = folders
        self.client = httpx.Client(base_url=self.address, timeout=PATIENCE, trust_env=False)

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def start(self, **body: Any) -> str:
        answer = self.post("/api/episodes", model=FOLDER.name, **body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    def follow(self, name: str, **headers: str) -> list[tuple[str, Any]]:
        """Every event of a session, to its end."""
        events, kind = [], ""
        sent = {key: value.encode("latin-1") for key, value in headers.items()}
        with self.client.stream("GET", f"/api/episodes/{name}/events", headers=sent) as told:
            assert told.headers["content-type"].startswith("text/event-stream")
            for line in told.iter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                if line.startswith("data: "):
                    events.append((kind, json.loads(line.removeprefix("data: "))))
        return events


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The viewer on a free port, with a few results and figures of its own."""
    base = tmp_path_factory.mktemp("site")
    figures = base / "figures"
    figures.mkdir()
    (figures / "chart.png").write_bytes((FOLDER / "pictures" / "step-00000000.png").read_bytes())
    (figures / "notes.txt").write_text("secret")
    (figures / "link.png").symlink_to(FOLDER / "model.json")
    folders = Folders((FOLDER,), make_results(base), (figures,), base / "work")
    with pytest.MonkeyPatch.context() as patch, running(folders) as one:
        patch.setattr("ncs.web.catalogue.CLIPS", FEW_CLIPS)
        yield one


def make_results(base: Path) -> Path:
    """A folder with result files: the first rows of a published one, and a wide table."""
    ablations = FOLDER.parents[1] / "results" / "ablations"
    published = read_results(ablations / "robogym-fast-0-development.jsonl.gz")
    folder = base / "results"
    folder.mkdir()
    save_results(folder / "few.jsonl", published[:50])
    counts = (4, 5, 6, 7, 8, 10, 12)  # as many columns as a table has anywhere
    wide = [replace(published[0], objects=n, seed=seed) for n in counts for seed in range(2)]
    save_results(folder / "wide.jsonl", wide)
    cells = as_records(read_results(folder / "few.jsonl"), "best")
    run = [{**cell, "label": "ours, named"} for cell in cells]
    write_json(folder / "run" / CELLS, {"cells": run})
    return folder


@contextlib.contextmanager
def running(folders: Folders) -> Iterator[Site]:
    """A server on a thread of its own for as long as a block lasts."""
    with open_socket("127.0.0.1", 0) as listener:
        server = make_server(listener, folders)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        site = Site(address_of(listener), folders)
        try:
            yield site
        finally:
            site.client.close()
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
