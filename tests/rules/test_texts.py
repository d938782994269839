"""The sentences that answers hold for people."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rules import three_marks, zrps
from app.rules.catalog import LANGUAGES
from app.rules.phrases import cut, fit, plain, signed
from app.rules.resolve import Seeding, resolve

LONG = (
    "Ein sehr langer Grund, den jemand in voller Länge aufgeschrieben hat, damit ihn wirklich jeder liest."[
        :100
    ]
)
LABELS = st.text(max_size=100)
VALUES = st.integers(-1000, 1000)
MODIFIERS = st.lists(st.fixed_dictionaries({"value": VALUES, "label": LABELS | st.none()}), max_size=50)


def text_of(ruleset: Any, action: int, request: dict[str, Any], language: str = "de") -> str:
    chosen = ruleset.actions[action]
    read = chosen.request.model_validate_json(json.dumps(request))
    text: str = resolve(ruleset, chosen, read, Seeding(draw=lambda: "s"), language)["text"]
    return text


@pytest.mark.parametrize(
    ("ruleset", "action", "request_", "english", "german"),
    [
        pytest.param(
            zrps.RULESET,
            0,
            {"value": 11, "modifiers": [{"value": -3, "label": "Sand im Auge"}], "faces": [8]},
            "Rolled 8 against effective value 8 (11 − 3 Sand im Auge): Success, success grade 0.",
            "Wurf 8 gegen effektiven Wert 8 (11 − 3 Sand im Auge): Erfolg, Erfolgsgrad 0.",
            id="one modifier is named",
        ),
        pytest.param(
            zrps.RULESET,
            0,
            {"value": -2, "faces": [15]},
            "Rolled 15 against effective value −2: Critical failure, failure grade 17.",
            "Wurf 15 gegen effektiven Wert −2: Kritischer Fehlschlag, Fehlergrad 17.",
            id="a negative value has a real minus sign",
        ),
        pytest.param(
            zrps.RULESET,
            0,
            {
                "value": 10,
                "modifiers": [{"value": 1}, {"value": 2}, {"value": -5}, {"value": 1}],
                "faces": [9],
            },
            "Rolled 9 against effective value 9 (10 − 1 from 4 modifiers): Success, success grade 0.",
            "Wurf 9 gegen effektiven Wert 9 (10 − 1 aus 4 Modifikatoren): Erfolg, Erfolgsgrad 0.",
            id="many modifiers stand as their sum",
        ),
        pytest.param(
            zrps.RULESET,
            1,
            {"contestants": [{"name": "Mara", "values": [13]}, {"values": [12]}], "faces": [9, 10]},
            "Mara: 9 against 13, success grade 4; Second side: 10 against 12, success grade 2. Mara wins.",
            "Mara: 9 gegen 13, Erfolgsgrad 4; Zweite Seite: 10 gegen 12, Erfolgsgrad 2. Mara gewinnt.",
            id="the winner is named",
        ),
        pytest.param(
            zrps.RULESET,
            1,
            {"contestants": [{"name": "Mara", "values": [13]}, {"values": [12]}], "faces": [14, 10]},
            "Mara: 14 against 13, failure grade 1; Second side: 10 against 12, success grade 2. "
            "Second side wins.",
            "Mara: 14 gegen 13, Fehlergrad 1; Zweite Seite: 10 gegen 12, Erfolgsgrad 2. "
            "Zweite Seite gewinnt.",
            id="a winner without a name is a side",
        ),
        pytest.param(
            three_marks.RULESET,
            0,
            {"advantage": 1, "effects": ["exposed"], "damage": 5, "armor": 2, "faces": [3]},
            "Rolled 3 at advantage +1: Hit → Critical hit. "
            "Damage: 5 printed, 7 by the result, 2 armor, 5 dealt.",
            "Wurf 3 bei Vorteil +1: Treffer → Kritisch. "
            "Schaden: aufgedruckt 5, nach Ergebnis 7, Rüstung 2, zugefügt 5.",
            id="an attack shows its step and its damage",
        ),
        pytest.param(
            three_marks.RULESET,
            0,
            {"advantage": -2, "faces": [1]},
            "Rolled 1 at advantage −2: Miss.",
            "Wurf 1 bei Vorteil −2: Verfehlt.",
            id="an attack without damage is short",
        ),
    ],
)
def test_a_sentence_reads_well(
    ruleset: Any, action: int, request_: dict[str, Any], english: str, german: str
) -> None:
    assert text_of(ruleset, action, request_, "en") == english
    assert text_of(ruleset, action, request_, "de") == german


def test_long_labels_are_cut_and_numbers_never() -> None:
    modifiers = [{"value": value, "label": LONG} for value in (-1000, 999, -998)]
    text = text_of(zrps.RULESET, 0, {"value": 1000, "modifiers": modifiers, "faces": [20]})
    assert 150 < len(text) <= 200
    assert "1000 − 1000 Ein sehr" in text
    assert "+ 999 Ein sehr" in text
    assert "− 998 Ein sehr" in text
    assert text.endswith(" Kritischer Fehlschlag, Fehlergrad 19.")


@settings(max_examples=150)
@given(VALUES, MODIFIERS, st.integers(1, 20), st.sampled_from(LANGUAGES))
def test_no_label_makes_a_sentence_too_long(
    value: int, modifiers: list[dict[str, Any]], face: int, language: str
) -> None:
    text = text_of(zrps.RULESET, 0, {"value": value, "modifiers": modifiers, "faces": [face]}, language)
    assert len(text) <= 200
    assert str(face) in text
    assert "\n" not in text


@settings(max_examples=150)
@given(LABELS, LABELS, st.tuples(st.integers(1, 20), st.integers(1, 20)), st.sampled_from(LANGUAGES))
def test_no_name_makes_a_contest_too_long(
    first: str, second: str, faces: tuple[int, int], language: str
) -> None:
    sides = [
        {"name": name, "values": [-1000], "modifiers": [{"value": -1000}] * 50} for name in (first, second)
    ]
    text = text_of(zrps.RULESET, 1, {"contestants": sides, "faces": list(faces)}, language)
    assert len(text) <= 200
    assert text.count("−51000") == 2


def test_numbers_have_real_minus_signs() -> None:
    assert [plain(-3), plain(-1), plain(0), plain(3)] == ["−3", "−1", "0", "3"]
    assert [signed(-3), signed(-1), signed(0), signed(3)] == ["− 3", "− 1", "+ 0", "+ 3"]


def test_a_label_is_brought_onto_one_line_and_cut_with_an_ellipsis() -> None:
    assert cut(" two\n words ", 100) == "two words"
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcdef", 2) == "a…"
    assert cut("abcdef", 1) == ""
    assert cut(None, 5) == ""


def test_a_sentence_that_fits_is_left_alone_and_one_that_never_fits_ends() -> None:
    assert fit(lambda room: "x" * min(room, 150)) == "x" * 150
    assert fit(lambda room: "y" * (190 + room)) == "y" * 200
    assert fit(lambda room: "y" * (200 + room)) == "y" * 200
    assert len(fit(lambda _: "z" * 201)) == 201


def test_labels_lose_an_eighth_of_their_room_at_a_time_until_none_is_left() -> None:
    rooms: list[int] = []

    def too_long(room: int) -> str:
        rooms.append(room)
        return "z" * 201

    fit(too_long)
    assert rooms[:2] == [200, 88]
    assert all(after == before - max(1, before // 8) for before, after in pairwise(rooms[1:]))
    assert rooms[-2:] == [1, 0]
