"""The odds of every action: against the rule, against themselves, and against dice that were thrown."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import erfc, exp, gamma, sqrt
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rules.chances import Chances
from app.rules.dice import GivenDice, SeededDice
from app.rules.odds import by_the_rule, chances_of, odds, odds_fields
from app.rules.refusal import Refusal
from app.rules.ruleset import Action
from tests.rules.made_requests import ACTIONS, REQUESTS, Fields, Key, weighed

OUTCOMES: Final[dict[Key, list[str]]] = {
    ("pathfinder2e", "roll"): ["critical_success", "success", "failure", "critical_failure"],
    ("v20", "roll"): ["success", "failure", "botch"],
    ("scorekeeper", "roll"): ["outstanding_success", "success", "failure", "fumble"],
    ("scorekeeper", "contest"): ["first", "second", "draw", "none"],
    ("scorekeeper", "extended"): ["reached", "not_reached"],
    ("zrps", "roll"): ["critical_success", "success", "failure", "critical_failure"],
    ("zrps", "contest"): ["first", "second", "draw", "none"],
    ("three-marks", "roll"): ["miss", "graze", "hit", "critical"],
}
"""The outcomes of each action in the order of its rules page."""
SUCCESSES: Final = {"critical_success", "outstanding_success", "success", "reached", "hit", "critical"}
QUANTITIES: Final[dict[Key, str]] = {
    ("pathfinder2e", "roll"): "result",
    ("v20", "roll"): "total_successes",
    ("scorekeeper", "roll"): "effect",
    ("scorekeeper", "contest"): "lead",
    ("scorekeeper", "extended"): "rolls_used",
    ("zrps", "roll"): "margin",
    ("zrps", "contest"): "lead",
    ("three-marks", "roll"): "damage",
}
CONTESTS: Final = [key for key in ACTIONS if key[1] == "contest"]
PRECISION: Final = Fraction(1, 10**12)

every_action = pytest.mark.parametrize("key", ACTIONS, ids="-".join)
in_closed_form = {
    key: action for key, (_, action) in ACTIONS.items() if action.odds and action.odds.closed_form
}
by_walking = [key for key in ACTIONS if key not in in_closed_form]


def test_requests_are_made_for_every_action_that_has_odds() -> None:
    assert ACTIONS.keys() == REQUESTS.keys() == OUTCOMES.keys() == QUANTITIES.keys()
    assert ACTIONS.keys() == {key for _, key, _ in SITUATIONS}
    assert in_closed_form.keys() == {("v20", "roll"), ("scorekeeper", "extended")}


def odds_of(key: Key, request: Fields, *, exact: bool = True) -> dict[str, Any]:
    """Work out the odds of a request as it comes over the wire."""
    ruleset, action = ACTIONS[key]
    read = action.request.model_validate_json(json.dumps(request))
    worked_out: dict[str, Any] = json.loads(json.dumps(odds(ruleset, action, read, exact=exact)))
    return worked_out


def exactly(chance: Mapping[str, Any]) -> Fraction:
    return Fraction(chance["exact"])


def by_outcome(asked: dict[str, Any]) -> dict[str, Fraction]:
    return {one["outcome"]: exactly(one) for one in asked["outcomes"]}


def by_value(asked: dict[str, Any]) -> dict[int, Fraction]:
    return {one["value"]: exactly(one) for one in asked["distribution"]}


def quantity_of(key: Key, result: Any) -> int | None:
    """Read the quantity of the odds from the answer's own field."""
    value = getattr(result, QUANTITIES[key])
    if key == ("three-marks", "roll") and value is not None:
        value = value.dealt
    number: int | None = value
    return number


# Odds held against the rule.


def every_result(action: Action[Any, Any, Any], situation: Any) -> Iterator[tuple[Any, Fraction]]:
    """Let the whole rule read every throw of its dice, one sequence of faces after the other."""
    waiting: list[tuple[int, ...]] = [()]
    sides = action.sides or 0
    while waiting:
        faces = waiting.pop()
        try:
            yield action.throw(situation, GivenDice(faces, sides)), Fraction(1, sides ** len(faces))
        except Refusal as refusal:
            more = product(range(1, sides + 1), repeat=refusal.facts["needed"] - len(faces))
            waiting += [faces + new for new in more]


