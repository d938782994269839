"""V20: the closed form against the rule itself under every face, and against a second derivation."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, floor, prod
from typing import Final

import pytest

from app.rules.dice import GivenDice
from app.rules.refusal import Refusal
from app.rules.v20 import V20Difficulty, V20Outcome, V20Result, V20Situation, roll
from app.rules.v20_odds import SIDES, PoolOdds, Tens, pool_odds

FACES: Final = range(1, SIDES + 1)
DIFFICULTIES: Final = range(1, 11)
FINITE: Final = (Tens.PLAIN, Tens.DOUBLED)
ENDLESS: Final = (Tens.REROLLED, Tens.REROLLED_SPARING)
NEEDS: Final = ((0, 1), (0, 3), (1, 1), (1, 2))
"""Automatic successes and successes required."""
LARGE: Final = 4
"""From this pool on, enumerating costs too much to be done for every need."""
ROUNDS: Final = {1: 14, 2: 5, 3: 2}
"""How many rounds of dice are thrown out, by pool, before the rest is left open."""


def situation(pool: int, difficulty: int, tens: Tens, automatic: int, required: int) -> V20Situation:
    """Weigh a roll by hand: no request is needed to reach an applied difficulty."""
    return V20Situation(
        pool=pool,
        pool_field="/pool",
        difficulty=V20Difficulty(difficulty, untrained=0, capped=False, halved=False, applied=difficulty),
        tens=tens,
        automatic=automatic,
        required=required,
        willpower_after=None,
    )


@cache
def throws(count: int) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """List the throws of so many dice with their chances, leaving out the order of the dice."""
    return tuple(
        (faces, Fraction(factorial(count), prod(map(factorial, Counter(faces).values())) * SIDES**count))
        for faces in combinations_with_replacement(FACES, count)
    )


def thrown_out(weighed: V20Situation, rounds: int) -> Iterator[tuple[V20Result, Fraction]]:
    """Let the rule read every throw of up to so many rounds of dice; what needs more is left out."""
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    for _ in range(rounds + 1):
        unfinished: list[tuple[tuple[int, ...], Fraction]] = []
        for faces, chance in waiting:
            try:
                yield roll(weighed, GivenDice(faces, SIDES)), chance
            except Refusal as refusal:
                more = throws(refusal.facts["needed"] - len(faces))
                unfinished += [(faces + new, chance * chance_of_new) for new, chance_of_new in more]
        waiting = unfinished


def enumerated(weighed: V20Situation, rounds: int) -> tuple[dict[str, Fraction], dict[int, Fraction]]:
    """Add up the chances of the outcomes and of the total successes."""
    outcomes = {outcome.value: Fraction(0) for outcome in V20Outcome}
    totals: dict[int, Fraction] = defaultdict(Fraction)
    for result, chance in thrown_out(weighed, rounds):
        outcomes[result.outcome] += chance
        totals[result.total_successes] += chance
    return outcomes, totals


def outcomes_of(odds: PoolOdds) -> dict[str, Fraction]:
    """Name the chances of the outcomes as the rule does."""
    return {"success": odds.success, "failure": odds.failure, "botch": odds.botch}


@pytest.mark.parametrize("tens", FINITE)
@pytest.mark.parametrize("pool", range(6))
def test_without_rerolls_the_closed_form_is_the_rule_under_every_throw(pool: int, tens: Tens) -> None:
    """All difficulties, exactly; the larger pools with one success needed."""
    for difficulty in DIFFICULTIES:
        for automatic, required in NEEDS if pool < LARGE else NEEDS[:1]:
            odds = pool_odds(pool, difficulty, tens, automatic, required)
            outcomes, totals = enumerated(situation(pool, difficulty, tens, automatic, required), rounds=1)
            assert outcomes_of(odds) == outcomes
            assert odds.distribution == tuple(sorted(totals.items()))
            assert odds.mean == sum(value * chance for value, chance in totals.items())
            assert odds.remainder is None


@pytest.mark.parametrize("tens", ENDLESS)
@pytest.mark.parametrize("pool", ROUNDS)
def test_with_rerolls_the_closed_form_is_within_what_the_rule_leaves_open(pool: int, tens: Tens) -> None:
    """Every chance is at least what was thrown out, and more by no more than what was not."""
    for difficulty in DIFFICULTIES:
        odds = pool_odds(pool, difficulty, tens, 0, 2)
        outcomes, totals = enumerated(situation(pool, difficulty, tens, 0, 2), ROUNDS[pool])
        left_open = 1 - sum(totals.values())
        assert 0 < left_open < Fraction(pool + 1, SIDES ** ROUNDS[pool])
        for outcome, chance in outcomes_of(odds).items():
            assert outcomes[outcome] <= chance <= outcomes[outcome] + left_open
        for value, chance in odds.distribution:
            assert totals[value] <= chance <= totals[value] + left_open


def power(die: Counter[int], count: int) -> Counter[int]:
    """Count the ways in which so many dice add up."""
    ways = Counter({0: 1})
    for _ in range(count):
        longer: Counter[int] = Counter()
        for net, times in ways.items():
            for more, faces in die.items():
                longer[net + more] += times * faces
        ways = longer
    return ways


@cache
def last_faces(dice: int, rerolled: int, difficulty: int) -> Counter[int]:
    """Count how faces of 1 to 9 add up: of some dice whose ones cancel, and of some whose ones do not."""
    below_ten = FACES[:-1]
    canceling = Counter((face >= difficulty) - (face == 1) for face in below_ten)
    sparing = Counter(int(face >= difficulty) for face in below_ten)
    ways: Counter[int] = Counter()
    for first, times in power(canceling, dice).items():
        for second, more_times in power(sparing, rerolled).items():
            ways[first + second] += times * more_times
    return ways


@pytest.mark.parametrize("tens", FINITE)
def test_the_largest_pool_is_its_dice_added_one_by_one(tens: Tens) -> None:
    """A hundred dice, without a formula."""
    required = 50
    for difficulty in DIFFICULTIES:
        doubled = SIDES if tens is Tens.DOUBLED else None
        die = Counter((face >= difficulty) + (face == doubled) - (face == 1) for face in FACES)
        ways = power(die, 100)
        odds = pool_odds(100, difficulty, tens, 0, required)
        chances = {net: Fraction(ways[net], SIDES**100) for net in range(1, 201) if ways[net]}
        assert dict(odds.distribution[1:]) == chances
        assert odds.success == sum(chance for net, chance in chances.items() if net >= required)


def chance_of_net(pool: int, difficulty: int, tens: Tens, net: int) -> Fraction:
    """Work out P(successes - ones = net) anew, from the number of tens and the last face of each die.

    Each die throws some tens and one last face of 1 to 9. Where new ones cancel, `pool` dice throw t tens in
    C(pool + t - 1, t) ways. Where they are spared, that is so for the dice whose first face was a 10.
    """
    if tens is Tens.REROLLED:
        return sum(
            (
                Fraction(comb(pool + count - 1, count) * last_faces(pool, 0, difficulty)[net - count])
                / SIDES ** (pool + count)
                for count in range(net + pool + 1)
            ),
            Fraction(0),
        )
    chance = Fraction(last_faces(pool, 0, difficulty)[net], SIDES**pool)
    for lucky in range(1, pool + 1):
        for count in range(lucky, net + pool + 1):
            ways = comb(pool, lucky) * comb(count - 1, count - lucky)
            chance += Fraction(
                ways * last_faces(pool - lucky, lucky, difficulty)[net - count], SIDES ** (pool + count)
            )
    return chance


@pytest.mark.parametrize("tens", ENDLESS)
@pytest.mark.parametrize("pool", [1, 2, 3, 5, 12])
def test_with_rerolls_a_second_derivation_gives_the_same_fractions(pool: int, tens: Tens) -> None:
    """The distribution, the chances of needing 1 to 3, and the mean as the sum of chances to exceed."""
    for difficulty in DIFFICULTIES:
        odds = pool_odds(pool, difficulty, tens, 0, 1)
        zero = sum(chance_of_net(pool, difficulty, tens, net) for net in range(-pool, 1))
        below = zero
        for value, chance in odds.distribution[1:]:
            assert chance == chance_of_net(pool, difficulty, tens, value)
        assert odds.distribution[0] == (0, zero)
        for required in (1, 2, 3):
            assert pool_odds(pool, difficulty, tens, 0, required).success == 1 - below
            below += chance_of_net(pool, difficulty, tens, required)


@pytest.mark.parametrize("tens", ENDLESS)
def test_with_rerolls_the_mean_is_that_of_the_whole_endless_list(tens: Tens) -> None:
    """What is missing after the sixtieth success is less than the fiftieth decimal shows."""
    pool, far = 2, 60
    for difficulty in DIFFICULTIES:
        listed = sum(net * chance_of_net(pool, difficulty, tens, net) for net in range(1, far))
        assert 0 < pool_odds(pool, difficulty, tens, 0, 1).mean - listed < Fraction(1, 10**50)


@pytest.mark.parametrize("tens", Tens)
@pytest.mark.parametrize("pool", [0, 1, 7, 100])
def test_the_chances_add_up_to_exactly_one(pool: int, tens: Tens) -> None:
    """Outcomes do, and the distribution with its remainder; every chance listed is above 0."""
    for difficulty in DIFFICULTIES:
        for automatic, required in NEEDS:
            odds = pool_odds(pool, difficulty, tens, automatic, required)
            assert sum(outcomes_of(odds).values()) == 1
            assert min(outcomes_of(odds).values()) >= 0
            chances = [chance for _, chance in odds.distribution]
            assert min(chances) > 0
            assert sum(chances) + (odds.remainder or 0) == 1


@pytest.mark.parametrize("tens", ENDLESS)
@pytest.mark.parametrize("pool", [1, 4, 100])
def test_an_endless_list_stops_as_soon_as_the_rest_is_small(pool: int, tens: Tens) -> None:
    """The rest is below 10^-12, and it was not so before the last value; what is needed changes nothing."""
    for difficulty in DIFFICULTIES:
        odds = pool_odds(pool, difficulty, tens, 0, 1)
        assert odds.remainder is not None
        assert odds.remainder < Fraction(1, 10**12) <= odds.remainder + odds.distribution[-1][1]
        assert pool_odds(pool, difficulty, tens, 0, 100).distribution == odds.distribution


@pytest.mark.parametrize("tens", ENDLESS)
def test_an_empty_pool_has_a_complete_list_with_rerolls_too(tens: Tens) -> None:
    """Zero dice have no tens."""
    odds = pool_odds(0, 6, tens, 1, 1)
    assert odds.distribution == ((1, Fraction(1)),)
    assert odds.remainder is None
    assert odds.mean == odds.success == 1


def test_more_successes_than_are_listed_can_be_required() -> None:
    """Far beyond the list the chance is still exact."""
    odds = pool_odds(1, 10, Tens.REROLLED, 0, 100)
    below = sum(chance_of_net(1, 10, Tens.REROLLED, net) for net in range(-1, 100))
    assert odds.success == 1 - below
    assert 0 < odds.success < Fraction(1, 10**99)
    assert pool_odds(1, 10, Tens.PLAIN, 0, 100).success == 0


@pytest.mark.parametrize("tens", Tens)
def test_a_specialty_changes_no_chance_of_a_botch(tens: Tens) -> None:
    """A 10 succeeded, whatever else it does. At difficulty 1 every die did."""
    for pool in (1, 5, 100):
        assert pool_odds(pool, 1, tens, 0, 1).botch == 0
        for difficulty in DIFFICULTIES[1:]:
            chance = Fraction((difficulty - 1) ** pool - (difficulty - 2) ** pool, 10**pool)
            assert pool_odds(pool, difficulty, tens, 0, 1).botch == chance
            assert pool_odds(pool, difficulty, tens, 1, 2).botch == 0


def percent(chance: Fraction) -> str:
    """Print a chance as the table does: one decimal, a half rounded up."""
    tenths = floor(chance * 1000 + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}"


@pytest.mark.parametrize(
    ("difficulty", "success", "botch"),
    [
        (3, ("92.0", "96.8"), ("0.0", "0.7")),
        (4, ("86.8", "94.1"), ("0.2", "1.9")),
        (5, ("81.0", "90.1"), ("0.8", "3.7")),
        (6, ("74.0", "84.4"), ("2.1", "6.1")),
        (7, ("65.2", "76.2"), ("4.7", "9.1")),
        (8, ("54.0", "64.9"), ("9.0", "12.7")),
        (9, ("39.8", "49.4"), ("16.0", "17.0")),
    ],
)
def test_the_printed_table_is_reproduced(
    difficulty: int, success: tuple[str, str], botch: tuple[str, str]
) -> None:
    """The smallest and the largest chance of 3 to 5 dice (Wonach die Schwierigkeit fragt)."""
    odds = [pool_odds(pool, difficulty, Tens.PLAIN, 0, 1) for pool in (3, 4, 5)]
    for printed, chances in ((success, [one.success for one in odds]), (botch, [one.botch for one in odds])):
        assert (percent(min(chances)), percent(max(chances))) == printed
