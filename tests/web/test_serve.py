"""The viewer listens on this machine's own address and nowhere else."""

import socket

import pytest
from tests.conftest import PATIENCE
from tests.web.conftest import Site

from ncs.records import ConfigError
from ncs.web.serve import address_of, open_socket


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.0.2.7", "10.0.0.1", "example.org", "", "127.0.0.1.example.org"]
)
def test_any_other_address_is_refused_with_a_way_out(host: str) -> None:
    with pytest.raises(ConfigError, match=r"answers this machine alone.*ssh -L"):
        open_socket(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.5", "::1"])
def test_loopback_addresses_are_taken(host: str) -> None:
    try:
        listener = open_socket(host, 0)
    except ConfigError:
        assert host == "::1"  # a machine without IPv6
        return
    with listener:
        assert address_of(listener).startswith(("http://127.", "http://[::1]:"))


def test_a_server_on_one_loopback_address_is_deaf_on_another(site: Site) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", site.port), timeout=PATIENCE)


def test_a_port_in_use_is_one_clear_line() -> None:
    with open_socket("127.0.0.1", 0) as listener:
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port: {port} cannot be had"):
            open_socket("127.0.0.1", port)
