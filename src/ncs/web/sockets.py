"""Takes a host and a port, gives a socket that is bound to them and not yet listening."""

import ipaddress
import socket

from ncs.records import ConfigError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def address_named(host: str) -> Address | None:
    """The address that a host stands for; None for a name other than localhost."""
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None


def bind_to(address: Address, port: int) -> socket.socket:
    """A socket at an address; port 0 takes any that is free."""
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
