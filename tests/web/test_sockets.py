import pytest

from ncs.records import ConfigError
from ncs.service.serve import bind_socket
from ncs.web.sockets import address_named, bind_to


def test_localhost_and_addresses_are_known_and_other_names_are_not() -> None:
    assert str(address_named("localhost")) == "127.0.0.1"
    assert str(address_named("::1")) == "::1"
    assert address_named("robot.example") is None


def test_a_port_that_is_taken_is_refused_in_one_line() -> None:
    address = address_named("127.0.0.1")
    assert address is not None
    first = bind_to(address, 0)
    first.listen()
    with pytest.raises(ConfigError, match="cannot be had"):
        bind_to(address, first.getsockname()[1])
    first.close()


def test_only_with_a_token_others_may_come() -> None:
    with pytest.raises(ConfigError, match="--token-file must be given"):
        bind_socket("0.0.0.0", 0, has_token=False)
    with pytest.raises(ConfigError, match="must be an address"):
        bind_socket("robot.example", 0, has_token=True)
    bind_socket("127.0.0.1", 0, has_token=False).close()
