"""What the parts of a request cost, one by one, within this process.

`POST /v1/zrps/roll` is sent through the whole application without a server; then each part of the way is
taken alone. What the whole costs beyond its parts is the edge: headers, look-up, sending.
"""

from collections.abc import Sequence
from typing import Any, Final

from app.http.reading import read
from app.main import create_app
from app.rules import zrps
from app.rules.answer import ANSWERS
from app.rules.dice import SeededDice
from app.rules.resolve import Seeding, resolve
from benchmarks.clock import Call, take_turns
from benchmarks.options import Options
from benchmarks.rolls import ZRPS

ROUNDS: Final = 25
SEED: Final = "demo"


class _Fallen:
    """A die that lies already, so that the rule is timed without the throw."""

    faces: Sequence[int] = ()

    def throw(self, _count: int, _sides: int) -> tuple[int]:
        return (3,)


def measure(_options: Options) -> dict[str, list[float]]:
    """Time the whole and its parts, in seconds."""
    body = ZRPS.body.encode()
    action = zrps.RULESET.actions[0]
    words = zrps.RULESET.catalog["en"]
    request = read(action.request, body)
    outcome = action.throw(action.weigh(request), SeededDice(SEED, "zrps", "roll"))
    answer = resolve(zrps.RULESET, action, request, Seeding(draw=lambda: SEED), "en")
    fallen: Any = _Fallen()
    return take_turns(
        {
            "whole": _through_the_application(body),
            "reading and validating": lambda: read(action.request, body),
            "validating": lambda: action.request.model_validate_json(body),
            "dice": lambda: SeededDice(SEED, "zrps", "roll").throw(1, zrps.SIDES),
            "rule": lambda: action.throw(action.weigh(request), fallen),
            "text": lambda: action.speak(request, outcome, words),
            "serializing": lambda: ANSWERS["zrps", "roll"].serializer.to_json(answer),
        },
        ROUNDS,
    )


def _through_the_application(body: bytes) -> Call:
    """Send the request through the whole application, as uvicorn would."""
    app = create_app()
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-length", b"%d" % len(body))]
    scope = {
        "type": "http",
        "method": ZRPS.method,
        "path": ZRPS.path,
        "raw_path": ZRPS.path.encode(),
        "query_string": b"",
        "headers": [*headers, (b"content-type", b"application/json")],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(_message: Any) -> None: ...

    def call() -> None:
        try:
            app(scope, receive, send).send(None)
        except StopIteration:
            return
        message = "the application waited for something"
        raise RuntimeError(message)

    return call