@pytest.mark.parametrize("key", by_walking, ids="-".join)
@settings(max_examples=25)
@given(data=st.data())
def test_the_odds_are_what_the_whole_rule_does_with_every_face(key: Key, data: st.DataObject) -> None:
    request = data.draw(REQUESTS[key])
    outcomes: dict[str | None, Fraction] = defaultdict(Fraction)
    values: dict[int | None, Fraction] = defaultdict(Fraction)
    for result, chance in every_result(ACTIONS[key][1], weighed(key, request)):
        outcomes[result.outcome] += chance
        values[quantity_of(key, result)] += chance
    asked = odds_of(key, request)
    assert {name: chance for name, chance in by_outcome(asked).items() if chance} == {
        name: chance for name, chance in outcomes.items() if name is not None
    }
    assert by_value(asked) == {value: chance for value, chance in values.items() if value is not None}


def held_against_the_rule(key: Key, request: Fields, work: int = 200_000) -> Chances:
    """Work out the chances in closed form and by the rule, which must be the same to the last digit."""
    action = ACTIONS[key][1]
    situation = weighed(key, request)
    closed = chances_of(action, situation)
    walked = by_the_rule(action, situation, work)
    assert list(closed.outcomes.items()) == list(walked.outcomes.items())
    assert closed == walked
    return closed


DIFFICULTIES: Final = [
    pytest.param({"difficulty": 2, "mode": "casual"}, id="difficulty 1"),
    *(pytest.param({"difficulty": difficulty}, id=f"difficulty {difficulty}") for difficulty in range(2, 11)),
]


@pytest.mark.parametrize("specialty", [None, {"trait": 4}], ids=["plain", "doubled"])
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_v20_in_closed_form_is_the_rule(difficulty: Fields, specialty: Fields | None) -> None:
    """Every pool up to 4, with and without Willpower, for 1 to 3 successes needed; 5 dice once."""
    for pool, required, willpower in product(range(5), (1, 2, 3), (False, True)):
        request = {"pool": pool, "required": required, "spend_willpower": willpower, "specialty": specialty}
        held_against_the_rule(("v20", "roll"), request | difficulty)
    five = held_against_the_rule(("v20", "roll"), {"pool": 5, "specialty": specialty} | difficulty)
    assert five.remainder is None


@settings(max_examples=60)
@given(request=REQUESTS["v20", "roll"], pool=st.integers(0, 3))
def test_v20_in_closed_form_is_the_rule_for_requests_of_every_kind(request: Fields, pool: int) -> None:
    """The way from the request to the pool is the same for both; a reroll has no end to walk to."""
    of_a_pool = {name: value for name, value in request.items() if name not in {"attribute", "ability"}}
    doubled = {"trait": 4, "tens": "double"} if request.get("specialty") else None
    held_against_the_rule(("v20", "roll"), of_a_pool | {"pool": pool, "specialty": doubled})


@pytest.mark.parametrize("on_fumble", ["lose_all", "lose_nothing"])
@settings(max_examples=30)
@given(request=REQUESTS["scorekeeper", "extended"], rolls=st.integers(1, 2))
def test_an_extended_roll_in_closed_form_is_the_rule(on_fumble: str, request: Fields, rolls: int) -> None:
    asked = request | {"max_rolls": rolls, "on_fumble": on_fumble}
    held_against_the_rule(("scorekeeper", "extended"), asked)


@pytest.mark.parametrize("on_fumble", ["lose_all", "lose_nothing"])
@pytest.mark.parametrize(
    "asked",
    [
        {"attribute": 15, "target_effect": 20, "accumulated": 12},
        {"attribute": 8, "handicap": 3, "target_effect": 14},
        {"attribute": -4, "target_effect": 15, "accumulated": 1},
    ],
)
def test_three_extended_rolls_in_closed_form_are_the_rule(asked: Fields, on_fumble: str) -> None:
    chances = held_against_the_rule(
        ("scorekeeper", "extended"), asked | {"max_rolls": 3, "on_fumble": on_fumble}
    )
    assert {value for value, _ in chances.distribution} <= {1, 2, 3}


