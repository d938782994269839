"""What the OpenAPI document says of an action."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from app.http.problem import KINDS, MAX_ERRORS, POINTER_LENGTH
from app.rules.answer import ANSWERS
from app.rules.catalog import LANGUAGES
from app.rules.fields import ORIGINS, ActionRequest
from app.rules.odds import odds as odds_answer
from app.rules.resolve import Seeding, resolve
from app.rules.ruleset import Action, Ruleset

PROBLEM_REF: Final = {"$ref": "#/components/schemas/Problem"}
PROBLEM_SCHEMA: Final = {
    "title": "Problem",
    "description": "What is wrong (RFC 9457): `code` for programs, `title` and `detail` for people.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "instance", "request_id"],
    "properties": {
        "type": {"type": "string", "description": "/v1/problems/ and the code."},
        "title": {"type": "string", "description": "What kind of problem, in the reader's language."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status."},
        "detail": {"type": "string", "description": "What to do about it, in the reader's language."},
        "code": {
            "type": "string",
            "enum": sorted(KINDS),
            "description": "The problem's word; never changes.",
        },
        "instance": {"type": "string", "description": "urn:wurf:request: and the request id."},
        "request_id": {"type": "string", "description": "Finds this request in the service's log."},
        "position": {"type": "integer", "minimum": 0, "description": "Byte offset of what is no JSON."},
        "given": {"type": "integer", "minimum": 0, "description": "Faces given."},
        "needed": {"type": "integer", "minimum": 0, "description": "Faces needed, as far as known."},
        "sides": {"type": "integer", "minimum": 0, "description": "The die's size."},
        "count": {"type": "integer", "minimum": 1, "description": "How many fields are wrong."},
        "limit": {"type": "integer", "minimum": 1, "description": "How many bytes there may be."},
        "most": {"type": "integer", "minimum": 1, "description": "How many dice there may be."},
        "allowed": {"type": "string", "description": "The query parameters that there are here."},
        "errors": {
            "type": "array",
            "maxItems": MAX_ERRORS,
            "description": "Every field that is wrong; only with status 422.",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "message"],
                "properties": {
                    "pointer": {
                        "type": "string",
                        "maxLength": POINTER_LENGTH,
                        "description": "JSON Pointer to the field, or to where it should stand.",
                    },
                    "code": {"type": "string", "description": "What is wrong with it."},
                    "message": {"type": "string", "description": "The same in the reader's language."},
                },
            },
        },
    },
}
LANGUAGE_PARAMETER: Final = {
    "name": "lang",
    "in": "query",
    "description": "The language of label, text and problems. Without a supported one Accept-Language "
    "decides, else English.",
    "schema": {"type": "string", "examples": list(LANGUAGES)},
}
ODDS_PARAMETER: Final = {
    "name": "odds",
    "in": "query",
    "description": "Whether the answer also holds the odds of what was attempted.",
    "schema": {"type": "boolean", "default": False},
}
RECEIPT_PARAMETER: Final = {
    "name": "receipt",
    "in": "query",
    "description": "Whether the answer also holds a signed receipt.",
    "schema": {"type": "boolean", "default": False},
}
EXACT_PARAMETER: Final = {
    "name": "exact",
    "in": "query",
    "description": "Whether odds also stand as exact fractions; on a roll only together with `odds=true`.",
    "schema": {"type": "boolean", "default": True},
}
_DOCUMENTED: Final = {
    400: "The request cannot be read.",
    401: "The service asks for a key or a token.",
    404: "There is nothing of this name.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    414: "Path and query are too long.",
    415: "The body has a content encoding.",
    422: "The request is not valid, or the rule refuses it.",
    429: "The client asks more than its rate limit allows; Retry-After says when to come back.",
    500: "The service failed.",
    503: "The service cannot answer now; Retry-After says when to come back.",
}
HEADERS: Final = {
    "Retry-After": {
        "description": "In how many seconds to come back.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "RateLimit-Policy": {
        "description": 'The limits, with quota and window in seconds: `"default";q=120;w=60`.',
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": 'What is left, and for how many seconds: `"default";r=0;t=12`. Both fields stand in '
        "every answer that counts against a limit, save those that caches may keep.",
        "schema": {"type": "string"},
    },
    "WWW-Authenticate": {"description": "How to send a key.", "schema": {"type": "string"}},
}
"""Headers that come with problems."""
_SENT_WITH: Final[Mapping[int, Sequence[str]]] = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After", "RateLimit-Policy", "RateLimit"),
    503: ("Retry-After",),
}
KEY_SCHEMES: Final = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, where the service asks for one.",
    },
    "api_key": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "The same in a header of its own.",
    },
}
TOKEN_SCHEMES: Final = {
    "metrics_token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token for metrics, where the operator has set one.",
    },
}
ADMISSION: Final[Mapping[str, Any]] = {"security": [{}, *({scheme: []} for scheme in KEY_SCHEMES)]}
"""What is said of a path that may ask for a key."""
METRICS: Final[Mapping[str, Any]] = {"security": [{}, *({scheme: []} for scheme in TOKEN_SCHEMES)]}
"""What is said of the path that may ask for a token."""
ADMISSION_STATUSES: Final = (401, 429, 503)
"""How a path that has room, keys and limits before it may answer beside its own answers."""


@dataclass(frozen=True)
class Example:
    """A request that shows an action, with a seed or faces, so that its answer is fixed."""

    summary: str
    request: Mapping[str, Any]


@dataclass(frozen=True)
class Documented:
    """The arguments with which FastAPI documents the two routes of an action."""

    post: dict[str, Any]
    get: dict[str, Any]
    answers: dict[str, Any]
    """The answers to the examples. FastAPI would leave their nulls out, so they are added to its document."""


class _Shown(NamedTuple):
    request: type[ActionRequest]
    requests: dict[str, Any]
    answers: dict[str, Any]


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Document the problem answers of some statuses."""
    content = {"application/problem+json": {"schema": PROBLEM_REF}}
    responses: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        responses[status] = {"description": _DOCUMENTED[status], "content": content}
        if sent := _SENT_WITH.get(status):
            responses[status]["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in sent}
    return responses


def answer_to(ruleset: Ruleset, action: Action[Any, Any, Any], example: Example, language: str) -> Any:
    """Resolve an example, so that no answer in a document is written by hand."""
    request = action.request.model_validate_json(json.dumps(example.request))
    answer = resolve(ruleset, action, request, Seeding(draw=_no_draw), language)
    return json.loads(ANSWERS[ruleset.id, action.name].serializer.to_json(answer))


def action(ruleset: Ruleset, action: Action[Any, Any, Any], examples: Sequence[Example]) -> Documented:
    """Describe an action with its examples and their answers."""
    shown = _named(examples, lambda example: example.request)
    answers = _named(examples, lambda example: answer_to(ruleset, action, example, LANGUAGES[0]))
    more = (
        [RECEIPT_PARAMETER] if action.odds is None else [RECEIPT_PARAMETER, ODDS_PARAMETER, EXACT_PARAMETER]
    )
    return _documented(ruleset, action, _Shown(action.request, shown, answers), more)


def odds(
    ruleset: Ruleset,
    action: Action[Any, Any, Any],
    situation: type[ActionRequest],
    examples: Sequence[Example],
) -> Documented:
    """Describe the odds of an action with its examples and their answers."""
    shown = _named(examples[:1], _without_dice)
    answers = _named(examples[:1], lambda example: odds_of(ruleset, action, situation, example))
    return _documented(ruleset, action, _Shown(situation, shown, answers), [EXACT_PARAMETER], "odds")


def odds_of(
    ruleset: Ruleset, action: Action[Any, Any, Any], situation: type[ActionRequest], example: Example
) -> Any:
    """Work out the odds of an example."""
    request = situation.model_validate_json(json.dumps(_without_dice(example)))
    return odds_answer(ruleset, action, request, exact=True)


def _without_dice(example: Example) -> dict[str, Any]:
    return {name: value for name, value in example.request.items() if name not in ORIGINS}


def _named(examples: Sequence[Example], show: Callable[[Example], Any]) -> dict[str, Any]:
    return {_key(example): {"summary": example.summary, "value": show(example)} for example in examples}


def _documented(
    ruleset: Ruleset,
    action: Action[Any, Any, Any],
    shown: _Shown,
    more: Sequence[Mapping[str, Any]],
    *what: str,
) -> Documented:
    words = ruleset.catalog[LANGUAGES[0]]
    operation = "_".join([ruleset.id, action.name, *what]).replace("-", "_")
    shared = {
        "tags": [words.name],
        "summary": ", ".join([f"{words.name}: {words.actions[action.name]}", *what]),
        "description": shown.request.__doc__,
        "response_description": "What came out.",
    }
    parameter = {
        "name": "request",
        "in": "query",
        "required": True,
        "description": "The same JSON as in the body of a POST, form-encoded.",
        "content": {
            "application/json": {
                "schema": {"$ref": f"#/components/schemas/{shown.request.__name__}"},
                "examples": shown.requests,
            }
        },
    }
    body = {"required": True, "content": {"application/json": {"examples": shown.requests}}}
    return Documented(
        post={
            **shared,
            "operation_id": operation,
            "responses": problem_responses(400, 408, 413, 415, 422, 500),
            "openapi_extra": {"requestBody": body, "parameters": [LANGUAGE_PARAMETER, *more]},
        },
        get={
            **shared,
            "operation_id": f"{operation}_get",
            "responses": problem_responses(400, 414, 422, 500),
            "openapi_extra": {"parameters": [parameter, LANGUAGE_PARAMETER, *more]},
        },
        answers=shown.answers,
    )


def _key(example: Example) -> str:
    return example.summary.lower().replace(" ", "_")


def _no_draw() -> str:
    message = "an example brings its seed or its faces"
    raise AssertionError(message)
