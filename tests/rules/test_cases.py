"""Every worked example, once straight from the rules and once over HTTP."""

import json
from typing import Any

import httpx
import pytest

from app.http.problem import Problem
from app.http.reading import read
from app.rules.answer import ANSWERS
from app.rules.refusal import Refusal
from app.rules.registry import RULESETS
from app.rules.resolve import Seeding, resolve
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


@pytest.mark.parametrize("case", CASES)
def test_the_service_holds_the_case(case: dict[str, Any], client: httpx.Client) -> None:
    answer = client.post(f"/v1/{case['ruleset']}/{case['action']}", json=case["request"])
    assert difference(case["expect"], answer.json()) is None
    assert answer.status_code == case["expect"].get("status", 200)
