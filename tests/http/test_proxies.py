"""Whose address counts: what a client writes of itself changes nothing."""

import pytest

from app.http.proxies import Proxies
from app.main import create_app
from app.settings import Settings, WrongSettingError

BALANCER = "10.0.0.7"
PROXIES = "10.0.0.0/8, 127.0.0.1,2001:db8:ffff::/48"


def client(peer: str | None, *forwarded: str, networks: str = PROXIES) -> str:
    headers = [(b"host", b"x"), *((b"x-forwarded-for", line.encode("latin-1")) for line in forwarded)]
    return Proxies(networks).client({"client": peer and (peer, 4711), "headers": headers})


@pytest.mark.parametrize(
    "forwarded", ["203.0.113.1", "10.0.0.7", "127.0.0.1", "203.0.113.1, 10.0.0.7", "", "nonsense"]
)
def test_a_peer_that_is_no_proxy_speaks_for_itself(forwarded: str) -> None:
    assert client("198.51.100.9", forwarded) == "198.51.100.9"
    assert client("198.51.100.9", forwarded, networks="") == "198.51.100.9"


@pytest.mark.parametrize(
    ("forwarded", "counted"),
    [
        (["203.0.113.1"], "203.0.113.1"),
        (["192.0.2.66, 203.0.113.1"], "203.0.113.1"),
        (["192.0.2.66", "203.0.113.1"], "203.0.113.1"),
        (["10.9.9.9, 203.0.113.1, 10.0.0.8,127.0.0.1"], "203.0.113.1"),
        (["10.1.1.1, 10.0.0.8"], "10.1.1.1"),
        (["203.0.113.1:50123"], "203.0.113.1"),
        (["::ffff:203.0.113.1"], "203.0.113.1"),
        (["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        (["[2001:db8:1:2::9]:443"], "2001:db8:1:2::/64"),
        (["[2001:db8:1:2::9]"], "2001:db8:1:2::/64"),
        (["192.0.2.66, 2001:db8:ffff::1"], "192.0.2.66"),
    ],
)
def test_a_proxy_speaks_for_its_client(forwarded: list[str], counted: str) -> None:
    assert client(BALANCER, *forwarded) == counted


@pytest.mark.parametrize(
    "forwarded", ["", " ", "unknown", "_hidden", "203.0.113.1, ", "203.0.113.1, x", "\xfc"]
)
def test_a_proxy_that_writes_nonsense_speaks_for_itself(forwarded: str) -> None:
    assert client(BALANCER, forwarded) == BALANCER
    assert client(BALANCER) == BALANCER


def test_the_addresses_of_one_network_are_one_client() -> None:
    assert client("2001:db8::1") == client("2001:db8::ffff:1") == "2001:db8::/64"
    assert client("2001:db8:0:1::1") != client("2001:db8::1")
    assert client("192.0.2.1") != client("192.0.2.2")
    assert client("::ffff:192.0.2.1") == "192.0.2.1"


def test_a_peer_written_as_ipv6_is_the_proxy_that_it_is() -> None:
    assert client(f"::ffff:{BALANCER}", "203.0.113.1") == "203.0.113.1"


@pytest.mark.parametrize("peer", [None, "", "/run/wurf.sock"])
def test_a_peer_without_an_address_is_nobody_in_particular(peer: str | None) -> None:
    assert client(peer, "203.0.113.1") == "unknown"


@pytest.mark.parametrize("networks", ["10.0.0.1/8", "10.0.0.0/33", "proxy.example", "10.0.0.1 10.0.0.2", "*"])
def test_wrong_proxies_stop_the_start(networks: str) -> None:
    with pytest.raises(WrongSettingError, match=r"^WURF_TRUSTED_PROXIES: "):
        create_app(Settings(trusted_proxies=networks))
