"""What is wrong with a request, field by field: from the validator's errors to the contract's.

To write every error down takes far longer than to find it, and to find one takes longer than to read what is
right. At most 50 are answered; so a request that has far too much of something is shortened first.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from annotated_types import MaxLen
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, to_json

from app.http.problem import MAX_ERRORS, FieldError, Problem
from app.rules.fields import parts_of

ModelT = TypeVar("ModelT", bound=BaseModel)

LARGE: Final = 4096
"""Requests of more bytes are looked at for excess before they are validated. Ordinary ones have a tenth."""
MANY: Final = 2 * MAX_ERRORS
"""With more errors than these a request is shortened too."""
LONGEST: Final = 1000
"""What is left of a list that may have any length: faces, of which no roll needs more."""

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


def validated(model: type[ModelT], text: bytes, value: Any) -> ModelT:
    """Validate a request, given as JSON and as what it says.

    Raises `Problem` `validation` with every field that is wrong; no value sent enters it.
    """
    if len(text) > LARGE and (found := _of_excess(model, value)):
        raise _problem(found)
    try:
        # Called directly, since this is where every request passes.
        request: ModelT = model.__pydantic_validator__.validate_json(text)
    except ValidationError as error:
        raise invalid(model, value, error) from None
    return request


def validated_value(model: type[ModelT], value: Any) -> ModelT:
    """Validate a request, given only as what its JSON says. Raises `Problem` as `validated` does."""
    if found := _of_excess(model, value):
        raise _problem(found)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(model, value, error) from None


def invalid(model: type[BaseModel], value: Any, error: ValidationError) -> Problem:
    """Say what is wrong with a request that the validator does not take."""
    shortened = _Shortening(model, value)
    if error.error_count() > MANY:
        return _problem(shortened.too_many + _errors_of(model, shortened.left) or shortened.cut)
    errors = _field_errors(error)
    # Of a list with wrong entries the validator counts only the right ones.
    told = {(error.pointer, error.code) for error in errors}
    errors += [error for error in shortened.too_many if (error.pointer, error.code) not in told]
    return _problem(errors)


def _problem(errors: list[FieldError]) -> Problem:
    return Problem("validation", errors=tuple(errors), count=len(errors))


def _of_excess(model: type[BaseModel], value: Any) -> list[FieldError]:
    """Find what is wrong with a request that has too much of something, in what is left of it without."""
    shortened = _Shortening(model, value)
    return shortened.too_many + _errors_of(model, shortened.left) if shortened.left_out else []


class _Shortening:
    """A request without what it has too much of.

    Lists end where they may not go on, and few names that nobody knows are left. What is left has the same
    errors, but for those.
    """

    def __init__(self, model: type[BaseModel], value: Any) -> None:
        self.too_many: list[FieldError] = []
        """Lists with more entries than their field takes."""
        self.cut: list[FieldError] = []
        """Lists that may have any length, and are shortened nevertheless."""
        self._unknown = 0
        self.left = self._of(model, value, "")

    @property
    def left_out(self) -> bool:
        """Whether there is less of it now."""
        return bool(self.too_many or self.cut) or self._unknown > MAX_ERRORS

    def _of(self, model: type[BaseModel], value: Any, pointer: str) -> Any:
        if not isinstance(value, dict):
            return value
        left = {}
        for name, inner in value.items():
            if field := model.model_fields.get(name):
                left[name] = self._in(field, inner, f"{pointer}/{name}")
            else:
                self._unknown += 1
                if self._unknown <= MAX_ERRORS:
                    left[name] = None
        return left

    def _in(self, field: FieldInfo, value: Any, pointer: str) -> Any:
        parts = list(parts_of(field.annotation))
        if not isinstance(value, list):
            return self._parts(parts, value, pointer)
        most = next((mark.max_length for mark in field.metadata if isinstance(mark, MaxLen)), None)
        if len(value) > (most or LONGEST):
            noted = self.cut if most is None else self.too_many
            noted.append(FieldError(pointer, "too_many", "too_many", {"max_length": most or LONGEST}))
        if not parts:
            return value[: most or LONGEST]
        entries = enumerate(value[: most or LONGEST])
        return [self._parts(parts, entry, f"{pointer}/{place}") for place, entry in entries]

    def _parts(self, parts: list[type[BaseModel]], value: Any, pointer: str) -> Any:
        for part in parts:
            value = self._of(part, value, pointer)
        return value


def _errors_of(model: type[BaseModel], value: Any) -> list[FieldError]:
    try:
        model.model_validate_json(to_json(value))
    except ValidationError as error:
        return _field_errors(error)
    return []


def _field_errors(error: ValidationError) -> list[FieldError]:
    entries = error.errors(include_url=False, include_input=False)
    return [_field_error(entry) for entry in _without_echoes(entries)]


def _without_echoes(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out that a list is too short where it only seems so because entries of it are wrong."""
    around = {entry["loc"][:depth] for entry in errors for depth in range(len(entry["loc"]))}
    return [entry for entry in errors if entry["type"] != "too_short" or entry["loc"] not in around]


def _field_error(entry: ErrorDetails) -> FieldError:
    code, kind = _KINDS.get(entry["type"], ("not_allowed", "not_allowed"))
    facts = dict(entry.get("ctx", {}))
    if kind == "one_of":
        facts["words"] = ", ".join(re.findall(r"'([^']*)'", facts["expected"]))
    return FieldError(_pointer(entry["loc"]), code, kind, facts)


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)
