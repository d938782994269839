"""Reading a request strictly: bytes that are JSON, then a model that is valid field by field.

JSON is read by a parser that refuses duplicate names; the model then reads the same bytes with its
compiled validator. Reading twice costs less than a microsecond and keeps both checks whole.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import jiter
from annotated_types import MaxLen
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from app.http.problem import FieldError, Problem
from app.rules.fields import parts_of

ModelT = TypeVar("ModelT", bound=BaseModel)

MAX_NESTING: Final = 32
_PLACE: Final = re.compile(r" at line (\d+) column (\d+)$")
_LARGE_EXPONENT: Final = re.compile(rb"\d[eE]\+?\d{3}")
_DIGITS: Final = bytes(ord("0") if chr(byte).isdecimal() else ord(" ") for byte in range(256))
MANY_DIGITS: Final = b"0" * 200
"""With an exponent of two digits fewer than these stay far below 10^308."""
_TEXT_OR_LONG_NUMBER: Final = re.compile(
    rb'"(?:[^"\\]|\\.)*"|-?\d{1000,}(?:\.\d+)?(?:[eE][+-]?\d+)?', re.DOTALL
)
KEPT_DIGITS: Final = 30
_NO_STRUCTURE: Final = bytes(set(range(256)) - set(b'[]{}"\\'))
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_TEXT: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)

# Kind of error for pydantic's types; (contract code, kind of message).
_KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "missing": ("missing", "missing"),
    "extra_forbidden": ("unknown_field", "unknown_field"),
    "int_type": ("wrong_type", "integer"),
    "string_type": ("wrong_type", "text"),
    "bool_type": ("wrong_type", "boolean"),
    "list_type": ("wrong_type", "list"),
    "tuple_type": ("wrong_type", "list"),
    "dict_type": ("wrong_type", "object"),
    "model_type": ("wrong_type", "object"),
    "greater_than_equal": ("out_of_range", "at_least"),
    "less_than_equal": ("out_of_range", "at_most"),
    "face_too_high": ("out_of_range", "at_most"),
    "out_of_range": ("out_of_range", "out_of_range"),
    "string_too_long": ("too_long", "too_long"),
    "string_too_short": ("too_short", "too_short"),
    "too_long": ("too_many", "too_many"),
    "too_short": ("too_few", "too_few"),
    "enum": ("not_allowed", "one_of"),
    "literal_error": ("not_allowed", "one_of"),
    "none_required": ("unknown_field", "unknown_field"),
    "not_allowed": ("not_allowed", "not_allowed"),
    "duplicate": ("duplicate", "duplicate"),
    "string_pattern_mismatch": ("format", "format"),
}


def read(model: type[ModelT], body: bytes) -> ModelT:
    """Read a request from its bytes.

    Raises `Problem` `malformed_json` (with `position`, the byte offset from 0, where it is known) or
    `validation` with every field that is wrong.
    """
    body = _strict(body)
    try:
        # Called directly, since this is where every request passes.
        request: ModelT = model.__pydantic_validator__.validate_json(body)
    except ValidationError as error:
        # No field takes a fraction, so a number too large for one can only stand in an invalid request.
        value = jiter.from_json(body)
        if _has_infinity(value):
            raise Problem("malformed_json") from None
        raise invalid(error, too_long_lists(model, value)) from None
    return request


def invalid(error: ValidationError, too_long: Sequence[FieldError] = ()) -> Problem:
    """Turn the validator's errors into the contract's. The value sent never enters them.

    Of a list with wrong entries the validator counts only the right ones, so what is too long is told apart.
    """
    entries = _without_echoes(error.errors(include_url=False, include_input=False))
    errors = [_field_error(entry) for entry in entries]
    told = {(error.pointer, error.code) for error in errors}
    errors += [error for error in too_long if (error.pointer, error.code) not in told]
    return Problem("validation", errors=tuple(errors), count=len(errors))


def too_long_lists(model: type[BaseModel], value: Any, pointer: str = "") -> list[FieldError]:
    """Find the lists of a request that have more entries than their field takes."""
    found: list[FieldError] = []
    for name, field in model.model_fields.items():
        inner = value.get(name) if isinstance(value, dict) else None
        here = f"{pointer}/{name}"
        limit = next((mark.max_length for mark in field.metadata if isinstance(mark, MaxLen)), None)
        if isinstance(inner, list) and limit is not None and len(inner) > limit:
            found.append(FieldError(here, "too_many", "too_many", {"max_length": limit}))
        for part in parts_of(field.annotation):
            entries = enumerate(inner[:limit]) if isinstance(inner, list) else [(None, inner)]
            for place, entry in entries:
                found += too_long_lists(part, entry, here if place is None else f"{here}/{place}")
    return found


def refuse_infinity(body: bytes) -> None:
    """Refuse numbers beyond what JSON's readers can hold, where a field takes any JSON.

    Raises `Problem` `malformed_json`.
    """
    may_be = _LARGE_EXPONENT.search(body) or MANY_DIGITS in body.translate(_DIGITS)
    if may_be and _has_infinity(jiter.from_json(body)):
        raise Problem("malformed_json")


def _without_echoes(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out that a list is too short where it only seems so because entries of it are wrong."""
    places = [entry["loc"] for entry in errors]
    return [
        entry
        for entry in errors
        if entry["type"] != "too_short"
        or not any(place[:-1][: len(entry["loc"])] == entry["loc"] for place in places)
    ]


def _strict(body: bytes) -> bytes:
    try:
        jiter.from_json(body, catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError as error:
        return _without_long_numbers(body, str(error))
    # Few brackets cannot nest deeply; only more of them are worth a look.
    if body.count(b"[") + body.count(b"{") > MAX_NESTING and _nests_too_deep(body):
        raise Problem("malformed_json")
    return body


def _without_long_numbers(body: bytes, message: str) -> bytes:
    """Give an integer that the parser finds too long a shorter form, still far out of every range.

    Spaces keep every other byte where it was, so that positions stay true.
    """
    if message.startswith("number out of range"):
        shorter = _TEXT_OR_LONG_NUMBER.sub(_shortened, body)
        if shorter != body:
            return _strict(shorter)
    raise Problem("malformed_json", **_position(body, message))


def _shortened(token: re.Match[bytes]) -> bytes:
    number = token[0]
    if number.startswith(b'"'):
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


def _members(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _has_infinity(value: Any) -> bool:
    level = [value]
    while level:
        if any(isinstance(inner, float) and math.isinf(inner) for inner in level):
            return True
        level = [inner for outer in level if isinstance(outer, (dict, list)) for inner in _members(outer)]
    return False


def _field_error(entry: ErrorDetails) -> FieldError:
    code, kind = _KINDS.get(entry["type"], ("not_allowed", "not_allowed"))
    facts = dict(entry.get("ctx", {}))
    if kind == "one_of":
        facts["words"] = ", ".join(re.findall(r"'([^']*)'", facts["expected"]))
    return FieldError(_pointer(entry["loc"]), code, kind, facts)


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)
