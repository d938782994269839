"""The OpenAPI document: current, valid, described, with examples that are true."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate

from app.http.openapi import openapi_document
from app.main import app
from app.rules.registry import RULESETS
from tests.serving import ROOT

DOCUMENT: dict[str, Any] = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
OPERATIONS: list[tuple[str, str, dict[str, Any]]] = [
    (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
every_operation = pytest.mark.parametrize(
    ("method", "path", "operation"),
    OPERATIONS,
    ids=[operation["operationId"] for _, _, operation in OPERATIONS],
)


def test_the_committed_document_is_current() -> None:
    assert json.loads(json.dumps(openapi_document(app, app.answers))) == DOCUMENT


def test_the_served_document_is_the_committed_one(client: httpx.Client) -> None:
    assert client.get("/openapi.json").json() == DOCUMENT


def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def test_no_schema_is_named_after_a_clash() -> None:
    assert not [name for name in DOCUMENT["components"]["schemas"] if "__" in name or "-" in name]


def test_operation_ids_are_stable_words() -> None:
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(ids) == len(set(ids))
    assert {"zrps_roll", "zrps_roll_get", "zrps_contest", "three_marks_roll"} <= set(ids)
    assert all(one.replace("_", "").isalnum() and one.islower() for one in ids)


def properties(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        for name, field in schema.get("properties", {}).items():
            yield f"{path}.{name}", field
        for key, inner in schema.items():
            yield from properties(inner, f"{path}.{key}")
    elif isinstance(schema, list):
        for index, inner in enumerate(schema):
            yield from properties(inner, f"{path}.{index}")


def test_every_field_is_described() -> None:
    described = dict(properties(DOCUMENT["components"]["schemas"], ""))
    assert described
    plain = ("ruleset", "action")  # constants, which describe themselves
    missing = [
        path
        for path, field in described.items()
        if not (field.get("description") or "$ref" in field or path.rsplit(".", 1)[-1] in plain)
    ]
    assert missing == []


def unbounded(schema: Any, path: str) -> Iterator[str]:
    if isinstance(schema, dict):
        if schema.get("type") == "integer" and not {"minimum", "maximum"} <= schema.keys():
            yield path
        if schema.get("type") == "string" and not {"maxLength", "enum", "const"} & schema.keys():
            yield path
        for key, inner in schema.items():
            yield from unbounded(inner, f"{path}.{key}")


def test_every_number_and_text_of_a_request_has_bounds() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    requests = {
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
        for _, _, operation in OPERATIONS
        if "requestBody" in operation
    }
    assert requests
    assert [path for name in requests for path in unbounded(schemas[name], name)] == []


@every_operation
def test_problems_are_documented_as_problem_documents(
    method: str, path: str, operation: dict[str, Any]
) -> None:
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            assert list(response["content"]) == ["application/problem+json"], (method, path, status)


def rulesets() -> list[str]:
    (names,) = DOCUMENT["paths"]["/v1/rulesets/{ruleset}"]["get"]["parameters"]
    words: list[str] = names["schema"]["enum"]
    return words


def examples() -> Iterator[Any]:
    for path, methods in DOCUMENT["paths"].items():
        post = methods.get("post", {})
        content = post.get("requestBody", {}).get("content", {}).get("application/json", {})
        for name, example in content.get("examples", {}).items():
            answers = post["responses"]["200"]["content"]["application/json"].get("examples", {})
            if name not in answers:
                continue  # a batch; its own tests hold it against its single calls
            answer = answers[name]["value"]
            yield pytest.param(path, example["value"], answer, id=f"{post['operationId']}-{name}")


@pytest.mark.parametrize(("path", "request_", "answer"), list(examples()))
def test_an_example_is_what_the_service_answers(
    path: str, request_: dict[str, Any], answer: dict[str, Any], client: httpx.Client
) -> None:
    assert client.post(path, json=request_).json() == answer
    assert client.get(path, params={"request": json.dumps(request_)}).json() == answer


def hold(schema: dict[str, Any], document: Any) -> None:
    """Hold a document against its schema, and let it have no field that the schema does not describe."""
    schemas = {
        name: {"additionalProperties": False} | part if "properties" in part else part
        for name, part in DOCUMENT["components"]["schemas"].items()
    }
    Draft202012Validator({**schema, "components": {"schemas": schemas}}).validate(document)


def shown(operation: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Find the schemas of an operation that have examples, with each of these."""
    for place in (
        operation.get("requestBody", {}),
        operation["responses"]["200"],
        *operation.get("parameters", ()),
    ):
        for content in place.get("content", {}).values():
            for example in content.get("examples", {}).values():
                yield content["schema"], example["value"]


@every_operation
def test_an_example_is_what_its_schema_says(method: str, path: str, operation: dict[str, Any]) -> None:
    for schema, example in shown(operation):
        hold(schema, example)
    actions = operation["operationId"].startswith(tuple(ruleset.id.partition("-")[0] for ruleset in RULESETS))
    assert any(shown(operation)) or not actions, (method, path)


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        pytest.param(path.replace("{ruleset}", ruleset).replace("{code}", "validation"), operation)
        for method, path, operation in OPERATIONS
        if method == "get" and not any(one["in"] == "query" for one in operation.get("parameters", ()))
        if "application/json" in operation["responses"]["200"]["content"]
        for ruleset in (rulesets() if "{ruleset}" in path else [""])
    ],
)
def test_every_document_is_what_its_schema_says(
    path: str, operation: dict[str, Any], client: httpx.Client
) -> None:
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    answer = client.get(path)
    assert answer.status_code == httpx.codes.OK
    hold(schema, answer.json())
    assert schema != {}


def test_a_batch_and_its_answer_are_what_their_schemas_say(client: httpx.Client) -> None:
    operation = DOCUMENT["paths"]["/v1/batch"]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    batch = content["examples"]["goblins"]["value"]
    batch["items"].append({"request": {"dc": "high"}})
    hold(content["schema"], batch)
    hold(
        operation["responses"]["200"]["content"]["application/json"]["schema"],
        client.post("/v1/batch", json=batch).json(),
    )