# Too much work.


def test_a_walk_that_would_take_too_long_is_refused() -> None:
    ruleset, action = ACTIONS["zrps", "contest"]
    request = action.request.model_validate_json('{"contestants":[{"values":[9]},{"values":[12]}]}')
    with pytest.raises(Refusal) as refused:
        odds(ruleset, action, request, exact=True, work=399)
    assert (refused.value.code, refused.value.pointer) == ("odds_too_large", "")
    assert odds(ruleset, action, request, exact=True, work=400) == odds(ruleset, action, request, exact=True)


def test_a_pool_without_its_closed_form_is_too_large_and_a_reroll_never_ends() -> None:
    action = ACTIONS["v20", "roll"][1]
    reroll = {"trait": 5, "tens": "reroll"}
    for request, work in ({"pool": 8}, 20_000), ({"pool": 1, "specialty": reroll}, 500):
        with pytest.raises(Refusal) as refused:
            by_the_rule(action, weighed(("v20", "roll"), request), work)
        assert refused.value.code == "odds_too_large"


def test_a_closed_form_is_no_walk_and_takes_no_work() -> None:
    ruleset, action = ACTIONS["v20", "roll"]
    request = action.request.model_validate_json('{"pool":100}')
    assert odds(ruleset, action, request, exact=True, work=1)["quantity"] == "total_successes"


def test_what_has_no_odds_is_not_asked_for_them() -> None:
    action = replace(ACTIONS["zrps", "roll"][1], odds=None)
    with pytest.raises(LookupError):
        odds_fields(action, 11, exact=True)


# What odds are made of, for requests of every kind.


@every_action
@settings(max_examples=40)
@given(data=st.data())
def test_every_outcome_is_listed_in_its_order_and_they_add_up_to_one(key: Key, data: st.DataObject) -> None:
    request = data.draw(REQUESTS[key])
    asked = odds_of(key, request)
    outcomes = by_outcome(asked)
    if key == ("pathfinder2e", "roll") and "dc" not in request and "against" not in request:
        assert (outcomes, asked["success"]) == ({}, None)
        return
    assert list(outcomes) == OUTCOMES[key]
    assert sum(outcomes.values()) == 1
    assert all(chance >= 0 for chance in outcomes.values())
    if key in CONTESTS:
        assert asked["success"] is None
    else:
        successes = (chance for outcome, chance in outcomes.items() if outcome in SUCCESSES)
        assert exactly(asked["success"]) == sum(successes)


def chance_of_a_value(key: Key, request: Fields, asked: dict[str, Any]) -> Fraction:
    """Say by the rules page what a distribution adds up to."""
    if key in CONTESTS:
        first, second = sides_succeed(key, request)
        return first * second
    if key == ("scorekeeper", "roll"):
        return exactly(asked["success"])
    if key == ("three-marks", "roll"):
        return Fraction("damage" in request or "scars" in request)
    return Fraction(1)


def sides_succeed(key: Key, contest: Fields) -> list[Fraction]:
    """Work out how likely each side of a contest succeeds, from the odds of its own roll."""
    chances = []
    for side in contest["contestants"]:
        roll = {name: value for name, value in side.items() if name not in {"name", "values"}}
        if "values" in side:
            roll["value"] = max(side["values"])
        chances.append(exactly(odds_of((key[0], "roll"), roll)["success"]))
    return chances


@every_action
@settings(max_examples=40)
@given(data=st.data())
def test_the_distribution_ascends_and_adds_up_to_what_its_rules_page_says(
    key: Key, data: st.DataObject
) -> None:
    request = data.draw(REQUESTS[key])
    asked = odds_of(key, request)
    values = by_value(asked)
    assert list(values) == sorted(values)
    assert len(values) == len(asked["distribution"])
    assert all(chance > 0 for chance in values.values())
    rest = exactly(asked["remainder"]) if "remainder" in asked else Fraction(0)
    assert sum(values.values()) + rest == chance_of_a_value(key, request, asked)
    if "remainder" in asked:
        assert 0 < rest < PRECISION
        assert request["specialty"]["tens"] == "reroll"
    no_damage = key == ("three-marks", "roll") and not values
    assert asked["quantity"] == (None if no_damage else QUANTITIES[key])


