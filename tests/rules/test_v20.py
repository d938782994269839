"""V20: the worked cases, and what holds of every roll."""

import json
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from app.rules import v20
from app.rules.answer import answer_type
from app.rules.catalog import LANGUAGES
from app.rules.phrases import TEXT_LENGTH
from app.rules.refusal import Refusal
from app.rules.resolve import Seeding, resolve

CASES: Final = json.loads((Path(__file__).parents[1] / "cases" / "v20.json").read_text(encoding="utf-8"))
ROLL: Final = v20.RULESET.actions[0]
ANSWER: Final[TypeAdapter[Any]] = TypeAdapter(answer_type(v20.RULESET, ROLL))
SEEDING: Final = Seeding(draw=lambda: "0" * 32)
REROLL: Final = {"trait": 4, "tens": "reroll"}

Sent = dict[str, Any]


def answer(request: Sent, language: str = "en") -> dict[str, Any]:
    """Resolve a request from JSON to JSON."""
    read = v20.V20Roll.model_validate_json(json.dumps(request))
    written: dict[str, Any] = json.loads(to_json(resolve(v20.RULESET, ROLL, read, SEEDING, language)))
    return written


def code_of(request: Sent) -> str:
    """Say by which code a request is refused."""
    try:
        answer(request)
    except Refusal as refusal:
        return refusal.code
    except ValidationError:
        return "validation"
    return "not refused"


def refusal_of(request: Sent) -> Refusal:
    """Take the refusal of a request."""
    with pytest.raises(Refusal) as caught:
        answer(request)
    return caught.value


def only(expected: Any, found: Any) -> Any:
    """Leave of an answer what a case speaks about."""
    if isinstance(expected, dict):
        return {key: only(value, found[key]) for key, value in expected.items()}
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    """Every worked case comes out as it says, or is refused by its code."""
    if "code" in case["expect"]:
        assert code_of(case["request"]) == case["expect"]["code"]
    else:
        assert only(case["expect"], answer(case["request"])) == case["expect"]


@pytest.mark.parametrize(
    ("request_", "code", "pointer"),
    [
        # One of two is needed: the first.
        ({}, "pool_or_attribute", "/pool"),
        # An ability chose its form: what is missing is the attribute.
        ({"ability": 1}, "pool_or_attribute", "/attribute"),
        # Two exclude each other: the second one in the table.
        ({"pool": 1, "attribute": 1}, "pool_or_attribute", "/attribute"),
        ({"pool": 1, "attribute": 1, "ability": 1}, "pool_or_attribute", "/attribute"),
        ({"pool": 1, "ability": 1}, "pool_or_attribute", "/ability"),
        ({"attribute": 1, "ability": 1, "untrained": "talent"}, "trained_ability", "/untrained"),
        ({"pool": 1, "specialty": {"trait": 6}}, "specialty_trait", "/specialty/trait"),
        ({"pool": 1, "spend_willpower": True, "willpower": 0}, "no_willpower", "/willpower"),
        (
            {"pool": 1, "spend_willpower": True, "willpower_pool": True},
            "willpower_on_willpower_pool",
            "/willpower_pool",
        ),
        # The field that made the pool as large as it is.
        ({"pool": 100, "faces": [10] * 1000, "specialty": REROLL}, "too_many_dice", "/pool"),
        (
            {"attribute": 50, "ability": 50, "faces": [10] * 1000, "specialty": REROLL},
            "too_many_dice",
            "/attribute",
        ),
    ],
)
def test_a_refusal_points_at_the_field_to_change(request_: Sent, code: str, pointer: str) -> None:
    """Each refusal names one field."""
    refusal = refusal_of(request_)
    assert (refusal.code, refusal.pointer) == (code, pointer)


@pytest.mark.parametrize(
    ("request_", "needed"),
    [
        ({"pool": 3, "faces": [10]}, 3),
        ({"pool": 0, "faces": [1]}, 0),
        ({"pool": 2, "faces": [10, 10], "specialty": REROLL}, 4),
        ({"pool": 2, "faces": [10, 10, 10], "specialty": REROLL}, 4),
        ({"pool": 2, "faces": [10, 10, 10, 2], "specialty": REROLL}, 5),
        ({"pool": 2, "faces": [9, 9, 10], "specialty": REROLL}, 2),
    ],
)
def test_miscounted_faces_name_the_least_number_known_so_far(request_: Sent, needed: int) -> None:
    """A round of rerolls is needed whole before the next one is known."""
    refusal = refusal_of(request_)
    assert refusal.code == "faces_count"
    assert refusal.facts == {"given": len(request_["faces"]), "needed": needed, "sides": 10}


