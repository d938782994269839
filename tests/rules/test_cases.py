"""Every worked example, once straight from the rules and once over HTTP."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from app.http.problem import Problem
from app.http.reading import read
from app.rules.answer import ANSWERS
from app.rules.refusal import Refusal
from app.rules.registry import RULESETS
from app.rules.resolve import KEPT, Attempt, Seeding, Shelf, resolve
from kit.run import difference
from tests.cases_reader import cases_of

ACTIONS = {(ruleset.id, action.name): (ruleset, action) for ruleset in RULESETS for action in ruleset.actions}
CASES = [
    pytest.param(case, id=f"{ruleset.id}-{number}-{case['name']}")
    for ruleset in RULESETS
    for number, case in enumerate(cases_of(ruleset.id))
]


def resolved(case: dict[str, Any]) -> dict[str, Any]:
    """Resolve a case without HTTP, into an answer or the status and code of its refusal."""
    ruleset, action = ACTIONS[case["ruleset"], case["action"]]
    try:
        request = read(action.request, json.dumps(case["request"]).encode())
        answer = resolve(ruleset, action, request, Seeding(draw=lambda: "drawn"), "en")
    except Problem as problem:
        return {"status": problem.status, "code": problem.code}
    except Refusal as refusal:
        return {"status": 422, "code": refusal.code}
    got: dict[str, Any] = json.loads(ANSWERS[ruleset.id, action.name].serializer.to_json(answer))
    return got


@pytest.mark.parametrize("case", CASES)
def test_the_rules_hold_the_case(case: dict[str, Any]) -> None:
    assert difference(case["expect"], resolved(case)) is None


def _readable(case: Any) -> bool:
    """Say whether a case's request is valid field by field: of others there is no attempt."""
    code: str | None = case["expect"].get("code")
    return code not in {"validation", "malformed_json"}


@pytest.mark.parametrize("case", [case for case in CASES if _readable(*case.values)])
def test_an_attempt_answers_every_time_what_its_request_alone_would(case: dict[str, Any]) -> None:
    ruleset, action = ACTIONS[case["ruleset"], case["action"]]
    request = read(action.request, json.dumps(case["request"]).encode())
    for room in (0, 1, KEPT):
        shelf = Shelf()
        shelf.left = room
        attempt = Attempt((ruleset, action, "de"), request, shelf)
        for seed in ("drawn", "again", "drawn", "once more"):
            alone = _ended(resolve, ruleset, action, request, _drawing(seed), "de")
            assert _ended(attempt.resolve, request.ref, _drawing(seed)) == alone


def _drawing(seed: str) -> Seeding:
    return Seeding(draw=lambda: seed)


def _ended(resolving: Callable[..., dict[str, Any]], *arguments: Any) -> Any:
    """Resolve and return the answer's fields in order, or what it was refused for."""
    try:
        return list(resolving(*arguments).items())
    except Refusal as refusal:
        return refusal.code, refusal.pointer, refusal.facts


@pytest.mark.parametrize("case", CASES)
def test_the_service_holds_the_case(case: dict[str, Any], client: httpx.Client) -> None:
    answer = client.post(f"/v1/{case['ruleset']}/{case['action']}", json=case["request"])
    assert difference(case["expect"], answer.json()) is None
    assert answer.status_code == case["expect"].get("status", 200)
