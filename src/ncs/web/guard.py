"""Takes an application, gives one that turns strangers away: by Host, by Origin, by size.

A page of another site can make a browser send requests here; the browser then names that site in
Origin, or a name that resolves to this machine in Host. Both are refused.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

UPLOAD_PATH = "/api/plans"
MOST_UPLOAD = 8 << 20  # two pictures
MOST_BODY = 64 << 10  # anything else
MOST_HELD = 128 << 20  # of all requests under way together
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


class TooLargeError(Exception):
    """A body that goes on beyond its limit, or all bodies together beyond theirs."""


class Guard:
    """An ASGI application that lets through what comes from its own page, in bounded portions."""

    def __init__(
        self, app: App, hosts: frozenset[str], limit: Callable[[Scope], int] | None = None
    ) -> None:
        """Stands before an application.

        Args:
            app: What is guarded.
            hosts: Values of the Host header that mean this server, port included.
            limit: The largest body of a request, in bytes; the viewer's by default.
        """
        self._app = app
        self._hosts = hosts
        self._limit = limit or limit_of
        self._held = 0  # bytes of requests under way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers or passes on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here
        refusal = self._refusal(scope)
        if refusal is not None:
            await answer(send, *refusal)
            return
        await self._pass_on(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is refused unread: a status and a line."""
        headers = [(n.decode("latin-1").lower(), v.decode("latin-1")) for n, v in scope["headers"]]
        hosts = [value.lower() for name, value in headers if name == "host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 400, "Host: this server answers to its own address only"
        for name, value in headers:
            if name == "origin" and not self._is_own(value):
                return 403, "Origin: requests come from this server's own page only"
            if name == "sec-fetch-site" and value == "cross-site":
                return 403, "Sec-Fetch-Site: requests come from this server's own page only"
            if name == "content-length" and not (value.isascii() and value.isdigit()):
                return 400, "Content-Length: is not a number"
            if name == "content-length" and int(value) > self._limit(scope):
                return 413, f"body: over {self._limit(scope) >> 10} kB"
        return None

    def _is_own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:  # such as http://[::1
            return False
        return parts.scheme == "http" and parts.netloc.lower() in self._hosts

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the application with a counted body and with headers of our own."""
        taken, limit = 0, self._limit(scope)
        refusal: tuple[int, str] | None = None
        is_refused = False

        async def counted() -> Message:
            nonlocal taken, refusal
            message = await receive()
            size = len(message.get("body", b""))
            taken, self._held = taken + size, self._held + size
            if taken > limit:
                refusal = (413, f"body: over {limit >> 10} kB")
            elif self._held > MOST_HELD:
                refusal = (503, "body: others are being read; try again in a moment")
            if refusal:
                raise TooLargeError
            return message

        async def marked(message: Message) -> None:
            nonlocal is_refused
            if refusal:  # whatever the application makes of it, this is the answer
                if not is_refused:
                    is_refused = True
                    await answer(send, *refusal, close=True)
                return
            if message["type"] == "http.response.start":
                held = {name.lower() for name, _ in message["headers"]}
                extra = [(n.encode(), v.encode()) for n, v in HEADERS.items()]
                message["headers"] += [pair for pair in extra if pair[0] not in held]
            await send(message)

        try:
            await self._app(scope, counted, marked)
        except TooLargeError:
            await marked({"type": "http.response.start"})
        finally:
            self._held -= taken


def limit_of(scope: Scope) -> int:
    """The largest body a path takes."""
    return MOST_UPLOAD if scope["path"] == UPLOAD_PATH else MOST_BODY


async def answer(send: Send, status: int, line: str, close: bool = False) -> None:
    """Sends one line as JSON; ``close`` ends the connection, whatever still comes in."""
    headers = [(b"content-type", b"application/json")]
    headers += [(b"connection", b"close")] if close else []
    headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": line}).encode()})


def own_hosts(port: int) -> frozenset[str]:
    """What a browser on this machine may call the server."""
    names = ("127.0.0.1", "localhost", "[::1]")
    return frozenset(f"{name}:{port}" for name in names) | (
        frozenset(names) if port == 80 else frozenset()
    )
