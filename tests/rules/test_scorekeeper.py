"""Scorekeeper: the worked cases, and what holds for every request."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.rules.refusal import Refusal
from app.rules.resolve import Seeding, resolve
from app.rules.scorekeeper import RULESET

CASES: Final = json.loads(
    (Path(__file__).parents[1] / "cases" / "scorekeeper.json").read_text(encoding="utf-8")
)
ACTIONS: Final = {action.name: action for action in RULESET.actions}
SEEDING: Final = Seeding(draw=lambda: "a seed")


def answer(action: str, request: dict[str, Any], language: str = "en") -> dict[str, Any]:
    """Resolve a request as it comes over the wire."""
    parsed = ACTIONS[action].request.model_validate_json(json.dumps(request))
    resolved = resolve(RULESET, ACTIONS[action], parsed, SEEDING, language)
    plain: dict[str, Any] = json.loads(TypeAdapter(Any).dump_json(resolved))
    return plain


def refusal(action: str, request: dict[str, Any]) -> Refusal:
    """Resolve a request that a rule turns down."""
    with pytest.raises(Refusal) as refused:
        answer(action, request)
    return refused.value


def assert_holds(expected: object, found: object) -> None:
    """Compare as a subset, lists element by element, as the cases mean it."""
    if isinstance(expected, dict):
        assert isinstance(found, dict)
        for key, value in expected.items():
            assert_holds(value, found[key])
    elif isinstance(expected, list):
        assert isinstance(found, list)
        assert len(expected) == len(found)
        for element, other in zip(expected, found, strict=True):
            assert_holds(element, other)
    else:
        assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_worked_cases_hold(case: dict[str, Any]) -> None:
    expected = case["expect"]
    if "status" not in expected:
        assert_holds(expected, answer(case["action"], case["request"]))
    elif expected["code"] == "validation":
        with pytest.raises(ValidationError):
            answer(case["action"], case["request"])
    else:
        assert refusal(case["action"], case["request"]).code == expected["code"]


@pytest.mark.parametrize(
    ("action", "asked", "code", "pointer"),
    [
        ("roll", {"attribute": 8, "academic": True}, "academic_untrained", "/skill"),
        (
            "roll",
            {"attribute": 8, "skill": 1, "academic": True, "helpers": [{"skill": 3}, {"skill": 2}]},
            "helper_untrained",
            "/helpers/1/skill",
        ),
        ("roll", {"attribute": 8, "take_ten": True, "handicap": 1}, "take_ten_with_handicap", "/take_ten"),
        ("roll", {"attribute": 8, "take_ten": True, "attack": True}, "take_ten_in_attack", "/attack"),
        (
            "contest",
            {"contestants": [{"attribute": 8}, {"attribute": 8, "academic": True}]},
            "academic_untrained",
            "/contestants/1/skill",
        ),
        (
            "contest",
            {"contestants": [{"attribute": 8, "skill": 1, "academic": True, "helpers": [{}]}] * 2},
            "helper_untrained",
            "/contestants/0/helpers/0/skill",
        ),
        ("extended", {"attribute": 8, "academic": True, "target_effect": 5}, "academic_untrained", "/skill"),
        (
            "extended",
            {"attribute": 8, "target_effect": 5, "accumulated": 5},
            "already_reached",
            "/accumulated",
        ),
    ],
)
def test_a_refusal_points_at_the_field_to_change(
    action: str, asked: dict[str, Any], code: str, pointer: str
) -> None:
    refused = refusal(action, asked)
    assert (refused.code, refused.pointer) == (code, pointer)


def test_every_refusal_has_its_words_in_each_language() -> None:
    codes = {case["expect"]["code"] for case in CASES if "code" in case["expect"]}
    own = codes - {"validation", "faces_count", "seed_and_faces"}
    assert {language: set(words.refusals) for language, words in RULESET.catalog.items()} == {
        "en": own,
        "de": own,
    }


def test_take_ten_needs_no_face_and_says_so() -> None:
    refused = refusal("roll", {"attribute": 12, "take_ten": True, "faces": [10, 11]})
    assert (refused.code, refused.pointer) == ("faces_count", "/faces")
    assert refused.facts == {"given": 2, "needed": 0, "sides": 20}


def test_an_extended_roll_says_how_many_faces_it_is_known_to_need() -> None:
    refused = refusal("extended", {"attribute": 15, "target_effect": 30, "faces": [8, 9]})
    assert refused.facts == {"given": 2, "needed": 3, "sides": 20}


@pytest.mark.parametrize(
    ("action", "asked", "english", "german"),
    [
        (
            "roll",
            {
                "attribute": 7,
                "skill": 7,
                "modifiers": [{"value": -2, "label": "weit"}],
                "helpers": [{}],
                "faces": [10],
            },
            (
                "Rolled 10 against action value 14 (7 + 7 − 2 weit + 2 help): Success, effect 4 (14 − 10). "
                "Nothing brilliant, but safely done."
            ),
            (
                "Wurf 10 gegen Aktionswert 14 (7 + 7 − 2 weit + 2 Unterstützung): "
                "Erfolg, Effekt 4 (14 − 10). Keine Glanzleistung, aber sicher vollbracht."
            ),
        ),
        (
            "roll",
            {"attribute": 15, "handicap": 5, "faces": [9]},
            (
                "Rolled 9 against action value 15, lowered by 5 to 10: Success, effect 11 (15 − 9 + 5). "
                "The work of a professional."
            ),
            (
                "Wurf 9 gegen Aktionswert 15, um 5 erschwert auf 10: Erfolg, Effekt 11 (15 − 9 + 5). "
                "Das Werk eines Profis."
            ),
        ),
        (
            "roll",
            {"attribute": 12, "take_ten": True},
            (
                "Take Ten against action value 12: Success, effect 2 (12 − 10). "
                "Nothing brilliant, but safely done."
            ),
            (
                "Take Ten gegen Aktionswert 12: Erfolg, Effekt 2 (12 − 10). "
                "Keine Glanzleistung, aber sicher vollbracht."
            ),
        ),
        (
            "roll",
            {"attribute": -5, "modifiers": [{"value": -7}], "faces": [1]},
            (
                "Rolled 1 against action value −12 (−5 − 7): Outstanding success, "
                "effect 0 (−12 − 1 + 10, at least 0). Made it by a hair."
            ),
            (
                "Wurf 1 gegen Aktionswert −12 (−5 − 7): Herausragender Erfolg, "
                "Effekt 0 (−12 − 1 + 10, mindestens 0). Haarscharf geschafft."
            ),
        ),
        (
            "roll",
            {"attribute": 12, "attack": True, "faces": [1]},
            (
                "Rolled 1 against action value 12: Outstanding success, effect 21 (12 − 1 + 10). "
                "Parry only, damage + 10."
            ),
            (
                "Wurf 1 gegen Aktionswert 12: Herausragender Erfolg, Effekt 21 (12 − 1 + 10). "
                "Nur Parade, Schaden + 10."
            ),
        ),
        (
            "roll",
            {"attribute": 12, "attack": True, "faces": [2]},
            "Rolled 2 against action value 12: Success, effect 10 (12 − 2). Very good result.",
            "Wurf 2 gegen Aktionswert 12: Erfolg, Effekt 10 (12 − 2). Sehr gutes Ergebnis.",
        ),
        (
            "roll",
            {"attribute": 26, "faces": [20]},
            "Rolled 20 against action value 26: Fumble.",
            "Wurf 20 gegen Aktionswert 26: Patzer.",
        ),
        (
            "contest",
            {"contestants": [{"attribute": 14, "name": "Olaf"}, {"attribute": 11}], "faces": [8, 10]},
            (
                "Olaf: 8 against 14, effect 6 (14 − 8); Second side: 10 against 11, effect 1 (11 − 10). "
                "Olaf wins."
            ),
            (
                "Olaf: 8 gegen 14, Effekt 6 (14 − 8); Zweite Seite: 10 gegen 11, Effekt 1 (11 − 10). "
                "Olaf gewinnt."
            ),
        ),
        (
            "contest",
            {
                "contestants": [{"attribute": 14, "name": "Olaf", "handicap": 5}, {"attribute": 11}],
                "faces": [10, 1],
            },
            (
                "Olaf: 10 against 9 (14 − 5), Failure; Second side: 1 against 11, effect 20 (11 − 1 + 10). "
                "Second side wins."
            ),
            (
                "Olaf: 10 gegen 9 (14 − 5), Fehlschlag; Zweite Seite: 1 gegen 11, Effekt 20 (11 − 1 + 10). "
                "Zweite Seite gewinnt."
            ),
        ),
        (
            "contest",
            {"contestants": [{"attribute": 5, "name": "A"}, {"attribute": 5, "name": "B"}], "faces": [9, 20]},
            "A: 9 against 5, Failure; B: 20 against 5, Fumble. Nobody wins.",
            "A: 9 gegen 5, Fehlschlag; B: 20 gegen 5, Patzer. Keine Seite gewinnt.",
        ),
        (
            "extended",
            {"attribute": 8, "skill": 7, "target_effect": 10, "faces": [8, 16, 10]},
            "Against action value 15 (8 + 7): 0 → 7 → 7 → 12 of 10 after roll 3. Total reached.",
            "Gegen Aktionswert 15 (8 + 7): 0 → 7 → 7 → 12 von 10 nach Wurf 3. Gesamteffekt erreicht.",
        ),
        (
            "extended",
            {
                "attribute": 15,
                "target_effect": 100,
                "accumulated": 3,
                "max_rolls": 7,
                "faces": [14, 13, 12, 11, 20, 10, 9],
            },
            (
                "Against action value 15: 3 → … → 6 → 9 → 13 → 0 → 5 → 11 of 100 after roll 7. "
                "Total not reached."
            ),
            (
                "Gegen Aktionswert 15: 3 → … → 6 → 9 → 13 → 0 → 5 → 11 von 100 nach Wurf 7. "
                "Gesamteffekt nicht erreicht."
            ),
        ),
    ],
)
def test_the_text_shows_the_arithmetic(action: str, asked: dict[str, Any], english: str, german: str) -> None:
    assert answer(action, asked)["text"] == english
    assert answer(action, asked, "de")["text"] == german


@pytest.mark.parametrize(
    ("attribute", "effect"),
    [(-8, "1 (−8 − 1 + 10)"), (-9, "0 (−9 − 1 + 10)"), (-10, "0 (−10 − 1 + 10, mindestens 0)")],
)
def test_only_an_effect_that_would_be_below_0_is_said_to_be_raised(attribute: int, effect: str) -> None:
    said = answer("roll", {"attribute": attribute, "faces": [1]}, "de")["text"]
    assert f", Effekt {effect}. " in said


def test_an_extended_roll_leaves_totals_out_from_the_seventh_roll_on() -> None:
    request = {"attribute": 15, "target_effect": 12, "faces": [14, 14, 14, 14, 14, 8]}
    told = answer("extended", request, "de")
    assert "0 → 1 → 2 → 3 → 4 → 5 → 12 von 12 nach Wurf 6." in told["text"]
    told = answer("extended", request | {"faces": [14, 14, 14, 14, 14, 14, 8]}, "de")
    assert "0 → … → 2 → 3 → 4 → 5 → 6 → 13 von 12 nach Wurf 7." in told["text"]


def test_a_contest_is_labeled_by_its_outcome_and_told_by_name() -> None:
    request = {"contestants": [{"attribute": 5}, {"attribute": 9, "name": "Olaf"}], "faces": [6, 9]}
    told = answer("contest", request, "de")
    assert told["label"] == "Zweite Seite gewinnt"
    assert told["text"].endswith(" Olaf gewinnt.")


def test_a_contest_without_labels_stays_under_one_kibibyte() -> None:
    side = {"attribute": -1000, "modifiers": [{"value": -1000}] * 5, "helpers": [{}, {}], "handicap": 10}
    told = answer("contest", {"contestants": [side, side], "seed": "x" * 128}, "de")
    assert len(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()) < 1024


values = st.integers(-1000, 1000) | st.integers(-20, 30)
faces = st.integers(1, 20)
labels = st.none() | st.text(max_size=100) | st.sampled_from(["W" * 100, "{roll}", "%s", "zwei\nZeilen"])
modifiers = st.lists(st.fixed_dictionaries({"value": values, "label": labels}), max_size=5) | st.lists(
    st.fixed_dictionaries({"value": st.sampled_from([-1000, 1000])}), min_size=50, max_size=50
)
helpers = st.lists(
    st.fixed_dictionaries({"skill": st.none() | st.integers(0, 1000), "label": labels}), max_size=2
)
attempts = st.fixed_dictionaries(
    {
        "attribute": values,
        "skill": st.integers(0, 20) | st.integers(0, 1000),
        "modifiers": modifiers,
        "handicap": st.integers(0, 10),
    }
)
helped = st.tuples(attempts, helpers).map(lambda parts: {**parts[0], "helpers": parts[1]})
rolls = st.tuples(helped, st.booleans()).map(lambda parts: {**parts[0], "attack": parts[1]})
calm_rolls = helped.map(lambda attempt: {**attempt, "handicap": 0, "take_ten": True})
sides = st.tuples(helped, labels).map(lambda parts: {**parts[0], "name": parts[1]})
contests = st.lists(sides, min_size=2, max_size=2).map(lambda both: {"contestants": both})
gatherings = st.integers(1, 10_000).flatmap(
    lambda target: st.fixed_dictionaries(
        {
            "target_effect": st.just(target),
            "accumulated": st.integers(0, target - 1),
            "max_rolls": st.integers(1, 100),
            "on_fumble": st.sampled_from(["lose_all", "lose_nothing"]),
        }
    )
)
extended_rolls = st.tuples(attempts, gatherings).map(lambda parts: parts[0] | parts[1])
requests = st.one_of(
    st.tuples(st.just("roll"), rolls),
    st.tuples(st.just("roll"), calm_rolls),
    st.tuples(st.just("contest"), contests),
    st.tuples(st.just("extended"), extended_rolls),
)
seeds = st.integers(0, 10_000)


@settings(deadline=None)
@given(asked=requests, seed=seeds, language=st.sampled_from(["en", "de"]))
def test_a_text_fits_into_200_characters_of_one_line(
    asked: tuple[str, dict[str, Any]], seed: int, language: str
) -> None:
    text = answer(asked[0], asked[1] | {"seed": seed}, language)["text"]
    assert len(text) <= 200
    assert text.splitlines() == [text]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("face", [1, 2, 20])
@pytest.mark.parametrize("value", [-1000, 1000])
def test_the_longest_numbers_fit_into_200_characters(value: int, face: int, language: str) -> None:
    attempt = {
        "attribute": value,
        "skill": 1000,
        "modifiers": [{"value": value, "label": "W" * 100}] * 50,
        "helpers": [{"label": "W" * 100}] * 2,
        "handicap": 10,
    }
    told = answer("roll", attempt | {"attack": True, "faces": [face]}, language)
    assert len(told["text"]) <= 200
    sides_ = [attempt | {"name": "W" * 100}] * 2
    assert len(answer("contest", {"contestants": sides_, "faces": [face, face]}, language)["text"]) <= 200


@settings(deadline=None)
@given(asked=requests, seed=seeds)
def test_faces_of_an_answer_sent_back_give_the_same_outcome(
    asked: tuple[str, dict[str, Any]], seed: int
) -> None:
    action, request = asked
    first = answer(action, request | {"seed": seed})
    again = answer(action, request | {"faces": first["faces"]})
    origin = {"seed", "source", "stream"}
    assert {key: first[key] for key in first.keys() - origin} == {
        key: again[key] for key in again.keys() - origin
    }


@settings(deadline=None)
@given(request=rolls, face=faces, shuffled=st.data())
def test_the_order_of_modifiers_never_matters(
    request: dict[str, Any], face: int, shuffled: st.DataObject
) -> None:
    other = request | {"modifiers": shuffled.draw(st.permutations(request["modifiers"]))}
    one, two = (answer("roll", asked | {"faces": [face]}) for asked in (request, other))
    assert one | {"text": ""} == two | {"text": ""}


@settings(deadline=None)
@given(request=rolls, face=faces, handicaps=st.tuples(st.integers(0, 10), st.integers(0, 10)).map(sorted))
def test_a_higher_handicap_never_turns_a_failure_into_a_success(
    request: dict[str, Any], face: int, handicaps: list[int]
) -> None:
    easier, harder = (
        answer("roll", request | {"handicap": handicap, "faces": [face]}) for handicap in handicaps
    )
    assert easier["success"] >= harder["success"]
    if harder["success"]:
        assert easier["effect"] <= harder["effect"]


@settings(deadline=None)
@given(request=rolls, face=faces)
def test_an_effect_and_its_rating_belong_to_successes_alone(request: dict[str, Any], face: int) -> None:
    told = answer("roll", request | {"faces": [face]})
    assert told["success"] == (told["effect"] is not None) == (told["rating"] is not None)


@settings(deadline=None)
@given(request=extended_rolls, seed=seeds)
def test_the_totals_of_an_extended_roll_add_up(request: dict[str, Any], seed: int) -> None:
    told = answer("extended", request | {"seed": seed})
    total = request["accumulated"]
    for roll in told["rolls"]:
        assert total < request["target_effect"]
        lost = roll["outcome"] == "fumble" and request["on_fumble"] == "lose_all"
        total = 0 if lost else total + (roll["effect"] or 0)
        assert roll["total"] == total
    assert told["accumulated"] == total
    assert told["success"] == (total >= request["target_effect"])
    assert told["rolls_used"] == len(told["rolls"]) == len(told["faces"])
    assert told["success"] or told["rolls_used"] == request["max_rolls"]


@settings(deadline=None)
@given(both=contests, thrown=st.tuples(faces, faces))
def test_changing_sides_changes_the_winner_alone(both: dict[str, Any], thrown: tuple[int, int]) -> None:
    told = answer("contest", both | {"faces": thrown})
    turned = answer("contest", {"contestants": both["contestants"][::-1], "faces": thrown[::-1]})
    assert turned["winner"] == {0: 1, 1: 0, None: None}[told["winner"]]
    assert (turned["reason"], turned["lead"]) == (told["reason"], told["lead"])
