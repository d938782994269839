"""What schemathesis has to know of the service beyond the OpenAPI document."""

import json
import re
from typing import Any, Final

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

from app.http.problem import KINDS, UNPROCESSABLE

Case = schemathesis.Case[Any]
BY_THE_RULES: Final = {code for code, kind in KINDS.items() if kind.status == UNPROCESSABLE} - {"validation"}
"""Refusals of what is valid field by field: the rules know more than a schema can say."""
BY_SIZE: Final = {"too_large", "uri_too_long"}
BETWEEN_FIELDS: Final = re.compile(
    r"/adjustments/\d+/(steps|to)|(/against)?/(dc_)?modifiers/\d+/value|/faces/\d+", re.ASCII
)
"""Fields whose bounds depend on another field, which only their descriptions say."""


@schemathesis.hook
def before_call(_context: Any, case: Case, _kwargs: dict[str, Any]) -> None:
    """Write whole numbers as integers: JSON Schema takes 5.0 for 5, the service does not, and says so."""
    case.body = _whole(case.body)
    if isinstance(sent := case.query.get("request"), str):
        case.query["request"] = _rewritten(sent)


@schemathesis.hook
def filter_failure(_context: Any, failure: Exception, case: Case, response: schemathesis.Response) -> bool:
    """Accept that a request which the document allows is refused for what no schema says."""
    return not (isinstance(failure, RejectedPositiveData) and _beyond_schemas(case, response.json()))


def _beyond_schemas(case: Case, problem: dict[str, Any]) -> bool:
    code = problem["code"]
    if code == "validation":
        return all(BETWEEN_FIELDS.fullmatch(error["pointer"]) for error in problem["errors"])
    if code == "unknown_parameter":
        return "exact" in case.query and case.query.get("odds") not in {True, "true"}
    return code in BY_THE_RULES | BY_SIZE


def _rewritten(text: str) -> str:
    try:
        value = json.loads(text)
        if isinstance(value, str):
            # Examples of a parameter that is JSON are written twice (schemathesis 4.32).
            value = json.loads(value)
    except ValueError:
        return text
    return json.dumps(_whole(value))


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    return value
