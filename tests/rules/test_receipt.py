"""What a receipt says, and whether its roll can be had again."""

import json
from typing import Any

import pytest

from app.rules.answer import ANSWERS
from app.rules.receipt import ACTIONS, Replay, claims, replay
from app.rules.resolve import Seeding, resolve


def payload() -> dict[str, Any]:
    return {
        "ruleset": "zrps",
        "action": "roll",
        "request": {"value": 11, "seed": "x"},
        "answer": {"ruleset": "zrps", "action": "roll", "rules_version": 1, "faces": [17], "seed": "x"},
    }


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "same"),
        ({"answer": {"faces": [18]}}, "different"),
        ({"answer": {"outcome": "success"}}, "different"),
        ({"answer": {"no_such_field": 1}}, "different"),
        ({"answer": {"source": "server_keyed", "ref": "other"}}, "same"),
        ({"answer": {"rules_version": 2}}, "unavailable"),
        ({"answer": {"rules_version": None}}, "unavailable"),
        ({"answer": {"faces": []}}, "unavailable"),
        ({"answer": {"faces": None}}, "unavailable"),
        ({"answer": {"seed": 1.5}}, "unavailable"),
        ({"ruleset": "nope"}, "unavailable"),
        ({"action": "nope"}, "unavailable"),
        ({"request": {"value": "x"}}, "unavailable"),
        ({"request": {"foo": 1}}, "unavailable"),
        ({"answer": {"seed": None}}, "same"),
        ({"answer": {"seed": None, "faces": [17, 18]}}, "unavailable"),
        ({"request": {"seed": "another", "nonce": "n"}}, "same"),
    ],
)
def test_a_receipt_is_rolled_again(changes: dict[str, Any], word: str) -> None:
    said = payload()
    for name, change in changes.items():
        said[name] = said[name] | change if isinstance(change, dict) else change
    assert replay(said) == word


def test_an_action_without_dice_cannot_be_rolled_again() -> None:
    said = {
        "ruleset": "pathfinder2e",
        "action": "amount",
        "request": {"value": 7},
        "answer": {"rules_version": 1},
    }
    assert replay(said) is Replay.UNAVAILABLE


@pytest.mark.parametrize("origin", [{"seed": 42}, {"faces": [8]}])
def test_a_receipt_says_the_request_as_validated_and_the_facts_of_the_answer(origin: dict[str, Any]) -> None:
    ruleset, action = ACTIONS["zrps", "roll"]
    sent = {"value": 11, "modifiers": [{"value": -3, "label": None}], "ref": None, **origin}
    request = action.request.model_validate_json(json.dumps(sent))
    answer = resolve(ruleset, action, request, Seeding(draw=str), "de")
    written = json.loads(ANSWERS["zrps", "roll"].serializer.to_json(answer))
    said = claims(request, written | {"odds": {}})
    kept = {"seed": "42"} if "seed" in origin else origin
    assert said["request"] == {"value": 11, "modifiers": [{"value": -3}], **kept}
    assert said["answer"] == {name: written[name] for name in written if name not in {"text", "label"}}
    assert replay(said) is Replay.SAME
