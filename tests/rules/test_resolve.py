"""From a request to an answer, without HTTP."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pydantic import ValidationError

from app.rules import scorekeeper, zrps
from app.rules.answer import answer_type
from app.rules.catalog import Spoken
from app.rules.dice import keyed_seed
from app.rules.fields import ORIGINS, ActionRequest, DiceRequest
from app.rules.refusal import Refusal
from app.rules.resolve import AnswerOf, Attempt, Seeding, Shelf, refuse_two_origins, resolve
from app.rules.ruleset import Action, Ruleset

ZRPS = zrps.RULESET
SECRET = "s" * 32


def rolled(request: dict[str, Any], seeding: Seeding) -> dict[str, Any]:
    action = ZRPS.actions[0]
    return resolve(ZRPS, action, action.request.model_validate_json(json.dumps(request)), seeding, "en")


def test_without_a_seed_one_is_drawn_once_and_returned() -> None:
    draws = iter(["drawn"])
    answer = rolled({"value": 11}, Seeding(draw=lambda: next(draws)))
    assert (answer["seed"], answer["source"]) == ("drawn", "server_seed")
    assert rolled({"value": 11, "seed": "drawn"}, Seeding(draw=lambda: "other"))["faces"] == answer["faces"]


def test_a_nonce_gives_the_seed_of_the_secret() -> None:
    answer = rolled({"value": 11, "nonce": "round 1"}, Seeding(draw=lambda: "", nonce_secret=SECRET))
    assert (answer["seed"], answer["source"]) == (keyed_seed(SECRET, "round 1"), "server_keyed")


@pytest.mark.parametrize(
    ("origins", "pointer"),
    [
        ({"seed": "a", "nonce": "b"}, "/nonce"),
        ({"seed": "a", "faces": [3]}, "/faces"),
        ({"nonce": "b", "faces": [3]}, "/faces"),
        ({"seed": "a", "nonce": "b", "faces": [3]}, "/nonce"),
    ],
)
def test_two_origins_of_faces_are_refused_at_the_second(origins: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Refusal) as refused:
        rolled({"value": 11, **origins}, Seeding(draw=lambda: ""))
    assert (refused.value.code, refused.value.pointer) == ("seed_and_faces", pointer)


@pytest.mark.parametrize("origins", [{}, {"seed": "a"}, {"nonce": "b"}, {"faces": [3]}])
def test_one_origin_or_none_is_no_conflict(origins: dict[str, Any]) -> None:
    refuse_two_origins(DiceRequest.model_validate_json(json.dumps(origins)), ORIGINS)


def _telling(told: list[int]) -> AnswerOf:
    """Make a test of ZRPS that notes each die that it puts into words."""
    test = ZRPS.actions[0]

    def speak(request: Any, outcome: Any, words: Any) -> Spoken:
        told.append(outcome.roll)
        return test.speak(request, outcome, words)

    return ZRPS, replace(test, speak=speak), "en"


@pytest.mark.parametrize(("room", "told"), [(0, 40), (2, 22), (20, 4)])
def test_an_attempt_tells_what_falls_alike_as_often_as_it_keeps_no_answer(room: int, told: int) -> None:
    spoken: list[int] = []
    shelf = Shelf()
    shelf.left = room
    attempt = Attempt(_telling(spoken), zrps.ZrpsRoll(value=11, ref="goblin"), shelf)
    seeds = ["a", "b", "c", "d"] * 10
    seeding = Seeding(draw=iter(seeds).__next__)
    answers = [attempt.resolve(f"goblin {number}", seeding) for number in range(len(seeds))]
    assert len({answer["roll"] for answer in answers}) == 4
    assert len(spoken) == told
    assert [answer["seed"] for answer in answers] == seeds
    assert [answer["ref"] for answer in answers] == [f"goblin {number}" for number in range(len(seeds))]


def test_of_ten_kinds_every_face_of_a_d20_is_told_once_and_of_an_eleventh_each_time() -> None:
    told: list[int] = []
    of = _telling(told)
    shelf = Shelf()
    kinds = [Attempt(of, zrps.ZrpsRoll(value=value), shelf) for value in range(11)]
    seeds = [str(number) for number in range(300)]
    for kind in kinds:
        seeding = Seeding(draw=iter(seeds).__next__)
        faces = {kind.resolve(None, seeding)["roll"] for _ in seeds}
        assert faces == set(range(1, 21))
    assert len(told) == 10 * 20 + len(seeds)


def test_faces_where_none_is_thrown_are_too_many_of_that_die() -> None:
    action = scorekeeper.RULESET.actions[0]
    request = action.request.model_validate_json('{"attribute": 12, "take_ten": true, "faces": [3]}')
    with pytest.raises(Refusal) as refused:
        resolve(scorekeeper.RULESET, action, request, Seeding(draw=lambda: ""), "en")
    assert refused.value.facts == {"given": 1, "needed": 0, "sides": 20}


@pytest.mark.parametrize("seed", [2**53, -(2**53), True, 1.5, "", "x" * 129, "tab\t", "\x85"])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        rolled({"value": 11, "seed": seed}, Seeding(draw=lambda: ""))
    assert [error["loc"] for error in refused.value.errors()] == [("seed",)]


@pytest.mark.parametrize("seed", [2**53 - 1, -(2**53 - 1), 0, "x" * 128, "ä 🎲"])
def test_a_seed_is_the_text_it_is(seed: Any) -> None:
    answer = rolled({"value": 11, "seed": seed}, Seeding(draw=lambda: ""))
    assert answer["seed"] == str(seed)


@dataclass(frozen=True)
class _Nothing:
    outcome: None = None
    success: None = None


@pytest.mark.parametrize("origin", [{"seed": "a"}, {"faces": []}, {}])
def test_where_no_die_is_thrown_there_is_no_seed(origin: dict[str, Any]) -> None:
    action: Action[Any, Any, Any] = Action(
        name="wait",
        request=DiceRequest,
        outcome=_Nothing,
        outcomes=None,
        sides=6,
        weigh=lambda _: None,
        throw=lambda _situation, _dice: _Nothing(),
        speak=lambda _request, _outcome, _words: (None, "nothing"),
    )
    ruleset = Ruleset(
        id="test", rules_version=1, actions=(action,), catalog=ZRPS.catalog, display=ZRPS.display
    )
    answer = resolve(
        ruleset, action, DiceRequest.model_validate_json(json.dumps(origin)), Seeding(draw=lambda: "d"), "en"
    )
    assert answer["source"] == "no_dice"
    assert (answer["seed"], answer["stream"], answer["faces"], answer["sides"]) == (None, None, [], 6)


@dataclass(frozen=True)
class _Doubled:
    result: int


def test_an_action_without_dice_answers_without_them() -> None:
    action: Action[Any, Any, Any] = Action(
        name="double",
        request=ActionRequest,
        outcome=_Doubled,
        outcomes=None,
        sides=None,
        weigh=lambda _: 21,
        throw=lambda number, _: _Doubled(2 * number),
        speak=lambda _request, outcome, _words: (None, f"{outcome.result}"),
    )
    ruleset = Ruleset(
        id="test", rules_version=3, actions=(action,), catalog=ZRPS.catalog, display=ZRPS.display
    )
    answer = resolve(ruleset, action, ActionRequest(ref="r"), Seeding(draw=lambda: ""), "de")
    assert answer == {
        "ruleset": "test",
        "action": "double",
        "rules_version": 3,
        "ref": "r",
        "text": "42",
        "result": 42,
    }
    assert list(answer_type(ruleset, action).__annotations__) == [*answer, "receipt"]
