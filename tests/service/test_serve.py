"""A service that is told to end says so before nobody answers."""

import json
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest
from tests.conftest import PATIENCE
from tests.service.test_app import FakePlayers, advise, picture

from ncs.service import serve
from ncs.service.app import Service, create_app


def status_of(port: int) -> tuple[int, str]:
    """What a question is answered with by a caller that comes anew."""
    body = json.dumps({"now": picture(), "goal": picture()}).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/act", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)["error"]


def test_callers_get_503_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "NOTICE_SECONDS", PATIENCE)
    service = Service(FakePlayers(), advise, {"world": "own", "checkpoint": "abc"})  # type: ignore[arg-type]
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = serve.NoticeServer(create_app(service), service)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        assert status_of(port) == (200, "")
        server.should_exit = True
        deadline = time.monotonic() + PATIENCE
        while (told := status_of(port))[0] == 200:
            assert time.monotonic() < deadline
        assert told == (503, "the service is ending; ask again in a moment")
    finally:
        server.should_exit = server.force_exit = True  # as a second signal does
        thread.join(PATIENCE)
    assert not thread.is_alive()
    with pytest.raises(OSError, match="refused"):
        status_of(port)