@pytest.mark.parametrize(
    ("request_", "english", "german"),
    [
        (
            {"pool": 5, "faces": [6, 7, 1, 2, 3], "spend_willpower": True},
            "5 dice at difficulty 6: 2 successes rolled − 1 cancelled + 1 automatic = 2; 1 needed: Success.",
            (
                "5 Würfel gegen Schwierigkeit 6: 2 gewürfelte Erfolge − 1 gestrichener "
                "+ 1 automatischer = 2; benötigt 1: Erfolg."
            ),
        ),
        (
            {"pool": 1, "faces": [6], "untrained": "skill"},
            "1 die at difficulty 7 (6 + 1 untrained): 0 successes rolled; 1 needed: Failure.",
            "1 Würfel gegen Schwierigkeit 7 (6 + 1 ungelernt): 0 gewürfelte Erfolge; benötigt 1: Fehlschlag.",
        ),
        (
            {"pool": 4, "faces": [7, 8, 1, 1], "mode": "casual", "difficulty": 8},
            "4 dice at difficulty 4 (8, halved): 2 successes rolled − 2 cancelled = 0; 1 needed: Failure.",
            (
                "4 Würfel gegen Schwierigkeit 4 (8, halbiert): 2 gewürfelte Erfolge − 2 gestrichene = 0; "
                "benötigt 1: Fehlschlag."
            ),
        ),
        (
            {"pool": 3, "faces": [1, 2, 4]},
            "3 dice at difficulty 6: no success and 1 one: Botch.",
            "3 Würfel gegen Schwierigkeit 6: kein Erfolg und 1 Eins: Patzer.",
        ),
        (
            {"pool": 2, "faces": [1, 1]},
            "2 dice at difficulty 6: no success and 2 ones: Botch.",
            "2 Würfel gegen Schwierigkeit 6: kein Erfolg und 2 Einsen: Patzer.",
        ),
        (
            {"pool": 2, "faces": [10, 2], "specialty": {"trait": 4}},
            "2 dice at difficulty 6, tens count twice: 2 successes rolled; 1 needed: Success.",
            (
                "2 Würfel gegen Schwierigkeit 6, Zehnen zählen doppelt: 2 gewürfelte Erfolge; "
                "benötigt 1: Erfolg."
            ),
        ),
        (
            {"pool": 2, "faces": [10, 10, 10, 2, 3], "specialty": REROLL, "required": 4},
            "2 dice and 3 rerolls at difficulty 6: 3 successes rolled; 4 needed: Failure.",
            (
                "2 Würfel und 3 Wiederholungen gegen Schwierigkeit 6: 3 gewürfelte Erfolge; "
                "benötigt 4: Fehlschlag."
            ),
        ),
        (
            {"pool": 1, "faces": [10, 3], "specialty": REROLL, "difficulty": 10, "untrained": "skill"},
            (
                "1 die and 1 reroll at difficulty 10 (10 + 1 untrained, at most 10): 1 success rolled; "
                "1 needed: Success."
            ),
            (
                "1 Würfel und 1 Wiederholung gegen Schwierigkeit 10 (10 + 1 ungelernt, höchstens 10): "
                "1 gewürfelter Erfolg; benötigt 1: Erfolg."
            ),
        ),
        (
            {"pool": 0, "spend_willpower": True},
            "No die at difficulty 6: 0 successes rolled + 1 automatic = 1; 1 needed: Success.",
            (
                "Kein Würfel gegen Schwierigkeit 6: 0 gewürfelte Erfolge + 1 automatischer = 1; "
                "benötigt 1: Erfolg."
            ),
        ),
    ],
)
def test_the_text_shows_the_arithmetic_in_the_terms_of_the_game(
    request_: Sent, english: str, german: str
) -> None:
    """One sentence for people, in both languages."""
    assert [answer(request_, language)["text"] for language in ("en", "de")] == [english, german]


def test_the_longest_text_keeps_to_its_bound() -> None:
    """The most dice, rerolls, steps of the difficulty and terms that a roll can have."""
    longest = {
        "pool": 100,
        "difficulty": 10,
        "untrained": "skill",
        "mode": "casual",
        "required": 100,
        "spend_willpower": True,
        "specialty": REROLL,
        "faces": [10] * 900 + [1] * 100,
    }
    texts = [answer(longest, language)["text"] for language in LANGUAGES]
    assert "− 100" in texts[0]
    assert max(map(len, texts)) <= TEXT_LENGTH


def test_twenty_dice_fit_into_a_kibibyte() -> None:
    """Virtual tables store an answer in small rooms."""
    widest = {
        "pool": 20,
        "difficulty": 10,
        "untrained": "skill",
        "mode": "casual",
        "required": 100,
        "spend_willpower": True,
        "willpower": 50,
        "specialty": {"trait": 4},
        "faces": [10] * 19 + [1],
    }
    assert max(len(to_json(answer(widest, language))) for language in LANGUAGES) < 1024 - len("k" * 128)


