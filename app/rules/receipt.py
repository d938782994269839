"""What a receipt says, and whether its roll can be had again. Signing it is for whoever holds a key."""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from app.rules.answer import ANSWERS
from app.rules.catalog import LANGUAGES
from app.rules.fields import ORIGINS, ActionRequest
from app.rules.refusal import Refusal
from app.rules.registry import ACTIONS
from app.rules.resolve import Seeding, resolve
from app.rules.shapes import OneOf

UNSIGNED: Final = frozenset({"text", "label", "odds"})
"""Fields of an answer that a receipt leaves out: words, and what anyone can work out."""
FREE: Final = frozenset({"source", "ref"})
"""Fields that may differ when a roll is had again."""


class Replay(OneOf):
    """Whether a receipt's request, rolled again with its dice, gives its answer."""

    SAME = "same"
    DIFFERENT = "different"
    UNAVAILABLE = "unavailable"


def claims(request: ActionRequest, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Gather what a receipt says of a roll: the request as validated, and the answer's facts."""
    return {
        "ruleset": answer["ruleset"],
        "action": answer["action"],
        "request": request.model_dump(mode="json", exclude_defaults=True),
        "answer": {name: value for name, value in answer.items() if name not in UNSIGNED},
    }


def replay(payload: Mapping[str, Any]) -> Replay:
    """Roll a receipt's request again with the receipt's dice and compare the answers.

    Fields that answers have gained since are ignored.
    """
    signed = payload["answer"]
    ruleset, action = ACTIONS.get((payload["ruleset"], payload["action"]), (None, None))
    if ruleset is None or action is None or signed.get("rules_version") != ruleset.rules_version:
        return Replay.UNAVAILABLE
    dice = {name: signed[name] for name in ("seed", "faces") if signed.get(name)}
    if not dice.get("faces"):
        return Replay.UNAVAILABLE
    if "seed" in dice:
        del dice["faces"]
    situation = {name: value for name, value in payload["request"].items() if name not in ORIGINS}
    try:
        request = action.request.model_validate_json(json.dumps(situation | dice))
        again = resolve(ruleset, action, request, Seeding(draw=str), LANGUAGES[0])
    except (Refusal, ValidationError):
        return Replay.UNAVAILABLE
    fresh = json.loads(ANSWERS[ruleset.id, action.name].serializer.to_json(again))
    holds = all(name in fresh and fresh[name] == value for name, value in signed.items() if name not in FREE)
    return Replay.SAME if holds else Replay.DIFFERENT
