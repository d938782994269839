"""The odds of an extended roll, held against the rule itself and against a plain walk over the totals."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.rules.dice import GivenDice
from app.rules.scorekeeper import RULESET
from app.rules.scorekeeper.extended import (
    ScorekeeperExtendedOutcome,
    ScorekeeperExtendedResult,
    ScorekeeperOnFumble,
    Undertaking,
    extended,
)
from app.rules.scorekeeper.odds import ExtendedOdds, chances, odds_of, reached_within

EXTENDED: Final = next(action for action in RULESET.actions if action.name == "extended")


def weighed(**request: int | str) -> Undertaking:
    """Weigh a request as it comes over the wire."""
    undertaking: Undertaking = EXTENDED.weigh(EXTENDED.request.model_validate_json(json.dumps(request)))
    return undertaking


def every_result(undertaking: Undertaking) -> list[ScorekeeperExtendedResult]:
    """Let the rule read every sequence of faces, all equally likely."""
    sequences = product(range(1, 21), repeat=undertaking.max_rolls)
    return [extended(undertaking, GivenDice(faces, 20)) for faces in sequences]


def walk(undertaking: Undertaking) -> ExtendedOdds:
    """Walk over the totals, roll by roll and face by face, counting sequences."""
    totals = Counter({undertaking.accumulated: 1})
    reached = [0]
    for _ in range(undertaking.max_rolls):
        after: Counter[int] = Counter()
        arrived = reached[-1] * 20
        for (total, ways), face in product(totals.items(), range(1, 21)):
            gathered = total + (undertaking.read(face).effect or 0)
            if face == 20 and undertaking.on_fumble is ScorekeeperOnFumble.LOSE_ALL:
                gathered = 0
            if gathered < undertaking.target_effect:
                after[gathered] += ways
            else:
                arrived += ways
        totals = after
        reached.append(arrived)
    within = [Fraction(ways, 20**rolls) for rolls, ways in enumerate(reached)]
    used = {rolls: within[rolls] - within[rolls - 1] for rolls in range(1, undertaking.max_rolls)}
    used[undertaking.max_rolls] = 1 - within[-2]
    return ExtendedOdds(tuple(within[1:]), tuple((rolls, chance) for rolls, chance in used.items() if chance))


@pytest.mark.parametrize("on_fumble", ["lose_all", "lose_nothing"])
@pytest.mark.parametrize(
    "asked",
    [
        {"attribute": 15, "target_effect": 10},
        {"attribute": 15, "target_effect": 30, "accumulated": 14},
        {"attribute": 15, "target_effect": 1},
        {"attribute": 19, "target_effect": 25},
        {"attribute": 40, "handicap": 10, "target_effect": 100, "accumulated": 20},
        {"attribute": 12, "handicap": 10, "target_effect": 40},
        {"attribute": 1, "target_effect": 12},
        {"attribute": -3, "target_effect": 7},
        {"attribute": -12, "target_effect": 1},
        {"attribute": 1000, "target_effect": 10000, "accumulated": 7500},
    ],
)
def test_the_odds_count_what_the_rule_does_with_every_sequence(asked: dict[str, Any], on_fumble: str) -> None:
    undertaking = weighed(**asked, max_rolls=3, on_fumble=on_fumble)
    results = every_result(undertaking)
    odds = odds_of(undertaking)
    used = Counter(result.rolls_used for result in results)
    assert odds.rolls_used == tuple(
        (rolls, Fraction(number, len(results))) for rolls, number in sorted(used.items())
    )
    assert odds.reached_within == tuple(
        Fraction(sum(result.success and result.rolls_used <= rolls for result in results), len(results))
        for rolls in (1, 2, 3)
    )
    assert odds.reached == Fraction(sum(result.success for result in results), len(results))
    assert odds.mean == Fraction(sum(result.rolls_used for result in results), len(results))


undertakings = st.integers(1, 150).flatmap(
    lambda target: st.builds(
        weighed,
        attribute=st.integers(-15, 30),
        handicap=st.integers(0, 10),
        target_effect=st.just(target),
        accumulated=st.integers(0, target - 1),
        max_rolls=st.integers(1, 12),
        on_fumble=st.sampled_from(["lose_all", "lose_nothing"]),
    )
)


@settings(deadline=None)
@given(undertaking=undertakings)
def test_the_odds_are_those_of_a_walk_over_the_totals(undertaking: Undertaking) -> None:
    assert odds_of(undertaking) == walk(undertaking)


@pytest.mark.parametrize("on_fumble", ["lose_all", "lose_nothing"])
def test_a_hundred_rolls_are_exact_to_the_last_digit(on_fumble: str) -> None:
    undertaking = weighed(attribute=6, target_effect=60, accumulated=5, max_rolls=100, on_fumble=on_fumble)
    assert odds_of(undertaking) == walk(undertaking)


@settings(deadline=None)
@given(undertaking=undertakings)
def test_the_numbers_of_rolls_are_everything_that_can_happen(undertaking: Undertaking) -> None:
    odds = odds_of(undertaking)
    assert sum(chance for _, chance in odds.rolls_used) == 1
    assert odds.mean == sum(rolls * chance for rolls, chance in odds.rolls_used)
    assert list(odds.reached_within) == sorted(odds.reached_within)
    assert odds.reached == odds.reached_within[-1]


@settings(deadline=None)
@given(undertaking=undertakings)
@example(undertaking=weighed(attribute=15, target_effect=60, max_rolls=5))
@example(undertaking=weighed(attribute=-12, target_effect=1))
def test_an_answer_adds_up_the_same_chances(undertaking: Undertaking) -> None:
    worked_out = chances(undertaking)
    assert sum(worked_out.outcomes.values()) == 1
    assert worked_out.success == worked_out.outcomes[ScorekeeperExtendedOutcome.REACHED]
    assert reached_within(undertaking, worked_out) == [
        {"rolls": rolls, "probability": chance}
        for rolls, chance in enumerate(odds_of(undertaking).reached_within, 1)
    ]


def test_what_no_roll_can_reach_takes_all_rolls() -> None:
    odds = odds_of(weighed(attribute=-1000, target_effect=10_000, max_rolls=100))
    assert odds.rolls_used == ((100, Fraction(1)),)
    assert odds.reached == 0
    assert odds.mean == 100


def test_the_crew_of_the_jupiter_as_counted_by_hand() -> None:
    odds = odds_of(weighed(attribute=15, target_effect=10, max_rolls=2))
    # At once with a 1 to 5; else 5 + e faces do after an effect e of 0 to 9, and 5 after a failure.
    at_once = 5 * 20
    with_two = sum(5 + effect for effect in range(10)) + 5 * 5
    assert odds.reached_within == (Fraction(at_once, 400), Fraction(at_once + with_two, 400))
    assert odds.rolls_used == ((1, Fraction(1, 4)), (2, Fraction(3, 4)))
    assert odds.mean == Fraction(7, 4)
