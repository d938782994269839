"""A ruleset that does not exist, with every kind of field, told to the page as the service would."""

import json
from typing import Any, Final

from playwright.sync_api import Page, Route


def _both(english: str, german: str) -> dict[str, str]:
    return {"en": english, "de": german}


def _nullable(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], **more}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: Final[dict[str, Any]] = {
    "Heist": {
        "type": "object",
        "required": ["nerve", "target"],
        "properties": {
            "ref": _nullable({"type": "string", "maxLength": 100}),
            "seed": _nullable({"type": "string"}),
            "nonce": _nullable({"type": "string"}),
            "faces": _nullable({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 12}}),
            "nerve": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How calm."},
            "target": {
                "oneOf": [_ref("Vault"), _ref("Guard")],
                "discriminator": {"propertyName": "kind"},
            },
            "plan": _nullable({"type": "string", "maxLength": 40}),
            "noise": _nullable(_ref("Noise"), default="quiet"),
            "masks": _nullable({"type": "boolean"}, default=True),
            "crew": _nullable({"type": "array", "items": _ref("Member"), "maxItems": 3}, default=[]),
        },
    },
    "Noise": {"type": "string", "enum": ["quiet", "loud"]},
    "Vault": {
        "type": "object",
        "required": ["kind", "locks"],
        "properties": {"kind": {"const": "vault"}, "locks": {"type": "integer", "minimum": 1}},
    },
    "Guard": {
        "type": "object",
        "required": ["kind", "name"],
        "properties": {"kind": {"const": "guard"}, "name": {"type": "string"}},
    },
    "Member": {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "tools": _nullable({"type": "array", "items": {"type": "integer"}}, default=[]),
        },
    },
}
EXAMPLE: Final[dict[str, Any]] = {
    "nerve": 3,
    "target": {"kind": "vault", "locks": 2},
    "crew": [{"name": "Ada", "tools": [1, 2]}],
}
ENTRY: Final[dict[str, Any]] = {
    "id": "night-shift",
    "rules_version": 1,
    "name": _both("Night Shift", "Nachtschicht"),
    "summary": _both("Roll a d12 above your nerve.", "Einen W12 über die Nerven werfen."),
    "actions": ["heist"],
    "links": {"self": "/v1/rulesets/night-shift"},
}
CATALOG: Final[dict[str, Any]] = ENTRY | {
    "values": {
        "en": {"quiet": "Quiet", "loud": "Loud", "vault": "A vault", "guard": "A guard"},
        "de": {"quiet": "Leise", "loud": "Laut", "vault": "Ein Tresor", "guard": "Eine Wache"},
    },
    "actions": [
        {
            "name": "heist",
            "label": _both("Heist", "Einbruch"),
            "sides": 12,
            "outcomes": [
                {"outcome": "away", "label": _both("Away with it", "Entkommen")},
                {"outcome": "caught", "label": _both("Caught", "Erwischt")},
            ],
            "fields": [
                {"field": path, "label": _both(english, german)}
                for path, english, german in (
                    ("nerve", "Nerve", "Nerven"),
                    ("target", "Target", "Ziel"),
                    ("target.kind", "Kind", "Art"),
                    ("target.locks", "Locks", "Schlösser"),
                    ("target.name", "Called", "Genannt"),
                    ("plan", "Plan", "Plan"),
                    ("noise", "Noise", "Lautstärke"),
                    ("masks", "Masks", "Masken"),
                    ("crew", "Crew", "Bande"),
                    ("crew.name", "Name", "Name"),
                    ("crew.tools", "Tools", "Werkzeuge"),
                )
            ],
            "request_schema": "/openapi.json#/components/schemas/Heist",
            "links": {"self": "/v1/night-shift/heist", "odds": "/v1/night-shift/heist/odds"},
            "example": {"request": EXAMPLE, "answer": {}},
            "answer": [
                {"field": "outcome", "label": _both("Outcome", "Ausgang")},
                {"field": "swag", "label": _both("Swag", "Beute")},
            ],
        },
    ],
}
ANSWER: Final[dict[str, Any]] = {
    "ruleset": "night-shift",
    "action": "heist",
    "outcome": "away",
    "success": True,
    "sides": 12,
    "faces": [7],
    "seed": None,
    "source": "given_faces",
    "stream": None,
    "rules_version": 1,
    "ref": None,
    "label": "Away with it",
    "text": "Rolled 7: Away with it.",
    "swag": 700,
}
ODDS: Final[dict[str, Any]] = {
    "outcomes": [
        {"outcome": "away", "probability": 0.75, "exact": "3/4"},
        {"outcome": "caught", "probability": 0.25, "exact": "1/4"},
    ],
    "success": {"probability": 0.75, "exact": "3/4"},
    "quantity": None,
    "distribution": [],
    "mean": None,
}


class Sixth:
    """Stands in for a service that has the ruleset, and notes what it is asked."""

    def __init__(self, page: Page) -> None:
        """Put it between the page and the service."""
        self.rolled: list[Any] = []
        self.foretold: list[Any] = []
        page.route("**/v1/rulesets", self._list)
        page.route("**/v1/rulesets/night-shift", lambda route: route.fulfill(json=CATALOG))
        page.route("**/openapi.json", self._document)
        page.route("**/v1/night-shift/heist?*", lambda route: self._answer(route, self.rolled, ANSWER))
        page.route("**/v1/night-shift/heist/odds*", lambda route: self._answer(route, self.foretold, ODDS))

    def _list(self, route: Route) -> None:
        route.fulfill(json=[*route.fetch().json(), ENTRY])

    def _document(self, route: Route) -> None:
        document = route.fetch().json()
        document["components"]["schemas"] |= SCHEMAS
        route.fulfill(json=document)

    def _answer(self, route: Route, noted: list[Any], answer: dict[str, Any]) -> None:
        noted.append(json.loads(route.request.post_data or ""))
        route.fulfill(json=answer)
