"""What there is: rulesets, problems, and the service itself."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.http.actions import RulesetRouter
from app.http.call import REQUEST_BYTES
from app.http.describe import Example, answer_to
from app.http.edge import URI_BYTES
from app.http.endpoint import ServiceRouter
from app.http.problem import KINDS, MAX_ERRORS
from app.http.reading import MAX_NESTING
from app.http.service import Service
from app.rules.catalog import LANGUAGES
from app.rules.dice import STREAM
from app.rules.fields import LABEL_LENGTH, MODIFIERS, SEED_LENGTH, own_fields
from app.rules.ruleset import Action, Ruleset

PROOF: Final = tomllib.loads(Path(__file__).with_name("proof.toml").read_text(encoding="utf-8"))
"""What an answer proves and what it does not, in plain words and each language."""


def catalog_router(routers: Iterable[RulesetRouter], service: Service) -> ServiceRouter:
    """Make the routes of the catalog from the rulesets that are served."""
    router = ServiceRouter()
    routers = tuple(routers)
    router.document(
        "/v1/rulesets",
        "All rulesets",
        operation_id="rulesets",
        build=[_entry(one.ruleset) for one in routers],
    )
    router.documents(
        "/v1/rulesets/{ruleset}",
        "One ruleset with its actions, words and examples",
        operation_id="ruleset",
        build={one.ruleset.id: _ruleset(one.ruleset, one.examples) for one in routers},
    )
    router.document(
        "/v1/problems", "All problem codes", operation_id="problems", build=[_problem(code) for code in KINDS]
    )
    router.documents(
        "/v1/problems/{code}",
        "One problem code",
        operation_id="problem",
        build={code: _problem(code) for code in KINDS},
    )
    router.document("/v1/info", "The service", operation_id="info", build=_info(service))
    return router


def _entry(ruleset: Ruleset) -> dict[str, Any]:
    return {
        "id": ruleset.id,
        "rules_version": ruleset.rules_version,
        "name": {language: words.name for language, words in ruleset.catalog.items()},
        "summary": {language: words.summary for language, words in ruleset.catalog.items()},
        "actions": [action.name for action in ruleset.actions],
        "links": {"self": f"/v1/rulesets/{ruleset.id}"},
    }


def _ruleset(ruleset: Ruleset, examples: Mapping[str, Sequence[Example]]) -> dict[str, Any]:
    return {
        **_entry(ruleset),
        "actions": [_action(ruleset, action, examples[action.name][0]) for action in ruleset.actions],
        "values": {language: words.values for language, words in ruleset.catalog.items()},
    }


def _action(ruleset: Ruleset, action: Action[Any, Any, Any], example: Example) -> dict[str, Any]:
    catalog = ruleset.catalog.items()
    return {
        "name": action.name,
        "label": {language: words.actions[action.name] for language, words in catalog},
        "sides": action.sides,
        "outcomes": [
            {"outcome": outcome, "label": {language: words.outcomes[outcome] for language, words in catalog}}
            for outcome in action.outcomes or ()
        ],
        "fields": [
            {"field": path, "label": {language: words.field_label(path) for language, words in catalog}}
            for path, _ in own_fields(action.request)
        ],
        "request_schema": f"/openapi.json#/components/schemas/{action.request.__name__}",
        "links": {"self": f"/v1/{ruleset.id}/{action.name}"},
        "example": {
            "request": example.request,
            "answer": {language: answer_to(ruleset, action, example, language) for language in LANGUAGES},
        },
    }


def _problem(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {
        "type": f"/v1/problems/{code}",
        "code": code,
        "status": kind.status,
        "title": {language: kind.texts[language].title for language in LANGUAGES},
        "detail": {language: kind.texts[language].detail for language in LANGUAGES},
    }


def _info(service: Service) -> dict[str, Any]:
    features = ["get_requests", "given_faces", "seeds"]
    if service.seeding.nonce_secret is not None:
        features.append("nonces")
    return {
        "name": "Wurf",
        "version": __version__,
        "features": features,
        "stream": STREAM,
        "languages": list(LANGUAGES),
        "limits": {
            "request_bytes": REQUEST_BYTES,
            "uri_bytes": URI_BYTES,
            "nesting": MAX_NESTING,
            "errors": MAX_ERRORS,
            "label_characters": LABEL_LENGTH,
            "seed_characters": SEED_LENGTH,
            "modifiers": MODIFIERS,
        },
        "proof": PROOF,
        "contact": service.settings.contact,
    }
