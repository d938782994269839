"""Requests that bring a seed, so that nothing may change their answers."""

from ssl import SSLContext
from typing import Any, Final

from tests.http.wire import ATTACK, CONTEST, ROLL, Wire, as_json, message

FIELDS: Final[dict[str, dict[str, Any]]] = {
    ROLL: {"value": 11, "modifiers": [{"value": -3, "label": "Sand im Auge"}]},
    CONTEST: {"contestants": [{"name": "Mara", "values": [8, 13]}, {"values": [12]}]},
    ATTACK: {"advantage": 1, "effects": ["exposed", "nimble"], "damage": 5, "armor": 1},
}
REQUESTS: Final = [
    message("POST", f"{path}?lang={language}", body=as_json({**fields, "seed": seed}))
    for seed in ("demo", 42, "Würfel 🎲", "s" * 128)
    for language in ("en", "de")
    for path, fields in FIELDS.items()
]


def contents(port: int, requests: list[bytes], tls: SSLContext | None = None) -> dict[bytes, bytes]:
    """Ask everything on one connection, in the order given."""
    found = {}
    with Wire(port, tls) as wire:
        for request in requests:
            answer = wire.ask(request)
            assert answer.status_code == 200
            found[request] = answer.content
    return found
