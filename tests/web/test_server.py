"""A server closes connections that hold it up, and answers those who ask."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from tests.conftest import PATIENCE
from tests.web.conftest import Site

from ncs.web import server

HEAD = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASK_SECONDS", "BODY_SECONDS", "STALL_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(server, name, 0.05)


def connect(site: Site) -> socket.socket:
    one = socket.socket()
    one.settimeout(PATIENCE)
    one.connect(("127.0.0.1", site.port))
    return one


def is_closed(one: socket.socket) -> bool:
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "sent",
    [
        "",
        "GET",
        HEAD.format(path="/", port=1),
        "POST /api/scene HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 9\r\n\r\nhalf",
    ],
)
def test_a_request_that_never_ends_is_closed(sent: str, site: Site) -> None:
    with connect(site) as one:
        one.sendall(sent.replace("{port}", str(site.port)).encode())
        assert is_closed(one)


def test_an_answer_that_nobody_takes_is_given_up() -> None:
    now, looks = [0.0], []
    one = server.Connection.__new__(server.Connection)
    one.loop = SimpleNamespace(time=lambda: now[0], call_later=lambda _, look: looks.append(look))
    one.transport, one.flow = Mock(), Mock()
    one.cycle = SimpleNamespace(response_complete=False, more_body=False)
    for pause in (one.pause_writing, one.resume_writing, one.pause_writing):
        pause()
        now[0] += server.STALL_SECONDS
        one._look()
        assert not one.transport.abort.called
    now[0] += 1
    one._look()
    assert one.transport.abort.called
    assert len(looks) == 3


@pytest.fixture
def crowd(site: Site) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(connect(site)) for _ in range(server.MOST_CONNECTIONS + 60)]


def test_sockets_that_never_ask_shut_nobody_out(site: Site, crowd: list[socket.socket]) -> None:
    for _ in range(5):
        site.client.close()
        site.client = type(site.client)(base_url=site.address, timeout=PATIENCE, trust_env=False)
        assert site.client.get("/healthz").json() == {"status": "ok"}
    assert is_closed(crowd[0])  # who waited longest made room


DECODE = """
import io, sys
from concurrent.futures import ThreadPoolExecutor
from PIL import Image
from ncs.data.importing.pictures import decode_picture
from ncs.web.server import give_back_memory

def held():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) >> 10

give_back_memory()
file = io.BytesIO()
Image.new("RGB", (4096, 2048)).save(file, "PNG", compress_level=1)
decode_picture(file.getvalue(), "one", 512)
before = held()
with ThreadPoolExecutor(4) as threads:
    for _ in range(3):
        list(threads.map(lambda n: decode_picture(file.getvalue(), str(n), 512), range(4)))
    print(held() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells how much it holds")
def test_large_pictures_leave_no_memory_behind() -> None:
    out = subprocess.run([sys.executable, "-c", DECODE], capture_output=True, text=True)
    assert int(out.stdout) < 60, out.stderr  # MB; 160 where nothing is given back
