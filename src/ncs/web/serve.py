"""Takes folders and an address of this machine, serves the viewer there."""

import ipaddress
import socket
from collections.abc import Callable

import uvicorn

from ncs.records import ConfigError
from ncs.web.app import create_app
from ncs.web.catalogue import Folders
from ncs.web.guard import own_hosts


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket on a loopback address; port 0 takes any that is free."""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise ConfigError(
            f"host: the viewer answers this machine alone, such as 127.0.0.1, got {host!r}; from "
            f"elsewhere use 'ssh -L {port}:127.0.0.1:{port}'"
        )
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((str(address), port))
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"port: {port} cannot be had ({error.strerror}); choose another, or 0 for any"
        ) from None
    return listener


def address_of(listener: socket.socket) -> str:
    """The page's address."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def make_server(listener: socket.socket, folders: Folders) -> uvicorn.Server:
    """A server for a socket, not yet running."""
    hosts = own_hosts(listener.getsockname()[1])
    hosts |= {address_of(listener).removeprefix("http://").rstrip("/")}
    config = uvicorn.Config(
        create_app(folders, hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=2,  # pages keep their event streams open
        limit_concurrency=64,
        h11_max_incomplete_event_size=32 << 10,
    )
    return uvicorn.Server(config)


def serve(listener: socket.socket, folders: Folders, ready: Callable[[], None]) -> None:
    """Answers requests until it is interrupted; ``ready`` is called once before."""
    server = make_server(listener, folders)
    listener.listen()  # from now on a browser's knock is heard
    ready()
    server.run(sockets=[listener])
