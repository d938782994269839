"""Dice that fall in every way they can, and the chances that come of it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from app.rules.chances import WORK, BranchingDice, enumerate_chances, mean_of
from app.rules.dice import Dice
from app.rules.refusal import Refusal


class Coin(StrEnum):
    """How the games of these tests end."""

    EDGE = "edge"
    HEADS = "heads"
    TAILS = "tails"


@dataclass(frozen=True)
class Ended:
    """A game that is over."""

    outcome: Coin | None = Coin.HEADS
    success: bool | None = None
    value: int | None = None


Game = Callable[[None, Dice], Ended]


def runs_of(play: Callable[[Dice], Any], work: int = WORK) -> Iterator[tuple[Any, int, int]]:
    """Play under every fall of the dice: what was seen, in how many ways, out of how many."""
    dice = BranchingDice(work)
    more = True
    while more:
        seen = play(dice)
        yield seen, dice.ways, dice.out_of
        more = dice.next_run()


@pytest.mark.parametrize(("count", "sides"), [(0, 6), (1, 20), (2, 20), (3, 4), (4, 2), (1, 256)])
def test_dice_in_order_fall_as_every_tuple_once(count: int, sides: int) -> None:
    runs = list(runs_of(lambda dice: tuple(dice.throw(count, sides))))
    assert runs == [(faces, 1, sides**count) for faces in product(range(1, sides + 1), repeat=count)]


@pytest.mark.parametrize(("count", "sides"), [(0, 10), (1, 10), (2, 20), (3, 10), (5, 3), (4, 6)])
def test_a_pool_falls_as_every_multiset_with_the_number_of_its_orders(count: int, sides: int) -> None:
    runs = list(runs_of(lambda dice: tuple(dice.pool(count, sides))))
    orders = Counter(tuple(sorted(faces)) for faces in product(range(1, sides + 1), repeat=count))
    assert [(tuple(sorted(faces)), ways) for faces, ways, _ in runs] == sorted(orders.items())
    assert {out_of for *_, out_of in runs} == {sides**count}
    assert len(runs) == comb(count + sides - 1, count)


def test_without_dice_there_is_one_run() -> None:
    assert list(runs_of(lambda _: "nothing", work=1)) == [("nothing", 1, 1)]


def test_several_throws_of_one_run_multiply() -> None:
    runs = list(runs_of(lambda dice: (tuple(dice.pool(2, 2)), tuple(dice.throw(1, 3)))))
    assert runs == [
        ((pool, (face,)), ways, 12)
        for pool, ways in (((1, 1), 1), ((1, 2), 2), ((2, 2), 1))
        for face in (1, 2, 3)
    ]


def _one_more_for_each_six(dice: Dice) -> tuple[int, ...]:
    first = dice.pool(2, 6)
    return (*first, *dice.pool(first.count(6), 6))


def test_runs_of_different_length_are_weighed_by_their_own_denominator() -> None:
    expected: Counter[int] = Counter()
    for first in product(range(1, 7), repeat=2):
        sixes = first.count(6)
        for more in product(range(1, 7), repeat=sixes):
            expected[sum(first) + sum(more)] += 6 ** (2 - sixes)
    chances = enumerate_chances(
        lambda _, dice: Ended(value=sum(_one_more_for_each_six(dice))), None, Coin, lambda game: game.value
    )
    assert chances.distribution == tuple(
        (value, Fraction(ways, 6**4)) for value, ways in sorted(expected.items())
    )
    assert {out_of for *_, out_of in runs_of(_one_more_for_each_six)} == {6**2, 6**3, 6**4}


def test_dice_of_different_sizes_on_different_paths_add_up() -> None:
    """No denominator here divides another: 2 times 6, 2 times 10."""

    def play(_: None, dice: Dice) -> Ended:
        (side,) = dice.throw(1, 2)
        (face,) = dice.throw(1, 6 if side == 1 else 10)
        return Ended(Coin.HEADS if side == 1 else Coin.TAILS, success=face == 1, value=face)

    chances = enumerate_chances(play, None, Coin, lambda game: game.value)
    assert chances.outcomes == {"edge": 0, "heads": Fraction(1, 2), "tails": Fraction(1, 2)}
    assert chances.success == Fraction(1, 12) + Fraction(1, 20)
    assert chances.distribution[5:7] == ((6, Fraction(1, 12) + Fraction(1, 20)), (7, Fraction(1, 20)))
    assert sum(chance for _, chance in chances.distribution) == 1
    assert chances.mean == Fraction(7, 4) + Fraction(11, 4)


def flip(_: None, dice: Dice) -> Ended:
    """Throw a d6: 1 to 3 are heads worth nothing, 4 and 5 heads worth the face, 6 is tails."""
    (face,) = dice.throw(1, 6)
    return Ended(Coin.TAILS if face == 6 else Coin.HEADS, face != 6, 10 - face if face in {4, 5} else None)


def test_every_outcome_is_listed_in_its_order_also_the_impossible_one() -> None:
    chances = enumerate_chances(flip, None, Coin, lambda game: game.value)
    assert list(chances.outcomes.items()) == [
        (Coin.EDGE, 0),
        (Coin.HEADS, Fraction(5, 6)),
        (Coin.TAILS, Fraction(1, 6)),
    ]
    assert chances.success == Fraction(5, 6)


def test_the_distribution_ascends_is_joint_and_its_mean_is_conditional() -> None:
    chances = enumerate_chances(flip, None, Coin, lambda game: game.value)
    assert chances.distribution == ((5, Fraction(1, 6)), (6, Fraction(1, 6)))
    assert chances.mean == Fraction(11, 2)
    assert chances.remainder is None


def test_without_values_there_is_no_mean_and_no_distribution() -> None:
    chances = enumerate_chances(flip, None, Coin, lambda _: None)
    assert (chances.distribution, chances.mean) == ((), None)
    assert mean_of([]) is None


def test_without_an_outcome_or_a_success_there_is_none() -> None:
    chances = enumerate_chances(
        lambda _, dice: Ended(None, None, dice.throw(1, 4)[0]), None, (), lambda game: game.value
    )
    assert (chances.outcomes, chances.success) == ({}, None)
    assert chances.mean == Fraction(5, 2)


class Counting:
    """A game that counts how often it is played to its end."""

    def __init__(self, play: Callable[[Dice], object]) -> None:
        """Count from 0."""
        self.play = play
        self.ended = 0

    def __call__(self, _: None, dice: Dice) -> Ended:
        """Play once."""
        self.play(dice)
        self.ended += 1
        return Ended()


def refusal_of(game: Game, work: int) -> Refusal:
    """Work out a game that is too much work."""
    with pytest.raises(Refusal) as refused:
        enumerate_chances(game, None, Coin, lambda _: None, work)
    return refused.value


@pytest.mark.parametrize(
    "throw",
    [
        pytest.param(lambda dice: dice.pool(100, 10), id="a pool"),
        pytest.param(lambda dice: dice.pool(1000, 256), id="the largest pool"),
        pytest.param(lambda dice: dice.throw(4, 20), id="dice in order"),
    ],
)
def test_what_is_too_much_is_refused_before_it_is_walked(throw: Callable[[Dice], Sequence[int]]) -> None:
    game = Counting(throw)
    refusal = refusal_of(game, WORK)
    assert (refusal.code, refusal.pointer) == ("odds_too_large", "")
    assert game.ended == 0


@pytest.mark.parametrize(
    ("throw", "ways"),
    [
        pytest.param(lambda dice: dice.pool(3, 10), 220, id="a pool"),
        pytest.param(lambda dice: dice.throw(2, 10), 100, id="dice in order"),
    ],
)
def test_even_one_way_too_many_is_refused_before_any_is_walked(
    throw: Callable[[Dice], Sequence[int]], ways: int
) -> None:
    game = Counting(throw)
    assert refusal_of(game, ways - 1).code == "odds_too_large"
    assert game.ended == 0


def test_up_to_20_000_ways_are_walked() -> None:
    most = enumerate_chances(Counting(lambda dice: dice.throw(1, 20_000)), None, Coin, lambda _: None)
    assert most.outcomes[Coin.HEADS] == 1
    assert refusal_of(Counting(lambda dice: dice.throw(1, 20_001)), WORK).code == "odds_too_large"


@pytest.mark.parametrize(
    ("throw", "runs"),
    [
        pytest.param(lambda dice: dice.pool(3, 10), 220, id="a pool"),
        pytest.param(lambda dice: [*dice.throw(1, 20), *dice.throw(1, 11)], 220, id="two throws"),
        pytest.param(lambda dice: dice.throw(1, 6)[0] < 6 and dice.throw(1, 20), 101, id="two or one"),
    ],
)
def test_the_limit_is_the_number_of_runs(throw: Callable[[Dice], object], runs: int) -> None:
    game = Counting(throw)
    assert enumerate_chances(game, None, Coin, lambda _: None, runs).outcomes[Coin.HEADS] == 1
    assert game.ended == runs
    assert refusal_of(Counting(throw), runs - 1).code == "odds_too_large"


def test_a_later_throw_is_refused_where_its_ways_are_more_than_what_is_left() -> None:
    game = Counting(lambda dice: [*dice.throw(1, 6), *dice.throw(1, 20)])
    assert refusal_of(game, 119).code == "odds_too_large"
    assert game.ended == 100, "five faces of the first die, and nothing of the sixth"


def test_a_walk_without_end_stops_at_the_limit() -> None:
    def again_and_again(dice: Dice) -> list[int]:
        faces = [*dice.throw(1, 2)]
        while faces[-1] == 2:
            faces += dice.throw(1, 2)
        return faces

    game = Counting(again_and_again)
    assert refusal_of(game, 50).code == "odds_too_large"
    assert game.ended == 49, "the fiftieth run would need two ways more, and one is left"