@every_action
@settings(max_examples=40)
@given(data=st.data())
def test_the_mean_is_that_of_the_values_listed(key: Key, data: st.DataObject) -> None:
    """Beyond an endless list there is a little more, which the mean holds."""
    asked = odds_of(key, data.draw(REQUESTS[key]))
    values = by_value(asked)
    if not values:
        assert asked["mean"] is None
        return
    mean = exactly(asked["mean"])
    listed = sum(value * chance for value, chance in values.items())
    if "remainder" in asked:
        beyond = exactly(asked["remainder"]) * (max(values) + 1)
        assert beyond <= mean - listed < 2 * beyond
    else:
        assert mean == listed / sum(values.values())


def numbers_in(part: Any) -> Iterator[tuple[float, str]]:
    """List every number of odds that also stands as a fraction."""
    for inner in part.values() if isinstance(part, dict) else part:
        if isinstance(inner, (dict, list)):
            yield from numbers_in(inner)
    if isinstance(part, dict) and "exact" in part:
        yield part["probability"] if "probability" in part else part["value"], part["exact"]


def without_fractions(part: Any) -> Any:
    """Leave out every `exact`."""
    if isinstance(part, dict):
        return {name: without_fractions(inner) for name, inner in part.items() if name != "exact"}
    return [without_fractions(inner) for inner in part] if isinstance(part, list) else part


@every_action
@settings(max_examples=30)
@given(data=st.data())
def test_numbers_are_the_nearest_floats_to_reduced_fractions(key: Key, data: st.DataObject) -> None:
    request = data.draw(REQUESTS[key])
    asked = odds_of(key, request)
    numbers = list(numbers_in(asked))
    assert numbers
    for number, exact in numbers:
        assert number == float(Fraction(exact))
        assert type(number) is float
        assert exact == str(Fraction(exact))
    assert odds_of(key, request, exact=False) == without_fractions(asked)


@every_action
@settings(max_examples=25)
@given(data=st.data(), seed=st.integers(0, 10**9))
def test_no_roll_ends_as_it_cannot(key: Key, data: st.DataObject, seed: int) -> None:
    request = data.draw(REQUESTS[key])
    ruleset, action = ACTIONS[key]
    situation = weighed(key, request)
    asked = odds_of(key, request)
    outcomes, values = by_outcome(asked), by_value(asked)
    dice = SeededDice(f"{seed}", ruleset.id, action.name)
    for _ in range(20):
        result = action.throw(situation, dice)
        assert result.outcome is None or outcomes[result.outcome] > 0
        value = quantity_of(key, result)
        assert value is None or value in values or ("remainder" in asked and value > max(values))


@pytest.mark.parametrize("key", CONTESTS, ids="-".join)
@settings(max_examples=30)
@given(data=st.data())
def test_a_contest_ends_as_the_rolls_of_its_sides_do(key: Key, data: st.DataObject) -> None:
    request = data.draw(REQUESTS[key])
    first, second = sides_succeed(key, request)
    asked = odds_of(key, request)
    outcomes = by_outcome(asked)
    equal = by_value(asked).get(0, Fraction(0))
    assert outcomes["draw"] + outcomes["none"] == equal + (1 - first) * (1 - second)
    if key[0] == "scorekeeper":
        assert outcomes["draw"] == equal
    assert outcomes["first"] >= first * (1 - second)
    assert outcomes["second"] >= second * (1 - first)


@pytest.mark.parametrize("key", CONTESTS, ids="-".join)
@settings(max_examples=20)
@given(data=st.data())
def test_a_contest_the_other_way_round_has_the_same_odds(key: Key, data: st.DataObject) -> None:
    request = data.draw(REQUESTS[key])
    one = odds_of(key, request)
    other = odds_of(key, {"contestants": request["contestants"][::-1]})
    swapped = {"first": "second", "second": "first"}
    assert by_outcome(one) == {swapped.get(name, name): chance for name, chance in by_outcome(other).items()}
    assert (one["distribution"], one["mean"]) == (other["distribution"], other["mean"])


