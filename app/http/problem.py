"""Problem documents (RFC 9457): what is wrong, in a code for programs and in words for people."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from app.rules.catalog import LANGUAGES, RefusalText
from app.rules.refusal import Refusal
from app.rules.registry import RULESETS

UNPROCESSABLE: Final = 422
MAX_ERRORS: Final = 50
POINTER_LENGTH: Final = 200

_TABLES: Final = tomllib.loads(Path(__file__).with_name("problem.toml").read_text(encoding="utf-8"))
FIELD_MESSAGES: Final[Mapping[str, Mapping[str, str]]] = _TABLES.pop("field")
"""What is wrong with a field, by kind of error and language."""


class Kind(NamedTuple):
    """One problem code."""

    status: int
    texts: Mapping[str, RefusalText]
    """Title and detail by language."""


def _kinds() -> dict[str, Kind]:
    kinds = {
        code: Kind(table["status"], {language: RefusalText(**table[language]) for language in LANGUAGES})
        for code, table in _TABLES.items()
    }
    for ruleset in RULESETS:
        for code in ruleset.catalog[LANGUAGES[0]].refusals:
            texts = {language: ruleset.catalog[language].refusals[code] for language in LANGUAGES}
            kinds[code] = Kind(UNPROCESSABLE, texts)
    return kinds


KINDS: Final[Mapping[str, Kind]] = _kinds()
"""Every problem code: the service's own and the refusals of all rulesets."""


@dataclass(frozen=True)
class FieldError:
    """One field that is wrong."""

    pointer: str
    """JSON Pointer (RFC 6901) to the field, or to where it should stand."""
    code: str
    """The contract's word for what is wrong."""
    kind: str | None = None
    """Which message says so; None for a refusal, whose own detail does."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Bounds for the message; never the value sent."""


class Problem(Exception):  # noqa: N818  the word of RFC 9457
    """A request that gets a problem document for an answer."""

    def __init__(
        self,
        code: str,
        *,
        errors: tuple[FieldError, ...] = (),
        headers: tuple[tuple[bytes, bytes], ...] = (),
        **facts: Any,
    ) -> None:
        """Keep the code, the fields that are wrong, headers to add and further members of the document."""
        super().__init__(code)
        self.code = code
        self.errors = errors
        self.headers = headers
        self.facts = facts

    @property
    def status(self) -> int:
        """The HTTP status that belongs to the code."""
        return KINDS[self.code].status


def refused(refusal: Refusal) -> Problem:
    """Turn a rule's refusal into a problem with one entry that points at the field."""
    facts: dict[str, Any] = dict(refusal.facts)
    return Problem(refusal.code, errors=(FieldError(refusal.pointer, refusal.code),), **facts)


def document(problem: Problem, language: str, request_id: str) -> dict[str, Any]:
    """Write a problem as the members of its document, in one language."""
    kind = KINDS[problem.code]
    text = kind.texts[language]
    detail = text.detail.format(**problem.facts)
    members: dict[str, Any] = {
        "type": f"/v1/problems/{problem.code}",
        "title": text.title,
        "status": kind.status,
        "detail": detail,
        "code": problem.code,
        "instance": "urn:wurf:request:" + quote(request_id, safe="~"),
        "request_id": request_id,
        **problem.facts,
    }
    if kind.status == UNPROCESSABLE:
        members["errors"] = [_entry(error, language, detail) for error in problem.errors[:MAX_ERRORS]]
    return members


def to_json(members: Any) -> bytes:
    """Write a document that is not worth a compiled serializer."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


def _entry(error: FieldError, language: str, detail: str) -> dict[str, str]:
    message = detail
    if error.kind is not None:
        message = FIELD_MESSAGES[error.kind][language].format(**error.facts)
    return {"pointer": error.pointer[:POINTER_LENGTH], "code": error.code, "message": message}
