"""Three Marks: where a refusal points, what the answer says about its die, and the preview of the faces."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from app.rules.dice import GivenDice
from app.rules.odds import odds
from app.rules.refusal import Refusal
from app.rules.resolve import Seeding, resolve
from app.rules.three_marks import RULESET, ThreeMarksEffect

(ROLL,) = RULESET.actions
SEEDING = Seeding(draw=lambda: "drawn")


def read(request: dict[str, Any]) -> Any:
    return ROLL.request.model_validate_json(json.dumps(request))


def answer(request: dict[str, Any], language: str = "en") -> dict[str, Any]:
    return resolve(RULESET, ROLL, read(request), SEEDING, language)


@pytest.mark.parametrize(
    ("request_", "code", "pointer"),
    [
        ({}, "advantage_or_accuracy", "/advantage"),
        ({"defense_value": 1}, "advantage_or_accuracy", "/accuracy"),
        ({"accuracy": 1}, "advantage_or_accuracy", "/defense_value"),
        ({"advantage": 1, "accuracy": 1}, "advantage_or_accuracy", "/accuracy"),
        ({"advantage": 1, "defense_value": 1}, "advantage_or_accuracy", "/defense_value"),
        ({"advantage": 1, "accuracy": 1, "defense_value": 1}, "advantage_or_accuracy", "/accuracy"),
        ({"advantage": 1, "effects": ["stand_firm"]}, "effect_needs_defense", "/defense"),
        ({"advantage": 1, "damage": 1, "scars": 1}, "damage_or_scars", "/scars"),
    ],
)
def test_a_refusal_points_at_the_field_to_change(request_: dict[str, Any], code: str, pointer: str) -> None:
    with pytest.raises(Refusal) as refused:
        answer(request_)
    assert (refused.value.code, refused.value.pointer) == (code, pointer)


def test_all_effects_can_be_in_force_and_each_only_once() -> None:
    effects = [effect.value for effect in ThreeMarksEffect]
    request = {"advantage": 0, "defense": "cover", "faces": [6]}
    assert [use.effect for use in answer({**request, "effects": effects})["effects"]] == effects
    with pytest.raises(ValidationError) as refused:
        read({**request, "effects": [*effects, effects[0]]})
    assert [error["type"] for error in refused.value.errors()] == ["too_long"]
    with pytest.raises(ValidationError) as refused:
        read({**request, "effects": ["exposed", "wall", "exposed"]})
    assert [(error["type"], error["loc"]) for error in refused.value.errors()] == [
        ("duplicate", ("effects",))
    ]


def test_one_d6_is_thrown() -> None:
    got = answer({"advantage": 0, "seed": "Elf Würfel"})
    assert (got["sides"], got["faces"], got["rules_version"]) == (6, [got["roll"]], 1)
    with pytest.raises(Refusal) as refused:
        answer({"advantage": 0, "faces": []})
    assert refused.value.facts == {"given": 0, "needed": 1, "sides": 6}


@pytest.mark.parametrize(("advantage", "written"), [(-1, "−1"), (0, "0"), (1, "+1")])
def test_an_advantage_is_written_with_its_sign(advantage: int, written: str) -> None:
    got = answer({"advantage": advantage, "faces": [1]}, "de")
    assert got["text"].startswith(f"Wurf 1 bei Vorteil {written}: ")


@pytest.mark.parametrize("damage", [None, 5])
def test_the_preview_says_what_each_face_would_do(damage: int | None) -> None:
    asked = {"advantage": 1, "effects": ["wall"], "armor": 2, "damage": damage}
    got = odds(RULESET, ROLL, read(asked), exact=True)
    rolled = ["graze", "graze", "hit", "hit", "hit", "critical"]
    outcomes = ["miss", "miss", "graze", "graze", "graze", "hit"]
    dealt = [None] * 6 if damage is None else [0, 0, 0, 0, 0, 3]
    assert got["by_face"] == [
        {"face": face, "rolled": before, "outcome": after, "damage": taken}
        for face, before, after, taken in zip(range(1, 7), rolled, outcomes, dealt, strict=True)
    ]
    assert got["quantity"] == (None if damage is None else "damage")
    assert [row["value"] for row in got["distribution"]] == ([] if damage is None else [0, 3])


def test_an_attack_reads_the_die_that_fell() -> None:
    weighed = ROLL.weigh(read({"advantage": 2}))
    assert [ROLL.throw(weighed, GivenDice((face,), 6)).roll for face in range(1, 7)] == [1, 2, 3, 4, 5, 6]