# Worked examples and printed tables.


def test_the_example_of_the_contract() -> None:
    asked = odds_of(("zrps", "roll"), {"value": 11, "ref": "left out"})
    assert list(asked) == [
        *("ruleset", "action", "rules_version"),
        *("outcomes", "success", "quantity", "distribution", "mean"),
    ]
    assert (asked["ruleset"], asked["action"], asked["rules_version"]) == ("zrps", "roll", 1)
    assert asked["outcomes"] == [
        {"outcome": "critical_success", "probability": 0.1, "exact": "1/10"},
        {"outcome": "success", "probability": 0.45, "exact": "9/20"},
        {"outcome": "failure", "probability": 0.3, "exact": "3/10"},
        {"outcome": "critical_failure", "probability": 0.15, "exact": "3/20"},
    ]
    assert asked["success"] == {"probability": 0.55, "exact": "11/20"}
    assert asked["quantity"] == "margin"
    assert asked["distribution"] == [
        {"value": value, "probability": 0.05, "exact": "1/20"} for value in range(-9, 11)
    ]
    assert asked["mean"] == {"value": 0.5, "exact": "1/2"}


def test_whole_numbers_have_no_denominator() -> None:
    asked = odds_of(("scorekeeper", "roll"), {"attribute": 14, "take_ten": True})
    assert asked["outcomes"] == [
        {"outcome": "outstanding_success", "probability": 0.0, "exact": "0"},
        {"outcome": "success", "probability": 1.0, "exact": "1"},
        {"outcome": "failure", "probability": 0.0, "exact": "0"},
        {"outcome": "fumble", "probability": 0.0, "exact": "0"},
    ]
    assert asked["distribution"] == [{"value": 4, "probability": 1.0, "exact": "1"}]
    assert asked["mean"] == {"value": 4.0, "exact": "4"}


def test_fortune_keeps_the_higher_of_two_dice_and_misfortune_the_lower() -> None:
    plain, fortune, misfortune, both = (
        by_value(odds_of(("pathfinder2e", "roll"), flags))
        for flags in (
            {},
            {"fortune": True},
            {"misfortune": True},
            {"fortune": True, "misfortune": True},
        )
    )
    assert plain == both == dict.fromkeys(range(1, 21), Fraction(1, 20))
    assert fortune == {face: Fraction(2 * face - 1, 400) for face in range(1, 21)}
    assert misfortune == {face: Fraction(41 - 2 * face, 400) for face in range(1, 21)}


def test_a_check_without_a_dc_has_results_and_no_outcomes() -> None:
    asked = odds_of(("pathfinder2e", "roll"), {"attribute_modifier": 3})
    assert (asked["outcomes"], asked["success"], asked["quantity"]) == ([], None, "result")
    assert list(by_value(asked)) == list(range(4, 24))
    assert asked["mean"] == {"value": 13.5, "exact": "27/2"}


def test_failures_have_no_effect_and_are_not_in_the_distribution() -> None:
    """Against 4 without a handicap: a 1 has effect 13, a 2 to 4 have 2 to 0."""
    asked = odds_of(("scorekeeper", "roll"), {"attribute": 4})
    assert by_value(asked) == dict.fromkeys((0, 1, 2, 13), Fraction(1, 20))
    assert asked["success"]["exact"] == "1/5"
    assert asked["mean"]["exact"] == "4"


def test_where_only_a_natural_1_succeeds_two_of_them_are_a_draw() -> None:
    sides = {"contestants": [{"attribute": -100}, {"attribute": -100}]}
    asked = odds_of(("scorekeeper", "contest"), sides)
    assert by_outcome(asked) == {
        "first": Fraction(19, 400),
        "second": Fraction(19, 400),
        "draw": Fraction(1, 400),
        "none": Fraction(361, 400),
    }
    assert by_value(asked) == {0: Fraction(1, 400)}


