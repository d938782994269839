"""Hostile requests get a valid answer or a problem document, and cost no more than their size explains."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from jsonschema_rs import Draft202012Validator

from app.http.problem import KINDS
from tests.fuzz.effort import Effort
from tests.fuzz.excess import FORMS, excess
from tests.fuzz.made import BATCHES, SINGLES, Sent, hostile
from tests.http.wire import Wire, assert_problem
from tests.serving import ROOT, Server

DOCUMENT: dict[str, Any] = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
CASES = 10_000
SHARES = {"bodies": 0.4, "queries": 0.3, "batches": 0.3}
EXPECTED = {200, 400, 413, 414, 422}


@pytest.fixture
def effort(complete: Server) -> Iterator[Effort]:
    """A connection to the service, with a meter on it."""
    with Wire(complete.port) as wire:
        yield Effort(complete, wire)


@pytest.mark.parametrize(
    ("kind", "bases", "written"),
    [
        ("bodies", SINGLES, Sent.posted),
        ("queries", SINGLES, Sent.asked),
        ("batches", BATCHES, Sent.posted),
    ],
    ids=SHARES,
)
def test_hostile_json_gets_a_valid_answer_or_a_problem(
    kind: str,
    bases: list[tuple[str, Any]],
    written: Callable[[Sent, str], bytes],
    effort: Effort,
    complete: Server,
) -> None:
    seen: Counter[int] = Counter()

    # By the number of its kind, so that bodies and queries are not the same ones.
    @seed(list(SHARES).index(kind))
    @settings(
        max_examples=int(CASES * SHARES[kind]),
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(hostile(bases))
    def hold(sent: Sent) -> None:
        note(repr(sent.body[:2000]))  # hypothesis itself does not write that much
        for_germans = len(sent.body) % 2
        answer = effort.ask(written(sent, "de" if for_germans else "en"))
        seen[answer.status_code] += 1
        assert answer.status_code in EXPECTED, complete.written()[-2000:]
        assert_valid(sent.path, answer)

    hold()
    assert "failed" not in complete.written()
    # A fuzz that never gets past the first check, or never fails one, would show nothing.
    assert seen.total() == int(CASES * SHARES[kind])
    assert min(seen[200], seen[400], seen[422]) > seen.total() / 20


@pytest.mark.parametrize("path", FORMS)
def test_far_too_much_of_anything_costs_no_more_than_its_size(path: str, effort: Effort) -> None:
    for sent in excess(path):
        answer = effort.ask(sent.posted("en"))
        assert answer.status_code in {400, 422}, sent.body[:200]
        assert_valid(path, answer)


def assert_valid(path: str, answer: httpx.Response) -> None:
    """Check an answer against the OpenAPI document."""
    assert answer.status_code in EXPECTED
    said = answer.json()
    if answer.status_code != 200:
        assert_problem(answer, KINDS[said["code"]].status, said["code"])
        assert_holds({"$ref": "#/components/schemas/Problem"}, said)
        return
    assert answer.headers["content-type"] == "application/json"
    assert_holds(schema_of(path), said)
    for result in said.get("results", ()):
        assert_valid_result(result)


def assert_valid_result(result: dict[str, Any]) -> None:
    """Check what became of an item of a batch."""
    if result["status"] != 200:
        assert KINDS[result["problem"]["code"]].status == result["status"] < 500
        assert_holds({"$ref": "#/components/schemas/Problem"}, result["problem"])
        return
    answer = result["answer"]
    assert_holds(schema_of(f"/v1/{answer['ruleset']}/{answer['action']}"), answer)


def assert_holds(schema: dict[str, Any], value: Any) -> None:
    """Check a value against a schema of the document."""
    validator(schema["$ref"]).validate(value)


def schema_of(path: str) -> dict[str, Any]:
    """Find the schema of a path's answers."""
    schema: dict[str, Any] = DOCUMENT["paths"][path]["post"]["responses"]["200"]["content"][
        "application/json"
    ]["schema"]
    return schema


@cache
def validator(reference: str) -> Draft202012Validator:
    """Make a validator once."""
    return Draft202012Validator({"$ref": reference, "components": DOCUMENT["components"]})
