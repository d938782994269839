"""The OpenAPI document: FastAPI's, with the problem documents as they really are."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.http.batch import BatchItem
from app.http.describe import HEADERS, KEY_SCHEMES, PROBLEM_SCHEMA, TOKEN_SCHEMES


def openapi_document(app: FastAPI, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Make the document from the routes and, by path, the answers to their examples."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=app.description,
        routes=app.routes,
        license_info=app.license_info,
        separate_input_output_schemas=False,
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    document["components"]["headers"] = HEADERS
    document["components"]["securitySchemes"] = KEY_SCHEMES | TOKEN_SCHEMES
    # The defaults stand in for whatever an item leaves out, so that none of its fields is required as sent.
    schemas["BatchItem"] = {
        name: part for name, part in BatchItem.model_json_schema().items() if name != "required"
    }
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] = dict(sorted(operation["responses"].items()))
    for path, examples in answers.items():
        operations = document["paths"][path]
        content = operations["post"]["responses"]["200"]["content"]
        content["application/json"]["examples"] = examples
        operations["get"]["responses"]["200"]["content"] = content
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document
