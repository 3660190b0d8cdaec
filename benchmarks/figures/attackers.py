"""Six attacks on a server that runs at a port of this machine, all at once, for some seconds.

    python -m benchmarks.figures.attackers serve 8766 --seconds 60

Sockets that never ask and drip a byte now and then; bodies that never end; readers that never
read; pictures that are bombs; requests that make no sense; and a flood of honest questions.
"""

import argparse
import base64
import http.client
import io
import itertools
import json
import random
import socket
import struct
import sys
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

MODEL = "blocks-fast-0"


def png(width: int, height: int) -> bytes:
    """A small file that promises a huge picture, and gives it."""

    def chunk(name: bytes, body: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + crc

    rows = zlib.compressobj(9)
    line = bytes(1 + 3 * width)
    body = b"".join(rows.compress(line) for _ in range(height)) + rows.flush()
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def small_picture(seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 255, (64, 64, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@dataclass
class Target:
    """A server, and how one asks it."""

    name: str
    port: int
    over: threading.Event = field(default_factory=threading.Event)

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> int:
        """The status of an answer, read to its end."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            link.request(method, path, body or None, {"content-type": kind} if kind else {})
            answer = link.getresponse()
            answer.read()
            return answer.status
        finally:
            link.close()

    def question(self, number: int) -> int:
        """What an honest client wants to know."""
        if self.name == "serve":
            pair = {"now": small_picture(number), "goal": small_picture(number + 1)}
            body = {key: base64.b64encode(value).decode() for key, value in pair.items()}
            return self.ask("POST", "/v1/act", json.dumps(body).encode(), "application/json")
        if number % 2:
            body = {"model": MODEL, "objects": 4, "seed": number % 1000}
            return self.ask("POST", "/api/scene", json.dumps(body).encode(), "application/json")
        return self.ask("GET", "/")

    def connect(self) -> socket.socket:
        """A socket of one's own."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=5)


def never_ask(target: Target) -> None:
    """A hundred sockets that drip."""
    held: list[socket.socket] = []
    while not target.over.is_set():
        with suppress(OSError):
            held.append(target.connect())
            held[-1].sendall(b"GET / HTTP/1.1\r\nX: ")
        for one in list(held[-100:]):
            try:
                one.send(b"x")
            except OSError:
                held.remove(one)
        for one in held[:-100]:
            one.close()
        del held[:-100]
        target.over.wait(0.02)


def never_end(target: Target) -> None:
    """Bodies that promise more than ever comes."""
    path = "/v1/act" if target.name == "serve" else "/api/plans"
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nContent-Length: 8000000\r\n"
    held: list[socket.socket] = []
    while not target.over.is_set():
        with suppress(OSError):
            held.append(target.connect())
            held[-1].sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + b"x" * 4096)
        while len(held) > 30:
            held.pop(0).close()
        target.over.wait(0.1)


def never_read(target: Target) -> None:
    """Readers that ask for much and take nothing."""
    path = "/openapi.json" if target.name == "serve" else "/static/main.js"
    asked = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    held: list[socket.socket] = []
    while not target.over.is_set():
        with suppress(OSError):
            held.append(target.connect())
            held[-1].sendall(asked * 200)
        while len(held) > 10:
            held.pop(0).close()
        target.over.wait(0.5)


def upload(image: bytes) -> bytes:
    """The form by which the viewer takes two pictures, parted by x."""
    parts = [
        ('name="image"; filename="a.png"', image),
        ('name="goal"; filename="b.png"', image),
        ('name="options"', json.dumps({"model": MODEL}).encode()),
    ]
    lines = [
        f"--x\r\nContent-Disposition: form-data; {name}\r\n\r\n".encode() + data + b"\r\n"
        for name, data in parts
    ]
    return b"".join(lines) + b"--x--\r\n"


def send_bombs(target: Target) -> None:
    """Pictures that are small files and large pictures."""
    for bomb in itertools.cycle([png(1, 1 << 20), png(4096, 4096), png(16_384, 1024)]):
        if target.over.is_set():
            return
        with suppress(OSError, http.client.HTTPException):
            if target.name == "serve":
                text = base64.b64encode(bomb).decode()
                body = json.dumps({"now": text, "goal": text}).encode()
                target.ask("POST", "/v1/act", body, "application/json")
            else:
                target.ask("POST", "/api/plans", upload(bomb), "multipart/form-data; boundary=x")
        target.over.wait(0.2)


def make_no_sense(target: Target) -> None:
    """Bytes at random, odd headers, endless heads."""
    rng = random.Random(0)
    host = f"Host: 127.0.0.1:{target.port}\r\n".encode()
    odd = [
        b"Origin: http://[::1", b"Last-Event-ID: \xb2", b"Content-Length: -1",
        b"Content-Length: \xb2", b"Transfer-Encoding: chunked", b"Upgrade: websocket",
        b"Range: bytes=-1", b"Expect: 100-continue", b"Accept-Encoding: \xff" * 50,
    ]  # fmt: skip
    while not target.over.is_set():
        with suppress(OSError), target.connect() as one:
            if rng.random() < 0.3:
                one.sendall(rng.randbytes(rng.randrange(1, 60_000)))
            else:
                path = b"/" + bytes(rng.choices(b"abc/.%2e\\~?&=;:@", k=rng.randrange(60)))
                method = rng.choice([b"GET", b"POST", b"PUT", b"TRACE", b"BREW"])
                one.sendall(method + b" " + path + b" HTTP/1.1\r\n" + host + rng.choice(odd))
                one.sendall(b"\r\n\r\n" + rng.randbytes(rng.randrange(200)))
            one.settimeout(0.2)
            one.recv(1000)


def flood(target: Target) -> None:
    """Honest questions, more than can be answered."""
    number = 10_000
    while not target.over.is_set():
        with suppress(OSError, http.client.HTTPException):
            target.question(number := number + 1)


ATTACKS: list[Callable[[Target], None]] = [
    *[never_ask, never_end, never_read, send_bombs, make_no_sense],
    *[flood] * 3,
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["view", "serve"])
    parser.add_argument("port", type=int)
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    target = Target(asked.name, asked.port)
    threads = [threading.Thread(target=one, args=(target,), daemon=True) for one in ATTACKS]
    for thread in threads:
        thread.start()
    target.over.wait(asked.seconds)
    target.over.set()
    for thread in threads:
        thread.join(30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
