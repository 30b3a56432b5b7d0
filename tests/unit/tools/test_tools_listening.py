"""Addresses to listen at."""

import socket

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.tools.serving.listening import listen_at, url_of


@pytest.mark.parametrize("address", ["0", ":0", "127.0.0.1:0"])
def test_loopback_unless_a_host_is_named(address: str) -> None:
    with listen_at(address) as listener:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        assert url_of(listener, "/mcp") == f"http://127.0.0.1:{port}/mcp"


@pytest.mark.parametrize("address", ["", "http", "127.0.0.1:", "1.2.3.4:port", "70000", "-1"])
def test_what_is_no_address_is_named(address: str) -> None:
    with pytest.raises(SpecError, match="--http"):
        listen_at(address)


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SpecError, match="in use"):
            listen_at(str(taken.getsockname()[1]))
