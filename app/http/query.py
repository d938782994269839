"""Query parameters: each known, each at most once, each with a value it can have."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from app.http.problem import Problem

FLAGS: Final = frozenset({"odds", "receipt", "exact"})
"""Parameters that are true or false."""


def parameters(query: bytes, allowed: frozenset[str]) -> Mapping[str, bytes]:
    """Read a form-encoded query string.

    Raises `Problem` `unknown_parameter` for any other parameter, value or repetition.
    """
    found: dict[str, bytes] = {}
    for pair in query.split(b"&"):
        if not pair:
            continue
        name, _, value = pair.partition(b"=")
        key = _decoded(name).decode(errors="replace")
        if key not in allowed or key in found:
            raise unknown_parameter(allowed)
        found[key] = _decoded(value)
        if key in FLAGS and found[key] not in {b"true", b"false"}:
            raise unknown_parameter(allowed)
    return found


def _decoded(text: bytes) -> bytes:
    return unquote_to_bytes(text.replace(b"+", b" "))


def unknown_parameter(allowed: frozenset[str]) -> Problem:
    """Say that a parameter is unknown, repeated or impossible, and which are allowed."""
    return Problem("unknown_parameter", allowed=", ".join(sorted(allowed)))