def test_of_two_zrps_failures_those_with_equal_grades_are_a_draw_without_a_lead() -> None:
    """Only 1 and 2 succeed, with grade 0; of 18 times 18 failures 18 are equal."""
    asked = odds_of(("zrps", "contest"), {"contestants": [{"values": [-100]}, {"values": [-100]}]})
    assert by_outcome(asked) == {
        "first": Fraction(36, 400),
        "second": Fraction(36, 400),
        "draw": Fraction(4 + 18, 400),
        "none": Fraction(18 * 17, 400),
    }
    assert by_value(asked) == {0: Fraction(4, 400)}


@pytest.mark.parametrize(
    ("advantage", "row", "of_six", "hits"),
    [
        (-2, "MMMGGH", (3, 2, 1, 0), 1),
        (-1, "MMGGHH", (2, 2, 2, 0), 2),
        (0, "MGGHHC", (1, 2, 2, 1), 3),
        (1, "GGHHHC", (0, 2, 3, 1), 4),
        (2, "GHHHCC", (0, 1, 3, 2), 5),
        (-7, "MMMGGH", (3, 2, 1, 0), 1),
        (1000, "GHHHCC", (0, 1, 3, 2), 5),
    ],
)
def test_the_tables_of_three_marks_are_its_odds(
    advantage: int, row: str, of_six: tuple[int, ...], hits: int
) -> None:
    asked = odds_of(("three-marks", "roll"), {"advantage": advantage})
    assert list(by_outcome(asked).values()) == [Fraction(faces, 6) for faces in of_six]
    assert exactly(asked["success"]) == Fraction(hits, 6)
    names = {"M": "miss", "G": "graze", "H": "hit", "C": "critical"}
    assert asked["by_face"] == [
        {"face": face, "rolled": names[letter], "outcome": names[letter], "damage": None}
        for face, letter in enumerate(row, 1)
    ]
    assert (asked["quantity"], asked["distribution"], asked["mean"]) == (None, [], None)


@pytest.mark.parametrize(
    ("printed", "damage"),
    [
        ({"damage": 2}, {"graze": 1, "hit": 2, "critical": 3}),
        ({"damage": 3}, {"graze": 1, "hit": 3, "critical": 4}),
        ({"damage": 4}, {"graze": 2, "hit": 4, "critical": 6}),
        ({"damage": 5}, {"graze": 2, "hit": 5, "critical": 7}),
        ({"damage": 6}, {"graze": 3, "hit": 6, "critical": 9}),
        ({"damage": 7}, {"graze": 3, "hit": 7, "critical": 10}),
        ({"scars": 4}, {"graze": 4, "hit": 8, "critical": 12}),
        ({"scars": 5}, {"graze": 5, "hit": 10, "critical": 15}),
    ],
)
def test_the_damage_table_of_three_marks_is_its_odds_by_face(printed: Fields, damage: dict[str, int]) -> None:
    asked = odds_of(("three-marks", "roll"), {"advantage": 0, **printed})
    of_six = {"miss": 1, "graze": 2, "hit": 2, "critical": 1}
    dealt = {"miss": 0, **damage}
    assert Counter((face["outcome"], face["damage"]) for face in asked["by_face"]) == {
        (outcome, dealt[outcome]): faces for outcome, faces in of_six.items()
    }
    assert asked["quantity"] == "damage"
    assert by_value(asked) == {dealt[outcome]: Fraction(faces, 6) for outcome, faces in of_six.items()}


@settings(max_examples=40)
@given(request=REQUESTS["three-marks", "roll"])
def test_the_six_faces_are_what_the_attack_would_be_and_what_the_odds_count(request: Fields) -> None:
    key = ("three-marks", "roll")
    asked = odds_of(key, request)
    situation = weighed(key, request)
    for number, face in enumerate(asked["by_face"], 1):
        result = ACTIONS[key][1].throw(situation, GivenDice((number,), 6))
        dealt = None if result.damage is None else result.damage.dealt
        assert face == {"face": number, "rolled": result.rolled, "outcome": result.outcome, "damage": dealt}
    outcomes = Counter(face["outcome"] for face in asked["by_face"])
    assert by_outcome(asked) == {outcome: Fraction(outcomes[outcome], 6) for outcome in OUTCOMES[key]}


