"""Reading a request strictly: bytes that are JSON, then a model that is valid field by field.

JSON is read by a parser that refuses duplicate names; the model then reads the same bytes with its
compiled validator. Reading twice costs less than a microsecond and keeps both checks whole. Where a request
is large and any JSON will do in it, the model takes what was read.
"""

import math
import re
from typing import Any, Final, TypeVar

import jiter
from pydantic import BaseModel

from app.http.invalid import validated, validated_value
from app.http.problem import Problem

ModelT = TypeVar("ModelT", bound=BaseModel)

MAX_NESTING: Final = 32
_PLACE: Final = re.compile(r" at line (\d+) column (\d+)$")
_KINDS: Final = bytes.maketrans(b"123456789E", b"000000000e")
MANY_DIGITS: Final = b"0" * 200
"""With an exponent of two digits fewer than these stay far below 10^308."""
_LARGE: Final = (b"0e000", b"0e+000", MANY_DIGITS)
"""What a number is like that may be too large for a float, after `_KINDS`."""
# It gives nothing back of what it has taken, so that no byte is looked at again and again.
_TEXT_OR_NUMBER: Final = re.compile(
    rb'"(?:[^"\\]++|\\.)*+"?|-?(\d++)(?:\.\d++)?(?:[eE][+-]?\d++)?', re.DOTALL
)
LONG_NUMBER: Final = 1000
"""Digits of an integer that gets fewer, where the parser takes no more of them."""
KEPT_DIGITS: Final = 30
_NO_STRUCTURE: Final = bytes(set(range(256)) - set(b'[]{}"\\'))
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_TEXT: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def read(model: type[ModelT], body: bytes) -> ModelT:
    """Read a request from its bytes.

    Raises `Problem` `malformed_json` (with `position`, the byte offset from 0, where it is known) or
    `validation` with every field that is wrong.
    """
    body, value = _strict(body)
    try:
        return validated(model, body, value)
    except Problem:
        # No field takes a fraction, so a number too large for one can only stand in an invalid request.
        _refuse_infinity(body, value)
        raise


def read_loose(model: type[ModelT], body: bytes) -> ModelT:
    """Read a request with fields that take any JSON. A list in it stays a list: its field must take one.

    Raises `Problem` as `read` does.
    """
    body, value = _strict(body)
    _refuse_infinity(body, value)
    return validated_value(model, value)


def _refuse_infinity(body: bytes, value: Any) -> None:
    """Refuse numbers beyond what JSON's readers can hold. Raises `Problem` `malformed_json`."""
    kinds = body.translate(_KINDS)
    if any(large in kinds for large in _LARGE) and _has_infinity(value):
        raise Problem("malformed_json")


def _strict(body: bytes) -> tuple[bytes, Any]:
    """Read JSON and return it with its value."""
    try:
        value = jiter.from_json(body, catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError as error:
        return _without_long_numbers(body, str(error))
    # Few brackets cannot nest deeply; only more of them are worth a look.
    if body.count(b"[") + body.count(b"{") > MAX_NESTING and _nests_too_deep(body):
        raise Problem("malformed_json")
    return body, value


def _without_long_numbers(body: bytes, message: str) -> tuple[bytes, Any]:
    """Give an integer that the parser finds too long a shorter form, still far out of every range.

    Spaces keep every other byte where it was, so that positions stay true.
    """
    if message.startswith("number out of range"):
        shorter = _TEXT_OR_NUMBER.sub(_shortened, body)
        if shorter != body:
            return _strict(shorter)
    raise Problem("malformed_json", **_position(body, message))


def _shortened(token: re.Match[bytes]) -> bytes:
    number, digits = token[0], token[1]
    if digits is None or len(digits) < LONG_NUMBER:
        return number
    if not number.lstrip(b"-").isdigit():
        # With a fraction or an exponent it is no integer, and no float holds it.
        raise Problem("malformed_json", position=token.start())
    return number[:KEPT_DIGITS].ljust(len(number))


def _position(body: bytes, message: str) -> dict[str, Any]:
    place = _PLACE.search(message)
    if place is None or "uplicate" in message:
        return {}
    if message.startswith("EOF"):
        return {"position": len(body)}
    line, column = int(place[1]), int(place[2])
    start = 0
    for _ in range(line - 1):
        start = body.index(b"\n", start) + 1
    return {"position": min(start + max(column - 1, 0), len(body))}


def _nests_too_deep(body: bytes) -> bool:
    """Take the brackets of valid JSON away from the inside out, a level at a time."""
    brackets = _brackets(body)
    if b'"' in brackets:
        # Some text holds brackets or quotation marks of its own.
        brackets = _brackets(_TEXT.sub(b"", body))
    for _ in range(MAX_NESTING):
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def _brackets(body: bytes) -> bytes:
    return body.translate(_ONE_KIND, _NO_STRUCTURE).replace(b'""', b"")


def _has_infinity(value: Any) -> bool:
    level = [value]
    while level:
        if any(isinstance(inner, float) and math.isinf(inner) for inner in level):
            return True
        nested = [inner for inner in level if isinstance(inner, (dict, list))]
        level = [one for outer in nested for one in (outer.values() if isinstance(outer, dict) else outer)]
    return False
