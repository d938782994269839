"""API keys: who may ask.

The service holds SHA-256 digests only. Keys are long and random, so a digest that leaks gives no key away,
and no slow hash is needed.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from typing import Final

KEY_BYTES: Final = 32
"""The randomness of a key."""
NAME_DIGITS: Final = 8
"""A key without a name is called by so many digits of its digest."""
_ENTRY: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9._-]{1,64}):)?(?P<digest>[0-9a-f]{64})")
_SEPARATOR: Final = re.compile(r"[,\n]")


class Keys:
    """The keys that open the service."""

    def __init__(self, entries: str) -> None:
        """Read digests, separated by commas or line ends, each with an optional name: `name:digest`.

        Empty lines and those that begin with # are left out. One name may stand before several digests,
        so that a client can change its key. Raises `ValueError`.
        """
        self._known: list[tuple[bytes, str]] = []
        for entry in map(str.strip, _SEPARATOR.split(entries)):
            if entry and not entry.startswith("#"):
                self._known.append(_read(entry))
        if not self._known:
            message = "holds no key; leave it out to serve everybody"
            raise ValueError(message)
        if len({digest for digest, _ in self._known}) < len(self._known):
            message = "holds a digest twice"
            raise ValueError(message)

    def name_of(self, headers: Mapping[bytes, bytes]) -> str | None:
        """Tell the name of the key that a request brings; None where it brings none that is known."""
        for presented in _presented(headers):
            digest = sha256(presented).digest()
            # Every digest is looked at, and in constant time: how long it takes tells nothing about any.
            names = [name for known, name in self._known if compare_digest(known, digest)]
            if names:
                return names[0]
        return None


def new_key() -> tuple[str, str]:
    """Make an API key and its digest."""
    key = "wurf_" + token_urlsafe(KEY_BYTES)
    return key, sha256(key.encode()).hexdigest()


def _read(entry: str) -> tuple[bytes, str]:
    match = _ENTRY.fullmatch(entry)
    if match is None:
        # What stands there is not repeated: it may be the key itself.
        message = (
            "each entry is the SHA-256 digest of a key, 64 lower-case hexadecimal digits, "
            "with a name and a colon before it if you like"
        )
        raise ValueError(message)
    digest = match["digest"]
    return bytes.fromhex(digest), match["name"] or digest[:NAME_DIGITS]


def _presented(headers: Mapping[bytes, bytes]) -> list[bytes]:
    """Take the keys out of `Authorization: Bearer` (RFC 6750) and `X-API-Key`.

    Both count: a gateway in front may use the first for a token of its own.
    """
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    bearer = token if scheme.lower() == b"bearer" else b""
    return [key.strip() for key in (bearer, headers.get(b"x-api-key", b"")) if key]
