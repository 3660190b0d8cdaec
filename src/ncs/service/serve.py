"""Runs the service: on this machine alone, or, with a token, where others reach it."""

import asyncio
import socket
from collections.abc import Callable

from ncs.records import ConfigError
from ncs.service.app import Service, create_app
from ncs.service.token import TokenGate
from ncs.web.guard import App, Guard, own_hosts
from ncs.web.server import BACKLOG, Server
from ncs.web.sockets import address_named, bind_to

MOST_BODY = 26 << 20  # two pictures in base64
DRAIN_SECONDS = 2.0  # for answers to be sent, once all questions are answered
NOTICE_SECONDS = 1.0  # in which callers are told to come again, before nobody answers


class NoticeServer(Server):
    """Told to end, it first refuses with 503 for a moment, so that callers know to come again."""

    def __init__(self, app: App, service: Service) -> None:
        super().__init__(app, service.batcher.close, DRAIN_SECONDS)
        self._batcher = service.batcher

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Gives notice, answers what is under way, and ends."""
        self._batcher.closing = True
        loop = asyncio.get_running_loop()
        deadline = loop.time() + NOTICE_SECONDS
        while loop.time() < deadline and not self.force_exit:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)


def bind_socket(host: str, port: int, has_token: bool) -> socket.socket:
    """A socket at an address; any but this machine's own needs a token."""
    address = address_named(host)
    if address is None:
        raise ConfigError(f"host: must be an address such as 127.0.0.1, got {host!r}")
    if not address.is_loopback and not has_token:
        raise ConfigError(f"host: {host} is open to others, so --token-file must be given")
    return bind_to(address, port)


def serve(
    listener: socket.socket,
    service: Service,
    token: str | None,
    names: tuple[str, ...],
    ready: Callable[[], None],
) -> None:
    """Answers until it is told to end; then what waits is answered, and no more is taken."""
    host, port = listener.getsockname()[:2]
    hosts = own_hosts(port) | {f"{host}:{port}".lower()}
    hosts |= {form for name in names for form in (name.lower(), f"{name.lower()}:{port}")}
    app = Guard(TokenGate(create_app(service), token), frozenset(hosts), lambda _: MOST_BODY)
    listener.listen(BACKLOG)
    ready()
    NoticeServer(app, service).run(sockets=[listener])
