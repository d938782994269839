"""What the service is asked while it is measured."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from app.rules.fields import ORIGINS
from app.rules.registry import RULESETS


class Request(NamedTuple):
    """One HTTP request."""

    path: str
    body: str = ""
    method: str = "POST"


def post(path: str, content: Mapping[str, Any]) -> Request:
    """Make a request with JSON in its body."""
    return Request(path, json.dumps(content, ensure_ascii=False, separators=(",", ":")))


LABELED: Final = {"value": -3, "label": "Sand im Auge"}
ROLL: Final = {"value": 11, "modifiers": [LABELED], "seed": "demo"}
ZRPS: Final = post("/v1/zrps/roll", ROLL)
V20: Final = post("/v1/v20/roll", {"pool": 8, "difficulty": 6})


def with_modifiers(count: int) -> Request:
    """Roll with so many labeled modifiers."""
    return post("/v1/zrps/roll", ROLL | {"modifiers": [LABELED] * count})


def with_pool(dice: int) -> Request:
    """Roll so many dice."""
    return post("/v1/v20/roll", {"pool": dice, "difficulty": 6})


def batch(items: int) -> Request:
    """Roll so often in one request."""
    request = {"value": 11, "modifiers": [LABELED]}
    item = {"ruleset": "zrps", "action": "roll", "request": request}
    return post("/v1/batch", {"seed": "b", "items": [item] * items})


def dear_pools() -> list[Request]:
    """Ask the odds of the dearest pools, in more ways than the service remembers."""
    return [
        post(
            "/v1/v20/roll/odds",
            {
                "pool": 100,
                "difficulty": difficulty,
                "required": required,
                "specialty": {"trait": 4, "tens": "reroll", "new_ones": new_ones},
            },
        )
        for difficulty in (2, 3)
        for new_ones in ("ignore", "cancel")
        for required in range(1, 101)
    ]


def dear_extended_rolls() -> list[Request]:
    """Ask the odds of the dearest extended rolls, in more ways than the service remembers."""
    return [
        post("/v1/scorekeeper/extended/odds", {"attribute": 12, "target_effect": target, "max_rolls": 100})
        for target in range(1000, 1400)
    ]


def mixed() -> list[Request]:
    """Mix everything that the service is asked: rolls, odds, the catalog, and what it must turn down."""
    requests = [*_every_action(), *dear_pools()[:1], *dear_extended_rolls()[:1]]
    requests += [Request(path, method="GET") for path in ("/v1/rulesets", "/v1/info", "/livez", "/nowhere")]
    requests += [post("/v1/zrps/roll", {"value": value}) for value in range(-1000, 1000)]
    requests += [post("/v1/zrps/roll", {"value": "11", f"field {field}": None}) for field in range(200)]
    requests += [
        post("/v1/pathfinder2e/roll/odds", {"dc": dc, "attribute_modifier": bonus})
        for dc in range(10, 40)
        for bonus in range(10)
    ]
    requests += [Request("/v1/zrps/roll", '{"value":' * depth) for depth in range(1, 50)]
    return requests


def _every_action() -> Iterator[Request]:
    for ruleset in RULESETS:
        router = import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router
        for action in ruleset.actions:
            for example in router.examples[action.name]:
                path = f"/v1/{ruleset.id}/{action.name}"
                asked = post(path, example.request)
                yield from (asked, Request(f"{path}?lang=de&request={quote(asked.body)}", method="GET"))
                drawn = {name: value for name, value in example.request.items() if name not in ORIGINS}
                yield from [post(path, drawn)] * 50