def either(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Sent]:
    """Draw requests with any of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


POOLS: Final = st.one_of(
    st.fixed_dictionaries({"pool": st.integers(0, 100)}),
    st.fixed_dictionaries({"attribute": st.integers(0, 50)}),
)
SPECIALTIES: Final = st.fixed_dictionaries(
    {"trait": st.sampled_from([4, 5]), "tens": st.sampled_from(["double", "reroll"])},
    optional={"new_ones": st.sampled_from(["cancel", "ignore"])},
)
SITUATIONS: Final = either(
    difficulty=st.integers(2, 10),
    required=st.integers(1, 100),
    untrained=st.sampled_from(["skill", "talent"]),
    specialty=SPECIALTIES,
    mode=st.sampled_from(["strict", "casual"]),
    spend_willpower=st.booleans(),
    willpower=st.integers(1, 50),
)
REQUESTS: Final = st.builds(lambda pool, rest: {**pool, **rest}, POOLS, SITUATIONS)
SEEDS: Final = st.integers(0, 2**32)


def readings(found: dict[str, Any]) -> dict[str, Any]:
    """Leave out of an answer where its faces come from and how they are ordered."""
    origin = {"faces", "seed", "source", "stream"}
    return {key: value for key, value in found.items() if key not in origin}


@given(request=REQUESTS, seed=SEEDS)
def test_the_columns_of_an_answer_add_up(request: Sent, seed: int) -> None:
    """The receipt keeps every number apart, and they fit together and their bounds."""
    found = answer({**request, "seed": seed})
    assert ANSWER.validate_python(found).keys() == found.keys()
    assert found["rolled_successes"] - found["cancelled"] == found["net_successes"]
    assert found["net_successes"] + found["automatic_successes"] == found["total_successes"]
    assert found["cancelled"] == min(found["rolled_successes"], found["ones"])
    assert len(found["faces"]) == found["pool"] + found["reroll_count"]
    assert found["success"] == (found["total_successes"] >= found["required"])
    assert found["success"] == (found["outcome"] == "success")


@given(request=REQUESTS, seed=SEEDS)
def test_the_faces_of_an_answer_sent_back_give_the_same_outcome(request: Sent, seed: int) -> None:
    """What was thrown by the service could have been thrown at the table."""
    first = answer({**request, "seed": seed})
    assert readings(answer({**request, "faces": first["faces"]})) == readings(first)


@given(request=REQUESTS, seed=SEEDS, order=st.randoms(use_true_random=False))
def test_the_order_of_the_pool_never_matters(request: Sent, seed: int, order: Random) -> None:
    """The same dice of the pool in another order, with the same rerolls after them."""
    first = answer({**request, "seed": seed})
    pool, rerolls = first["faces"][: first["pool"]], first["faces"][first["pool"] :]
    order.shuffle(pool)
    assert readings(answer({**request, "faces": pool + rerolls})) == readings(first)


@given(request=REQUESTS, seed=SEEDS, language=st.sampled_from(LANGUAGES))
def test_a_text_is_never_longer_than_200_characters(request: Sent, seed: int, language: str) -> None:
    """Whatever the situation."""
    assert len(answer({**request, "seed": seed}, language)["text"]) <= TEXT_LENGTH


@given(request=REQUESTS, seed=SEEDS)
def test_a_botch_has_a_one_and_no_success_of_any_kind(request: Sent, seed: int) -> None:
    """The three conditions of the rule, read from the faces themselves."""
    found = answer({**request, "seed": seed})
    reached = [face for face in found["faces"] if face >= found["difficulty"]["applied"]]
    botch = not reached and 1 in found["faces"] and not found["automatic_successes"]
    assert (found["outcome"] == "botch") == botch


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalog_has_a_label_for_every_field_and_word(language: str) -> None:
    """Nothing that a person sees exists in one language only."""
    words = v20.RULESET.catalog[language]
    own = set(v20.V20Roll.model_fields) - {"seed", "nonce", "faces", "ref"}
    nested = {f"specialty.{name}" for name in v20.V20Specialty.model_fields}
    assert set(words.fields) == own | nested
    choices = {*v20.V20Untrained, *v20.V20Tens, *v20.V20NewOnes, *v20.V20Mode}
    levels = {f"difficulty.{level}" for level in range(3, 10)}
    assert set(words.values) == {str(choice) for choice in choices} | levels
    assert set(words.outcomes) == set(v20.V20Outcome)
    assert set(words.refusals) == {
        "pool_or_attribute",
        "trained_ability",
        "specialty_trait",
        "no_willpower",
        "willpower_on_willpower_pool",
    }
    assert set(words.texts) == set(v20.RULESET.catalog["en"].texts)
