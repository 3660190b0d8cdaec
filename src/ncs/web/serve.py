"""Takes folders and an address of this machine, serves the viewer there."""

import socket
from collections.abc import Callable

import python_multipart  # noqa: F401 - uploads need it: better missed now than then

from ncs.records import ConfigError
from ncs.web.app import AppState, create_app
from ncs.web.catalogue import Folders
from ncs.web.guard import own_hosts
from ncs.web.server import BACKLOG, Server
from ncs.web.sockets import address_named, bind_to

DRAIN_SECONDS = 2.0  # for requests under way when it is to end


def open_socket(host: str, port: int) -> socket.socket:
    """A socket on a loopback address; port 0 takes any that is free."""
    address = address_named(host)
    if address is None or not address.is_loopback:
        raise ConfigError(
            f"host: the viewer answers this machine alone, such as 127.0.0.1, got {host!r}; from "
            f"elsewhere use 'ssh -L {port}:127.0.0.1:{port}'"
        )
    return bind_to(address, port)


def address_of(listener: socket.socket) -> str:
    """The page's address."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def make_server(listener: socket.socket, folders: Folders) -> Server:
    """A server for a socket, not yet running."""
    hosts = own_hosts(listener.getsockname()[1])
    hosts |= {address_of(listener).removeprefix("http://").rstrip("/")}
    state = AppState(folders)
    return Server(create_app(state, hosts), state.sessions.close, DRAIN_SECONDS)


def serve(listener: socket.socket, folders: Folders, ready: Callable[[], None]) -> None:
    """Answers requests until it is interrupted; ``ready`` is called once before."""
    server = make_server(listener, folders)
    listener.listen(BACKLOG)  # from now on a browser's knock is heard
    ready()
    server.run(sockets=[listener])
