"""Whose address a request comes from, where proxies stand in between."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final

Address = IPv4Address | IPv6Address

CLIENT_PREFIX: Final = 64
"""IPv6 hands out networks of this size: the addresses of one are one client's."""
REMEMBERED: Final = 4096
"""How many addresses need not be read again."""


class Proxies:
    """The proxies whose word is taken for whom they speak for."""

    def __init__(self, networks: str) -> None:
        """Read addresses and networks, separated by commas. Raises `ValueError`."""
        self._networks = tuple(ip_network(part) for part in map(str.strip, networks.split(",")) if part)
        self._trusts = lru_cache(REMEMBERED)(self._is_trusted)

    def client(self, scope: Mapping[str, Any]) -> str:
        """Tell who asks, as a word to count under: an IPv4 address or an IPv6 network.

        `X-Forwarded-For` is believed from a trusted peer only. It is read from the right, where each proxy
        adds the address that it saw, past those that are trusted too: what stands further left was written
        by the client itself.
        """
        peer = scope.get("client")
        address = peer[0] if peer else ""
        if self._networks and self._trusts(address):
            address = self._spoken_for(address, scope["headers"])
        return _word(address)

    def _spoken_for(self, proxy: str, headers: list[tuple[bytes, bytes]]) -> str:
        lines = [value for name, value in headers if name == b"x-forwarded-for"]
        for hop in reversed(b",".join(lines).decode("latin-1").split(",")):
            address = _without_port(hop.strip())
            if _read(address) is None:
                break  # a proxy that writes nonsense speaks for itself
            proxy = address
            if not self._trusts(address):
                break
        return proxy

    def _is_trusted(self, address: str) -> bool:
        read = _read(address)
        return read is not None and any(read in network for network in self._networks)


@lru_cache(REMEMBERED)
def _word(address: str) -> str:
    read = _read(address)
    if read is None:
        return "unknown"
    if isinstance(read, IPv4Address):
        return str(read)
    return str(ip_network((int(read), CLIENT_PREFIX), strict=False))


def _read(address: str) -> Address | None:
    """Read an address. One of IPv4 that is written as one of IPv6 is one of IPv4."""
    try:
        read = ip_address(address)
    except ValueError:
        return None
    return read.ipv4_mapped or read if isinstance(read, IPv6Address) else read


def _without_port(hop: str) -> str:
    """Cut the port off, which some proxies write: `192.0.2.1:4711`, `[2001:db8::1]:4711`."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    host, _, port = hop.partition(":")
    return hop if ":" in port else host