@settings(max_examples=40)
@given(request=REQUESTS["scorekeeper", "extended"])
def test_having_reached_the_total_never_gets_less_likely_and_ends_at_the_chance_of_it(
    request: Fields,
) -> None:
    asked = odds_of(("scorekeeper", "extended"), request)
    within = [exactly(row) for row in asked["reached_within"]]
    assert [row["rolls"] for row in asked["reached_within"]] == list(range(1, request["max_rolls"] + 1))
    assert all(earlier <= later for earlier, later in pairwise(within))
    assert within[-1] == by_outcome(asked)["reached"] == exactly(asked["success"])
    used = by_value(asked)
    assert used.get(1, 0) == (within[0] if request["max_rolls"] > 1 else 1)


def test_the_odds_of_the_jupiter_within_two_rolls() -> None:
    asked = odds_of(("scorekeeper", "extended"), {"attribute": 15, "target_effect": 10, "max_rolls": 2})
    assert asked["reached_within"] == [
        {"rolls": 1, "probability": 0.25, "exact": "1/4"},
        {"rolls": 2, "probability": 0.55, "exact": "11/20"},
    ]


# Odds held against thrown dice.


End = tuple[Any, int | None]
"""An outcome and a quantity."""
SEEDS: Final = 2_000
ROLLS_A_SEED: Final = 100
RARE: Final = 10
"""What is expected less often is counted together with the next rare thing."""
DOUBT: Final = 1e-4
"""How seldom right odds fail, for some seeds; for these seeds they do not."""


class Table:
    """Where an action is rolled again and again in one situation.

    What the rule makes of the same faces is asked only once: it needs nothing but them.
    """

    def __init__(self, key: Key, request: Fields) -> None:
        """Weigh the request."""
        self._key = key
        self._action = ACTIONS[key][1]
        self._sides = self._action.sides or 0
        self._situation = weighed(key, request)
        self._known: dict[tuple[int, ...], End | int] = {}

    def roll(self, dice: SeededDice) -> End:
        """Throw dice until the rule has what it needs."""
        faces: tuple[int, ...] = ()
        while isinstance(end := self._read(faces), int):
            faces += tuple(dice.throw(end - len(faces), self._sides))
        return end

    def _read(self, faces: tuple[int, ...]) -> End | int:
        """Read the faces, or say how many the rule needs."""
        known = self._known.get(faces)
        if known is None:
            known = self._known[faces] = self._by_the_rule(faces)
        return known

    def _by_the_rule(self, faces: tuple[int, ...]) -> End | int:
        try:
            return end_of(self._key, self._action.throw(self._situation, GivenDice(faces, self._sides)))
        except Refusal as refusal:
            needed: int = refusal.facts["needed"]
            return needed


def end_of(key: Key, result: Any) -> End:
    return result.outcome, quantity_of(key, result)


class Thrown(NamedTuple):
    """How often an action ended in which way."""

    outcomes: Counter[Any]
    values: Counter[int | None]


def thrown(key: Key, request: Fields) -> Thrown:
    """Roll an action 200,000 times: a hundred times from the stream of each of many seeds."""
    table = Table(key, request)
    streams = (SeededDice(f"odds {seed}", *key) for seed in range(SEEDS))
    ended = Counter(table.roll(dice) for dice in streams for _ in range(ROLLS_A_SEED))
    counts = Thrown(Counter(), Counter())
    for (outcome, value), times in ended.items():
        counts.outcomes[outcome] += times
        counts.values[value] += times
    return counts


def likely(counts: Counter[Any], chances: dict[Any, Fraction]) -> bool:
    """Hold counts against chances by Pearson's chi-square.

    What the chances do not list is one more cell, with what is left of 1.
    """
    trials = counts.total()
    listed = [(float(trials * chance), counts[cell]) for cell, chance in chances.items()]
    unlisted = trials - sum(times for _, times in listed)
    cells = sorted([*listed, (float(trials * (1 - sum(chances.values()))), unlisted)])
    if any(times and not expected for expected, times in cells):
        return False
    while len(cells) > 1 and cells[0][0] < RARE:
        (expected, times), (more_expected, more_times), *others = cells
        cells = sorted([(expected + more_expected, times + more_times), *others])
    statistic = sum((times - expected) ** 2 / expected for expected, times in cells)
    return chance_to_exceed(statistic, len(cells) - 1) > DOUBT


