"""What Wurf is measured against in Python: as little as there can be, and what one would ordinarily write."""

import os
from secrets import token_hex
from typing import Any, Final

from fastapi import FastAPI
from pydantic import ConfigDict

from app.http.call import Receive, Scope, Send
from app.rules import zrps
from app.rules.answer import ANSWER_TYPES
from app.rules.resolve import Seeding, resolve

ROLL: Final = zrps.RULESET.actions[0]
SEEDING: Final = Seeding(draw=lambda: token_hex(16))
ANSWER: Final = b"x" * int(os.environ.get("BARE_BYTES", "0"))
BARE_HEADERS: Final = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]


async def bare(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body and send fixed bytes: what uvicorn itself can do."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body", False):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": BARE_HEADERS})
    await send({"type": "http.response.body", "body": ANSWER})


class OrdinaryRoll(zrps.ZrpsRoll):
    """The same model as Wurf's, but FastAPI hands it parsed JSON, whose lists a strict tuple refuses."""

    model_config = ConfigDict(strict=False)


ordinary = FastAPI()
"""The same models and the same rule behind a route of FastAPI, without anything else that Wurf does."""


@ordinary.post("/v1/zrps/roll", response_model=ANSWER_TYPES["zrps", "roll"])
async def roll(request: OrdinaryRoll) -> Any:
    """Resolve a test."""
    return resolve(zrps.RULESET, ROLL, request, SEEDING, "en")
