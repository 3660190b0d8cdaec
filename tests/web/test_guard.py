"""Strangers are turned away: by Host, by Origin, by the size of what they send."""

import asyncio
import contextlib
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.conftest import PATIENCE
from tests.web.conftest import Site

from ncs.web.guard import HEADERS, MOST_BODY, MOST_UPLOAD, UPLOAD_PATH, Guard, own_hosts

FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost.evil.example:{port}",
    "127.0.0.1:{port}.evil.example",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "",
    "127.0.0.1:{port}@evil.example",
)
FOREIGN_ORIGINS = (
    "null",
    "http://evil.example",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}.evil.example",
    "http://evil.example:{port}",
    "file://",
    "chrome-extension://x",
    "http://[::1",
    "http://\xb2",
)


def raw(site: Site, request: bytes) -> bytes:
    """What the server says to bytes that no well-behaved client sends."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as link:
        link.sendall(request)
        answer = b""
        while part := link.recv(65536):
            answer += part
    return answer


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(site: Site, host: str) -> None:
    name = host.format(port=site.port)
    answer = raw(site, f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"<html" not in answer


def test_two_hosts_or_none_are_refused(site: Site) -> None:
    own = f"Host: 127.0.0.1:{site.port}\r\n"
    for hosts in (own * 2, own + "Host: evil.example\r\n", ""):
        answer = raw(site, f"GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_its_own_names_are_welcome(site: Site, name: str) -> None:
    own = f"{name}:{site.port}"
    for headers in ({"host": own}, {"host": own, "origin": f"http://{own}"}):
        assert site.client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@pytest.mark.parametrize("path", ["/api/models", "/api/episodes", UPLOAD_PATH, "/api/health"])
def test_a_foreign_origin_is_refused(site: Site, origin: str, path: str) -> None:
    headers = {"origin": origin.format(port=site.port).encode("latin-1")}
    for method in ("GET", "POST", "DELETE"):
        answer = site.client.request(method, path, headers=headers, content=b"{}")
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_a_page_elsewhere_cannot_even_include_us(site: Site) -> None:
    answer = site.client.get("/static/main.js", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403


def test_every_answer_forbids_scripts_frames_and_requests_elsewhere(site: Site) -> None:
    for path in ("/", "/api/models", "/nowhere", "/static/none"):
        answer = site.client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert "server" not in answer.headers
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_a_body_that_announces_too_much_is_refused_unread(site: Site) -> None:
    for path, limit in ((UPLOAD_PATH, MOST_UPLOAD), ("/api/episodes", MOST_BODY)):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nConnection: close\r\n"
        for size in (limit + 1, 10**15):
            answer = raw(site, f"{head}Content-Length: {size}\r\n\r\n".encode())
            assert answer.startswith(b"HTTP/1.1 413")
        answer = raw(site, f"{head}Content-Length: -5\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 400")


def memory() -> int:
    """Resident bytes of this process, which is the server's too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.parametrize(("path", "limit"), [(UPLOAD_PATH, MOST_UPLOAD), ("/api/scene", MOST_BODY)])
def test_an_endless_body_is_cut_off_while_it_comes_in(site: Site, path: str, limit: int) -> None:
    before, sent = memory(), 0
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nTransfer-Encoding: chunked\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    )
    part = b'--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
    chunk = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as link:
        link.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(part), part))
        with contextlib.suppress(OSError):  # the server hangs up on us
            while sent < 1 << 30:  # a gigabyte, if it were let in
                link.sendall(chunk)
                sent += 0x10000
        answer = b""
        with contextlib.suppress(OSError):
            answer = link.recv(4096)
    assert sent < limit + (8 << 20)  # what the sockets' buffers hold is not ours to refuse
    assert not answer or answer.startswith(b"HTTP/1.1 413")
    assert memory() - before < 50 << 20
    assert site.client.get("/api/models").status_code == 200


def test_a_body_just_over_the_limit_is_answered_with_the_limit(site: Site) -> None:
    def body():
        yield b'{"model": "'
        for _ in range(MOST_BODY // 1024 + 1):
            yield b"x" * 1024

    headers = {"content-type": "application/json"}
    try:
        answer = site.client.post("/api/scene", content=body(), headers=headers)
    except httpx.WriteError:
        return  # it hung up while we were still talking
    assert answer.status_code == 413
    assert answer.json() == {"error": "body: over 64 kB"}


def test_port_80_may_go_unsaid() -> None:
    assert "localhost" in own_hosts(80)
    assert "localhost" not in own_hosts(8765)


@pytest.mark.anyio
async def test_all_bodies_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncs.web.guard.MOST_HELD", 100)
    entered, go_on = asyncio.Event(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        entered.set()
        await go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = Guard(app, frozenset({"robot"}))
    transport = httpx.ASGITransport(app=guard)
    async with httpx.AsyncClient(transport=transport, base_url="http://robot") as http:
        first = asyncio.create_task(http.post("/", content=b"x" * 70))
        await entered.wait()
        assert (await http.post("/", content=b"x" * 70)).status_code == 503
        go_on.set()
        assert (await first).status_code == 200
        assert (await http.post("/", content=b"x" * 70)).status_code == 200