def chance_to_exceed(statistic: float, degrees: int) -> float:
    """Work out the upper tail of the chi-square law, from that of one or two degrees upward."""
    half = statistic / 2
    step, chance = (0.5, erfc(sqrt(half))) if degrees % 2 else (1.0, exp(-half))
    while 2 * step < degrees:
        chance += half**step * exp(-half) / gamma(step + 1)
        step += 1
    return chance


SITUATIONS: Final[list[tuple[str, Key, Fields]]] = [
    ("a check", ("pathfinder2e", "roll"), {"attribute_modifier": 4, "dc": 15}),
    ("fortune", ("pathfinder2e", "roll"), {"attribute_modifier": 4, "dc": 15, "fortune": True}),
    ("a specialty", ("v20", "roll"), {"pool": 4, "difficulty": 7, "specialty": {"trait": 4}}),
    (
        "rerolled tens",
        ("v20", "roll"),
        {"pool": 3, "required": 2, "specialty": {"trait": 4, "tens": "reroll"}},
    ),
    ("a handicap", ("scorekeeper", "roll"), {"attribute": 14, "handicap": 3}),
    (
        "effects against each other",
        ("scorekeeper", "contest"),
        {"contestants": [{"attribute": 14}, {"attribute": 11, "handicap": 2}]},
    ),
    (
        "three rolls at most",
        ("scorekeeper", "extended"),
        {"attribute": 15, "target_effect": 18, "max_rolls": 3},
    ),
    ("a test", ("zrps", "roll"), {"value": 11}),
    (
        "grades against each other",
        ("zrps", "contest"),
        {"contestants": [{"values": [13]}, {"values": [9]}]},
    ),
    (
        "an attack with steps",
        ("three-marks", "roll"),
        {"advantage": 0, "damage": 5, "armor": 2, "effects": ["exposed", "wall"]},
    ),
]
every_situation = pytest.mark.parametrize(
    ("key", "request_"), [pytest.param(key, request, id=name) for name, key, request in SITUATIONS]
)


@every_situation
def test_a_table_rolls_as_the_service_does(key: Key, request_: Fields) -> None:
    table, action = Table(key, request_), ACTIONS[key][1]
    ours, theirs = (SeededDice("the same", *key) for _ in range(2))
    for _ in range(100):
        assert table.roll(ours) == end_of(key, action.throw(weighed(key, request_), theirs))
    assert ours.faces == theirs.faces


@every_situation
def test_thrown_dice_end_as_often_as_the_odds_say(key: Key, request_: Fields) -> None:
    asked = odds_of(key, request_)
    counts = thrown(key, request_)
    assert counts.outcomes.total() == SEEDS * ROLLS_A_SEED
    assert likely(counts.outcomes, by_outcome(asked))
    assert likely(counts.values, by_value(asked))


def test_odds_that_are_a_little_wrong_do_not_fit() -> None:
    counts = thrown(("zrps", "roll"), {"value": 11})
    for value in (10, 12):
        wrong = odds_of(("zrps", "roll"), {"value": value})
        assert not likely(counts.outcomes, by_outcome(wrong))
        assert not likely(counts.values, by_value(wrong))
    loaded = by_value(odds_of(("zrps", "roll"), {"value": 11}))
    loaded |= {-8: Fraction(47, 1000), -9: Fraction(53, 1000)}
    assert sum(loaded.values()) == 1
    assert not likely(counts.values, loaded)


@pytest.mark.parametrize(
    ("degrees", "statistic", "chance"),
    [(1, 3.841, 0.05), (2, 5.991, 0.05), (3, 16.266, 0.001), (10, 29.588, 0.001), (19, 43.820, 0.001)],
)
def test_the_upper_tail_is_that_of_the_printed_tables(degrees: int, statistic: float, chance: float) -> None:
    assert chance_to_exceed(statistic, degrees) == pytest.approx(chance, rel=1e-3)
    assert chance_to_exceed(0, degrees) == 1
