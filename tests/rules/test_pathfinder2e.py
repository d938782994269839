"""Pathfinder 2e: worked examples, a second reading of the rules, and what must hold for every check."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.rules.answer import answer_type
from app.rules.catalog import LANGUAGES
from app.rules.dice import GivenDice
from app.rules.pathfinder2e import RULESET
from app.rules.phrases import TEXT_LENGTH
from app.rules.refusal import Refusal
from app.rules.resolve import Seeding, resolve

ACTIONS = {action.name: action for action in RULESET.actions}
ANSWERS = {name: TypeAdapter(answer_type(RULESET, action)) for name, action in ACTIONS.items()}
CASES = json.loads((Path(__file__).parents[1] / "cases/pathfinder2e.json").read_text(encoding="utf-8"))
SEEDING = Seeding(draw=lambda: "0" * 32)
LADDER = ("critical_failure", "failure", "success", "critical_success")
FACES = range(1, 21)
KIBIBYTE = 1024

Fields = dict[str, Any]
"""A request or an answer as JSON."""


def read(action: str, request: Fields) -> Any:
    """Validate a request as it comes over the wire."""
    return ACTIONS[action].request.model_validate_json(json.dumps(request))


def answer(action: str, request: Fields, language: str = "en") -> Fields:
    """Resolve a request into the answer as it goes over the wire."""
    fields = resolve(RULESET, ACTIONS[action], read(action, request), SEEDING, language)
    sent: Fields = json.loads(ANSWERS[action].dump_json(fields, warnings="error"))
    return sent


def check(language: str = "en", **request: Any) -> Fields:
    """Resolve a check."""
    return answer("roll", request, language)


def text(language: str, **request: Any) -> str:
    """Resolve a check and take its sentence."""
    return str(check(language, **request)["text"])


def refused(action: str, request: Fields) -> tuple[str, str]:
    """Resolve a request that a rule refuses; take the code and the pointer."""
    with pytest.raises(Refusal) as refusal:
        answer(action, request)
    return refusal.value.code, refusal.value.pointer


def errors(**request: Any) -> list[tuple[str, str]]:
    """Take the type and the place of everything that is wrong with the fields of a check."""
    with pytest.raises(ValidationError) as error:
        read("roll", request)
    return [(found["type"], "/".join(map(str, found["loc"]))) for found in error.value.errors()]


def part_of(want: Any, got: Any) -> bool:
    """Tell whether an answer holds what a case expects, lists element by element."""
    if isinstance(want, dict):
        return all(name in got and part_of(value, got[name]) for name, value in want.items())
    if isinstance(want, list):
        return len(want) == len(got) and all(map(part_of, want, got))
    return type(want) is type(got) and bool(want == got)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_worked_example_holds(case: Fields) -> None:
    expected = case["expect"]
    if expected.get("code") == "validation":
        with pytest.raises(ValidationError):
            read(case["action"], case["request"])
    elif "code" in expected:
        assert refused(case["action"], case["request"])[0] == expected["code"]
    else:
        got = answer(case["action"], case["request"])
        assert part_of(expected, got), got


# What a second reading of the rules says


def degree(result: int, dc: int, face: int) -> str:
    """Find a degree by counting thresholds instead of comparing one by one."""
    place = (result > dc - 10) + (result >= dc) + (result >= dc + 10)
    place += (face == max(FACES)) - (face == min(FACES))
    return LADDER[min(max(place, 0), 3)]


def test_degrees_agree_with_a_second_formula() -> None:
    for modifier, dc in product(range(-12, 41), range(-5, 61)):
        situation = ACTIONS["roll"].weigh(read("roll", {"attribute_modifier": modifier, "dc": dc}))
        for face in FACES:
            outcome = ACTIONS["roll"].throw(situation, GivenDice((face,), 20))
            assert outcome.degree_after_natural == degree(face + modifier, dc, face)
            assert outcome.degree_by_numbers == degree(face + modifier, dc, 10)
            assert outcome.outcome == outcome.treated_as == outcome.degree_after_natural
            assert outcome.success == (outcome.outcome in LADDER[2:])


def test_fortune_keeps_the_higher_and_misfortune_the_lower_of_all_pairs() -> None:
    for pair in product(FACES, FACES):
        for kept, kind in ((max(pair), "fortune"), (min(pair), "misfortune")):
            situation = ACTIONS["roll"].weigh(read("roll", {kind: True, "dc": 11}))
            outcome = ACTIONS["roll"].throw(situation, GivenDice(pair, 20))
            assert (outcome.roll, outcome.outcome) == (kept, degree(kept, 11, kept))


# What the package pathfinder2e_stats says, another implementation of the same rules. It speaks about
# stacking, degrees, what abilities do to them, and basic saves; not about equal effects or breakdowns.


@pytest.fixture(scope="module")
def stats() -> Any:
    """Load the package where it is installed: it takes a second and brings numpy, pandas and xarray."""
    return pytest.importorskip("pathfinder2e_stats", reason="another implementation, to compare with")


def test_degrees_agree_with_pathfinder2e_stats(stats: Any) -> None:
    array = pytest.importorskip("xarray").DataArray
    stats.set_config(roll_size=200)
    modifiers, dcs = range(-12, 41), range(-5, 61)
    theirs = stats.check(
        array(modifiers, dims=["bonus"]), DC=array(dcs, dims=["DC"]), dependent_dims=["bonus", "DC"]
    )
    by_face = dict(zip(theirs.natural.values.tolist(), theirs.outcome.values.tolist(), strict=True))
    assert sorted(by_face) == list(FACES)
    for (i, modifier), (j, dc) in product(enumerate(modifiers), enumerate(dcs)):
        situation = ACTIONS["roll"].weigh(read("roll", {"attribute_modifier": modifier, "dc": dc}))
        for face, outcomes in by_face.items():
            ours = ACTIONS["roll"].throw(situation, GivenDice((face,), 20))
            assert ours.outcome == stats.DoS(outcomes[i][j]).name


def test_changes_of_a_degree_agree_with_pathfinder2e_stats(stats: Any) -> None:
    # Evasion lifts a success, incapacitation moves every degree by a step, and a critical that is not
    # allowed is the plain degree: three adjustments and what is written about criticals.
    evade = {"on": ["success"], "to": "critical_success"}
    for face, evasion, incapacitation, success_effect, failure_effect in product(
        (2, 9, 12, 19), (False, True), (-1, 0, 1), (False, True), (False, True)
    ):
        adjustments = [evade] * evasion + [{"steps": incapacitation}] * (incapacitation != 0)
        ours = check(
            attribute_modifier=1 if face > 10 else -5,
            dc=10,
            adjustments=adjustments,
            critical_success_effect=success_effect,
            critical_failure_effect=failure_effect,
            faces=[face],
        )
        theirs = stats.map_outcome(
            pytest.importorskip("xarray").DataArray(stats.DoS[ours["degree_after_natural"]].value),
            evasion=evasion,
            incapacitation=incapacitation,
            allow_critical_success=success_effect,
            allow_critical_failure=failure_effect,
        )
        assert ours["treated_as"] == stats.DoS(theirs.item()).name


TYPES = ("item", "circumstance", "status", "untyped")
entries = st.builds(
    lambda kind, value: {"type": kind, "value": value}, st.sampled_from(TYPES), st.integers(-9, 9)
)


@settings(deadline=None)
@given(
    st.lists(entries, max_size=8),
    st.integers(-9, 9),
    st.sampled_from([None, "untrained", "trained", "master"]),
)
def test_totals_agree_with_pathfinder2e_stats(
    stats: Any,
    modifiers: list[Fields],
    attribute: int,
    rank: str | None,
) -> None:
    # There an attribute is one more type of bonus ("ability"), of which this service has one a check at
    # most; below 0 it adds beside the penalties in both. Its penalty of proficiency is refused here.
    proficiency = rank and {"rank": rank, "level": 5}
    bonus = {"trained": 7, "master": 11}.get(rank or "", 0)
    ours = check(attribute_modifier=attribute, proficiency=proficiency, modifiers=modifiers, faces=[10])
    typed = [(modifier["type"], modifier["value"]) for modifier in modifiers]
    theirs = stats.sum_bonuses(("ability", attribute), ("proficiency", bonus), *typed)
    assert ours["total_modifier"] == theirs


def test_basic_saves_agree_with_pathfinder2e_stats_but_for_half_of_one(stats: Any) -> None:
    # There half of 1 is 1, a special rule for damage. By the rule text here every fraction is rounded
    # down, so half of 1 is 0 ("Runden").
    stats.set_config(roll_size=200)
    for value in range(1, 40):
        damage = stats.damage(stats.check(5, DC=16), stats.Damage("fire", 0, 0, value, basic_save=True))
        taken = dict(zip(damage.outcome.values.tolist(), damage.total_damage.values.tolist(), strict=True))
        assert len(taken) == len(LADDER)
        for theirs, amount in taken.items():
            save = stats.DoS(theirs).name
            result = answer("amount", {"value": value, "basic_save": save})["result"]
            assert result == (0 if (value, save) == (1, "success") else amount)


# What holds for every check

labels = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=100)
modifiers_of_all_kinds = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(TYPES), "value": st.integers(-1000, 1000)},
        optional={
            "label": labels,
            "effect": st.sampled_from(["a", "b"]),
            "effect_level": st.integers(-1, 2),
            "enabled": st.booleans(),
        },
    ),
    max_size=8,
)
statistics = st.fixed_dictionaries(
    {},
    optional={
        "attribute_modifier": st.integers(-1000, 1000),
        "proficiency": st.fixed_dictionaries(
            {"rank": st.sampled_from(["untrained", "legendary"]), "level": st.integers(-1, 30)}
        ),
        "modifiers": modifiers_of_all_kinds,
    },
)
difficulties = st.one_of(
    st.just({}),
    st.builds(lambda against: {"against": against}, statistics),
    st.fixed_dictionaries(
        {"dc": st.integers(-1000, 1000) | st.integers(0, 40)},
        optional={"dc_modifiers": modifiers_of_all_kinds},
    ),
)
adjustments_of_all_kinds = st.lists(
    st.one_of(
        st.fixed_dictionaries({"steps": st.sampled_from([-2, -1, 1, 2])}, optional={"label": labels}),
        st.fixed_dictionaries(
            {"to": st.sampled_from(LADDER), "on": st.lists(st.sampled_from(LADDER), min_size=1, max_size=4)}
        ),
    ),
    max_size=10,
)
manners = st.fixed_dictionaries(
    {
        "check": st.sampled_from(["attack", "skill", "save", "perception", "other"]),
        "seed": st.integers(0, 99),
    },
    optional={
        "fortune": st.booleans(),
        "misfortune": st.booleans(),
        "adjustments": adjustments_of_all_kinds,
        "critical_success_effect": st.booleans(),
        "critical_failure_effect": st.booleans(),
    },
)
checks = st.builds(
    lambda *parts: {k: v for part in parts for k, v in part.items()}, statistics, difficulties, manners
)


@settings(deadline=None)
@given(checks, st.sampled_from(LANGUAGES))
def test_no_sentence_is_longer_than_200_characters_or_one_line(request: Fields, language: str) -> None:
    sentence = text(language, **request)
    assert len(sentence) <= TEXT_LENGTH
    assert sentence.splitlines() == [sentence]


@settings(deadline=None)
@given(checks)
def test_the_faces_of_an_answer_give_the_same_answer(request: Fields) -> None:
    first = check(**request)
    again = check(**{**request, "seed": None, "faces": first["faces"]})
    origin = {"seed", "source", "stream"}
    assert {k: v for k, v in again.items() if k not in origin} == {
        k: v for k, v in first.items() if k not in origin
    }


@settings(deadline=None)
@given(checks)
def test_the_breakdown_adds_up_and_gives_a_reason_for_all_that_does_not_count(request: Fields) -> None:
    got = check(**request)
    assert got["total_modifier"] == sum(part["value"] for part in got["breakdown"] if part["applied"])
    assert got["result"] == got["roll"] + got["total_modifier"]
    assert all(part["applied"] == (part["ignored"] is None) for part in got["breakdown"])


@settings(deadline=None)
@given(
    st.lists(entries, max_size=8).flatmap(lambda listed: st.tuples(st.just(listed), st.permutations(listed)))
)
def test_the_order_of_modifiers_without_an_effect_never_changes_the_total(
    lists: tuple[list[Fields], list[Fields]],
) -> None:
    listed, shuffled = (check(modifiers=modifiers, faces=[10])["total_modifier"] for modifiers in lists)
    assert listed == shuffled


@settings(deadline=None)
@given(st.integers(-40, 40), st.integers(-40, 80), st.integers(1, 20), st.integers(1, 40))
def test_a_higher_dc_never_improves_the_degree(modifier: int, dc: int, face: int, more: int) -> None:
    lower = check(attribute_modifier=modifier, dc=dc, faces=[face])["outcome"]
    higher = check(attribute_modifier=modifier, dc=dc + more, faces=[face])["outcome"]
    assert LADDER.index(higher) <= LADDER.index(lower)


@settings(deadline=None)
@given(st.integers(-40, 40), st.integers(-40, 80), st.integers(1, 19))
def test_a_higher_face_never_lowers_result_or_degree(modifier: int, dc: int, face: int) -> None:
    lower = check(attribute_modifier=modifier, dc=dc, faces=[face])
    higher = check(attribute_modifier=modifier, dc=dc, faces=[face + 1])
    assert higher["result"] > lower["result"]
    assert LADDER.index(higher["outcome"]) >= LADDER.index(lower["outcome"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("check_kind", ["attack", "perception"])
def test_an_answer_with_five_modifiers_and_no_label_stays_under_one_kibibyte(
    check_kind: str, language: str
) -> None:
    duplicates = [{"type": "circumstance", "value": -1000, "effect": "a"}] * 5
    lower = [{"type": "circumstance", "value": -1000}] * 5
    different = [{"type": kind, "value": -1000} for kind in (*TYPES, "untyped")]
    for modifiers, dc, face in product((duplicates, lower, different), (-1000, 5, 1000), (1, 10, 20)):
        request = {
            "check": check_kind,
            "modifiers": modifiers,
            "dc": dc,
            "misfortune": True,
            "critical_failure_effect": False,
        }
        given_faces = check(language, **request, faces=[face, 20])
        drawn = {**given_faces, "seed": "0" * 32, "source": "server_seed", "stream": "dice1"}
        assert len(json.dumps(drawn, ensure_ascii=False, separators=(",", ":")).encode()) < KIBIBYTE


# Refusals and field errors


@pytest.mark.parametrize("name", ["aaa", "zzz"])
def test_an_unknown_field_of_an_adjustment_is_refused_also_as_null(name: str) -> None:
    assert errors(adjustments=[{"steps": 1, name: None}]) == [("extra_forbidden", f"adjustments/0/{name}")]


@pytest.mark.parametrize(
    ("request_fields", "code", "pointer"),
    [
        (
            {"check": "flat", "attribute_modifier": 1, "proficiency": {"rank": "trained", "level": 1}},
            "flat_check_takes_no_modifiers",
            "/attribute_modifier",
        ),
        (
            {
                "check": "flat",
                "proficiency": {"rank": "trained", "level": 1},
                "modifiers": [{"type": "item", "value": 1}],
            },
            "flat_check_takes_no_modifiers",
            "/proficiency",
        ),
        (
            {"check": "flat", "modifiers": [{"type": "item", "value": 1}], "dc": 5, "against": {}},
            "flat_check_takes_no_modifiers",
            "/modifiers",
        ),
        ({"dc_modifiers": [{"type": "item", "value": 1}], "against": {}}, "dc_modifiers_without_dc", "/dc"),
        ({"dc": 0, "against": {}}, "dc_and_against", "/against"),
    ],
)
def test_a_refusal_points_at_the_field_to_change(request_fields: Fields, code: str, pointer: str) -> None:
    assert refused("roll", request_fields) == (code, pointer)


def test_every_refusal_has_a_text_in_every_language() -> None:
    codes = {"flat_check_takes_no_modifiers", "dc_modifiers_without_dc", "dc_and_against"}
    assert all(set(RULESET.catalog[language].refusals) == codes for language in LANGUAGES)


def test_an_adjustment_with_both_forms_has_its_degree_not_allowed() -> None:
    assert errors(adjustments=[{"steps": 1}, {"steps": 1, "to": "success"}]) == [
        ("not_allowed", "adjustments/1/to")
    ]


def test_an_adjustment_with_neither_form_lacks_its_steps() -> None:
    assert errors(adjustments=[{"label": "a"}]) == [("missing", "adjustments/0/steps")]
    assert errors(adjustments=[{"steps": None, "to": None}]) == [("missing", "adjustments/0/steps")]


def test_what_is_wrong_with_the_form_of_an_adjustment_is_said_together_with_all_else() -> None:
    assert errors(dc=1001, adjustments=[{"label": 5, "more": 1}, {"steps": 0, "to": "success"}]) == [
        ("less_than_equal", "dc"),
        ("missing", "adjustments/0/steps"),
        ("string_type", "adjustments/0/label"),
        ("extra_forbidden", "adjustments/0/more"),
        ("not_allowed", "adjustments/1/steps"),
        ("not_allowed", "adjustments/1/to"),
    ]


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        (3, "less_than_equal"),
        (-3, "greater_than_equal"),
        ("1", "int_type"),
        (1.0, "int_type"),
        (True, "int_type"),
    ],
)
def test_steps_are_an_integer_between_minus_two_and_two(steps: object, error: str) -> None:
    assert errors(adjustments=[{"steps": steps}]) == [(error, "adjustments/0/steps")]


def test_an_adjustment_that_is_no_object_is_refused() -> None:
    assert errors(adjustments=["success"]) == [("model_type", "adjustments/0")]


def test_a_proficiency_penalty_is_out_of_range_at_its_value() -> None:
    penalty = {"type": "proficiency", "value": -1}
    assert errors(modifiers=[penalty], dc_modifiers=[penalty], against={"modifiers": [penalty]}) == [
        ("out_of_range", "modifiers/0/value"),
        ("out_of_range", "dc_modifiers/0/value"),
        ("out_of_range", "against/modifiers/0/value"),
    ]


def test_a_penalty_of_an_unknown_type_is_only_wrong_in_its_type() -> None:
    assert errors(modifiers=[{"type": "luck", "value": -1}]) == [("enum", "modifiers/0/type")]


# Sentences

HEROISM = {"type": "status", "value": 1, "label": "Heldenmut"}


@pytest.mark.parametrize(
    ("request_fields", "english", "german"),
    [
        (
            {"check": "skill", "dc": 20, "faces": [14]},
            "Skill check 14 against DC 20: Failure.",
            "Fertigkeitswurf 14 gegen SG 20: Fehlschlag.",
        ),
        (
            {
                "check": "save",
                "attribute_modifier": 4,
                "modifiers": [{**HEROISM, "label": "Mut"}, {"type": "item", "value": -1}],
                "dc": 9,
                "faces": [14],
            },
            "Saving throw 14 + 4 attribute modifier + 1 Mut − 1 item penalty = 18 against DC 9: Success.",
            "Rettungswurf 14 + 4 Attributsmodifikator + 1 Mut − 1 Gegenstandsmalus = 18 gegen SG 9: Erfolg.",
        ),
        (
            {
                "check": "attack",
                "attribute_modifier": 4,
                "proficiency": {"rank": "expert", "level": 5},
                "modifiers": [HEROISM, {"type": "circumstance", "value": -2}],
                "dc": 20,
                "dc_modifiers": [{"type": "circumstance", "value": -2, "label": "prone"}],
                "faces": [16],
            },
            "Attack roll 16 + 4 + 9 + 1 Heldenmut − 2 = 28 against AC 18 (20 − 2 prone): Critical hit.",
            "Angriffswurf 16 + 4 + 9 + 1 Heldenmut − 2 = 28 gegen RK 18 (20 − 2 prone): Kritischer Treffer.",
        ),
        (
            {"check": "perception", "modifiers": [{"type": "untyped", "value": -5}], "faces": [3]},
            "Perception check 3 − 5 untyped penalty = −2.",
            "Wahrnehmungswurf 3 − 5 Kategorieloser Malus = −2.",
        ),
        (
            {"modifiers": [HEROISM, *[{"type": "untyped", "value": -1}] * 5], "dc": 0, "faces": [3]},
            "Check 3 − 4 from 6 modifiers = −1 against DC 0: Failure.",
            "Wurf 3 − 4 aus 6 Modifikatoren = −1 gegen SG 0: Fehlschlag.",
        ),
        (
            {"modifiers": [HEROISM, *[{"type": "untyped", "value": 1}] * 3], "dc": 14, "faces": [10]},
            "Check 10 + 1 Heldenmut + 1 + 1 + 1 = 14 against DC 14: Success.",
            "Wurf 10 + 1 Heldenmut + 1 + 1 + 1 = 14 gegen SG 14: Erfolg.",
        ),
        (
            {"fortune": True, "modifiers": [{"type": "untyped", "value": 1}] * 5, "dc": 26, "faces": [20, 3]},
            "20 + 1 + 1 + 1 + 1 + 1 = 25 against DC 26: Success.",
            "20 + 1 + 1 + 1 + 1 + 1 = 25 gegen SG 26: Erfolg.",
        ),
        (
            {"fortune": True, "against": {"attribute_modifier": -2}, "faces": [3, 17]},
            "Check with fortune 17 against DC 8 (10 − 2 attribute modifier): Success.",
            "Wurf mit Glück 17 gegen SG 8 (10 − 2 Attributsmodifikator): Erfolg.",
        ),
        (
            {"misfortune": True, "against": {}, "faces": [3, 17]},
            "Check with misfortune 3 against DC 10: Failure.",
            "Wurf mit Unglück 3 gegen SG 10: Fehlschlag.",
        ),
        (
            {
                "dc": 30,
                "adjustments": [{"steps": 2}],
                "critical_success_effect": False,
                "modifiers": [{"type": "proficiency", "value": 1}],
                "faces": [20],
            },
            (
                "Check 20 + 1 proficiency bonus = 21 against DC 30: "
                "Failure → Success (natural 20) → Critical success, treated as Success."
            ),
            (
                "Wurf 20 + 1 Kompetenzbonus = 21 gegen SG 30: "
                "Fehlschlag → Erfolg (Natürliche 20) → Kritischer Erfolg, gilt als Erfolg."
            ),
        ),
        (
            {"check": "flat", "dc": -4, "faces": [1]},
            "Flat check 1 against DC −4: Success → Failure (natural 1).",
            "Einfacher Wurf 1 gegen SG −4: Erfolg → Fehlschlag (Natürliche 1).",
        ),
    ],
)
def test_a_check_is_told_in_the_terms_of_the_game(request_fields: Fields, english: str, german: str) -> None:
    assert text("en", **request_fields) == english
    assert text("de", **request_fields) == german


def test_the_label_is_the_degree_at_the_end_not_before_it_and_not_the_one_it_is_treated_as() -> None:
    got = check(dc=10, faces=[12], adjustments=[{"steps": 1}], critical_success_effect=False)
    assert got["label"] == "Critical success"
    assert (got["degree_after_natural"], got["treated_as"]) == ("success", "success")


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (4, "Check 12 + 1 + 1 + 1 + 1 = 16 against DC 10: Success → Critical success."),
        (5, "12 + 1 + 1 + 1 + 1 + 1 = 17 against DC 10: Critical success."),
        (6, "12 + 6 from 6 modifiers = 18 against DC 10: Critical success."),
    ],
)
def test_beside_many_parts_without_labels_stand_only_the_sum_and_its_end(count: int, sentence: str) -> None:
    adjust = [{"to": "critical_success"}]
    modifiers = [{"type": "untyped", "value": 1}] * count
    assert text("en", modifiers=modifiers, dc=10, adjustments=adjust, faces=[12]) == sentence


@pytest.mark.parametrize(
    ("request_fields", "english", "german"),
    [
        ({"value": 7}, "Amount 7: 7.", "Betrag 7: 7."),
        ({"value": 7, "multipliers": [2]}, "Amount 7 × 2: 14.", "Betrag 7 × 2: 14."),
        ({"value": 7, "halve": True}, "Amount 7, halved: 3.", "Betrag 7, halbiert: 3."),
        (
            {"value": 7, "multipliers": [2, 2], "halve": True, "basic_save": "success"},
            "Amount 7 × 3, halved twice (basic saving throw: Success): 5.",
            "Betrag 7 × 3, zweimal halbiert (einfacher Rettungswurf: Erfolg): 5.",
        ),
    ],
)
def test_an_amount_is_told_with_all_that_changed_it(
    request_fields: Fields, english: str, german: str
) -> None:
    assert answer("amount", request_fields, "en")["text"] == english
    assert answer("amount", request_fields, "de")["text"] == german


def test_the_longest_labels_are_cut_and_all_numbers_stay() -> None:
    long = [{"type": kind, "value": 1, "label": kind * 8} for kind in ("item", "status", "circumstance")]
    sentence = text("de", modifiers=long, dc=20, dc_modifiers=long, faces=[14])
    assert len(sentence) <= TEXT_LENGTH
    assert sentence.startswith("Wurf 14 + 1 itemitem")
    assert "… = 17 gegen SG 23 (20 + 1 itemitem" in sentence
    assert sentence.endswith(": Fehlschlag.")


def test_where_not_even_the_numbers_find_room_their_sums_stand() -> None:
    named = [{"type": kind, "label": "a name"} for kind in (*TYPES, "untyped")]
    sentence = text(
        "de",
        check="perception",
        misfortune=True,
        modifiers=[{**modifier, "value": -1000} for modifier in named],
        dc=1000,
        dc_modifiers=[{**modifier, "value": 1000} for modifier in named],
        adjustments=[{"to": "critical_success"}],
        critical_success_effect=False,
        faces=[20, 20],
    )
    assert sentence == (
        "Wahrnehmungswurf mit Unglück 20 − 5000 = −4980 gegen SG 6000 (1000 + 5000): "
        "Kritischer Fehlschlag → Fehlschlag (Natürliche 20) → Kritischer Erfolg, gilt als Erfolg."
    )
