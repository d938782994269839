"""What there is: rulesets, problems, and the service itself."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.http.actions import RulesetRouter
from app.http.batch import BATCH_BYTES, MAX_DICE, MAX_ITEMS
from app.http.batch import SEED_LENGTH as BATCH_SEED_LENGTH
from app.http.call import REQUEST_BYTES
from app.http.describe import Example, answer_to
from app.http.edge import URI_BYTES
from app.http.endpoint import ServiceRouter
from app.http.limits import Policy
from app.http.odds import CACHE_BYTES, QUEUE
from app.http.overload import ANSWERS_BYTES, BATCHES_BYTES
from app.http.problem import KINDS, MAX_ERRORS
from app.http.reading import MAX_NESTING
from app.http.service import Service
from app.routers.documents import Info, ProblemKind, RulesetCard, RulesetEntry
from app.routers.receipts import RECEIPT_BYTES
from app.rules.answer import answer_fields
from app.rules.catalog import LANGUAGES, Words
from app.rules.chances import WORK
from app.rules.dice import STREAM
from app.rules.display import Form, SlipLine
from app.rules.fields import GREATEST_VALUE, LABEL_LENGTH, MODIFIERS, SEED_LENGTH, own_fields
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
        response_model=list[RulesetEntry],
    )
    router.documents(
        "/v1/rulesets/{ruleset}",
        "One ruleset with its actions, words and examples",
        operation_id="ruleset",
        build={one.ruleset.id: _ruleset(one.ruleset, one.examples) for one in routers},
        response_model=RulesetCard,
    )
    router.document(
        "/v1/problems",
        "All problem codes",
        operation_id="problems",
        build=[_problem(code) for code in KINDS],
        response_model=list[ProblemKind],
    )
    router.documents(
        "/v1/problems/{code}",
        "One problem code",
        operation_id="problem",
        build={code: _problem(code) for code in KINDS},
        response_model=ProblemKind,
    )
    router.document(
        "/v1/info", "The service", operation_id="info", build=_info(routers, service), response_model=Info
    )
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
    display = ruleset.display
    form = display.forms.get(action.name, Form())
    return {
        "name": action.name,
        "label": {language: words.actions[action.name] for language, words in catalog},
        "sides": action.sides,
        "outcomes": [
            {
                "outcome": outcome,
                "label": {language: words.outcomes[outcome] for language, words in catalog},
                "tone": display.tones.get(outcome),
            }
            for outcome in action.outcomes or ()
        ],
        "fields": [
            {
                "field": path,
                "label": {language: words.field_label(path) for language, words in catalog},
                "place": form.first.index(path) if path in form.first else None,
            }
            for path, _ in own_fields(action.request)
        ],
        "either": form.either,
        "answer": [
            {"field": path, "label": {language: words.answer_label(path) for language, words in catalog}}
            for path in answer_fields(action)
        ],
        "slip": [_slip_line(ruleset, line) for line in display.slips.get(action.name, ())],
        "request_schema": f"/openapi.json#/components/schemas/{action.request.__name__}",
        "links": _links(f"/v1/{ruleset.id}/{action.name}", has_odds=action.odds is not None),
        "example": {
            "request": example.request,
            "requests": {language: words.example(example.request) for language, words in catalog},
            "answer": {language: answer_to(ruleset, action, example, language) for language in LANGUAGES},
        },
    }


def _links(path: str, *, has_odds: bool) -> dict[str, str]:
    return {"self": path, "odds": f"{path}/odds"} if has_odds else {"self": path}


def _slip_line(ruleset: Ruleset, line: SlipLine) -> dict[str, Any]:
    """Show a line of the slip with its words."""
    label = Words.field_label if line.of == "request" else Words.answer_label
    return {
        "of": line.of,
        "field": line.field,
        "kind": line.kind,
        "each": line.each,
        "label": {language: label(words, line.field) for language, words in ruleset.catalog.items()},
    }


def _problem(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {
        "type": f"/v1/problems/{code}",
        "code": code,
        "status": kind.status,
        "title": {language: kind.texts[language].title for language in LANGUAGES},
        # What differs from request to request stands as an ellipsis.
        "detail": {language: re.sub(r"\{\w+\}", "…", kind.texts[language].detail) for language in LANGUAGES},
    }


def _info(routers: Sequence[RulesetRouter], service: Service) -> dict[str, Any]:
    features = ["batch", "get_requests", "given_faces", "odds", "seeds"]
    if service.seeding.nonce_secret is not None:
        features.append("nonces")
    if service.signer is not None:
        features.append("receipts")
    if service.admission.keys is not None:
        features.append("api_keys")
    return {
        "name": "Wurf",
        "version": __version__,
        "features": features,
        "stream": STREAM,
        "languages": list(LANGUAGES),
        "limits": {
            "request_bytes": REQUEST_BYTES,
            "batch_bytes": BATCH_BYTES,
            "batch_items": MAX_ITEMS,
            "batches_bytes": BATCHES_BYTES,
            "batches_answer_bytes": ANSWERS_BYTES,
            "batch_dice": MAX_DICE,
            "batch_seed_characters": BATCH_SEED_LENGTH,
            "receipt_bytes": RECEIPT_BYTES,
            "odds_cache_bytes": CACHE_BYTES,
            "odds_work": WORK,
            "uri_bytes": URI_BYTES,
            "nesting": MAX_NESTING,
            "errors": MAX_ERRORS,
            "label_characters": LABEL_LENGTH,
            "least_value": -GREATEST_VALUE,
            "greatest_value": GREATEST_VALUE,
            **{
                f"{one.ruleset.id}_{name}": bound
                for one in routers
                for name, bound in one.ruleset.limits.items()
            },
            "seed_characters": SEED_LENGTH,
            "modifiers": MODIFIERS,
            "in_work": service.admission.room.most,
            "odds_queue": QUEUE,
            "body_seconds": service.settings.body_seconds,
            "request_rate": _limits(service.admission.requests),
            "batch_item_rate": _limits(service.admission.batch_items),
        },
        "proof": PROOF,
        "contact": service.settings.contact,
    }


def _limits(policies: Sequence[Policy]) -> list[dict[str, int]]:
    """Show rate limits; an empty list says that there are none."""
    return [{"amount": policy.amount, "seconds": policy.seconds} for policy in policies]
