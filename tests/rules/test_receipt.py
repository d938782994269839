"""What a receipt says, and when its roll can be had again."""

import json
from typing import Any

import pytest

from app.rules.answer import ANSWERS
from app.rules.receipt import Replay, claims, replay
from app.rules.registry import ACTIONS
from app.rules.resolve import Seeding, resolve

ROLL = {"value": 11, "modifiers": [{"value": -3}], "ref": "round 1"}


def receipt(request: dict[str, Any], ruleset: str = "zrps", action: str = "roll") -> dict[str, Any]:
    """Roll, and write down what a receipt says, as it comes back over the wire."""
    rules, asked = ACTIONS[ruleset, action]
    read = asked.request.model_validate_json(json.dumps(request))
    answer = resolve(rules, asked, read, Seeding(draw=lambda: "drawn"), "de")
    sent = json.loads(ANSWERS[ruleset, action].serializer.to_json(answer))
    said: dict[str, Any] = json.loads(json.dumps(claims(read, sent)))
    return said


def test_a_receipt_holds_the_request_and_the_facts_of_the_answer() -> None:
    said = receipt({**ROLL, "faces": [8]})
    assert (said["ruleset"], said["action"]) == ("zrps", "roll")
    assert said["request"] == {**ROLL, "faces": [8]}
    assert said["answer"].keys().isdisjoint({"text", "label", "odds"})
    assert (said["answer"]["faces"], said["answer"]["outcome"]) == ([8], "success")


@pytest.mark.parametrize("origin", [{"faces": [8]}, {"seed": "a"}, {}])
def test_the_same_dice_give_the_same_answer(origin: dict[str, Any]) -> None:
    assert replay(receipt({**ROLL, **origin})) is Replay.SAME


def test_where_the_faces_come_from_and_the_reference_may_differ() -> None:
    said = receipt(ROLL)
    said["answer"] |= {"source": "client_seed", "ref": "another"}
    assert replay(said) is Replay.SAME


@pytest.mark.parametrize(
    "change",
    [{"roll": 9}, {"grade": 1}, {"outcome": "draw"}, {"lost_field": 1}, {"faces": [9]}],
    ids=lambda change: next(iter(change)),
)
def test_another_answer_is_different(change: dict[str, Any]) -> None:
    said = receipt({**ROLL, "seed": "a"})
    said["answer"] |= change
    assert replay(said) is Replay.DIFFERENT


def test_a_field_that_answers_have_gained_since_is_ignored() -> None:
    said = receipt({**ROLL, "faces": [8]})
    del said["answer"]["grade"]
    assert replay(said) is Replay.SAME


@pytest.mark.parametrize("change", [{"ruleset": "gone"}, {"action": "gone"}, {"request": {"value": "x"}}])
def test_what_the_service_does_not_know_any_more_is_unavailable(change: dict[str, Any]) -> None:
    assert replay(receipt({**ROLL, "faces": [8]}) | change) is Replay.UNAVAILABLE


@pytest.mark.parametrize("version", [0, 2, None])
def test_another_version_of_the_rules_is_unavailable(version: int | None) -> None:
    said = receipt({**ROLL, "faces": [8]})
    said["answer"]["rules_version"] = version
    assert replay(said) is Replay.UNAVAILABLE


def test_dice_that_the_rule_does_not_take_are_unavailable() -> None:
    said = receipt({**ROLL, "faces": [8]})
    said["answer"]["faces"] = [8, 9]
    assert replay(said) is Replay.UNAVAILABLE


def test_a_roll_without_dice_is_unavailable() -> None:
    amount = receipt({"value": 7}, "pathfinder2e", "amount")
    assert replay(amount) is Replay.UNAVAILABLE
    taken = receipt({"attribute": 12, "take_ten": True}, "scorekeeper", "roll")
    assert taken["answer"]["faces"] == []
    assert replay(taken) is Replay.UNAVAILABLE


def a_payload() -> dict[str, Any]:
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
    said = a_payload()
    for name, change in changes.items():
        said[name] = said[name] | change if isinstance(change, dict) else change
    assert replay(said) == word
