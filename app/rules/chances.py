"""Exact odds: the rule that rolls, run under dice that fall every way they can.

The rule is run once for each way. Dice whose order matters branch over tuples of faces, pools over
multisets with the number of ways in which each can fall. Where that would be too much, a ruleset brings a
closed form of its own.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, lcm, prod
from typing import Any, Final, NamedTuple, Protocol

from app.rules.dice import Dice
from app.rules.refusal import Refusal

WORK: Final = 20_000
"""The most ways in which dice are let fall for one answer: some tens of milliseconds."""


@dataclass(frozen=True)
class Chances:
    """The exact chances of an action in one situation."""

    outcomes: Mapping[str, Fraction]
    """Every outcome, in the order of the rules page; empty where nothing ends in a word."""
    success: Fraction | None
    """None where success is no question."""
    distribution: tuple[tuple[int, Fraction], ...]
    """The quantity's values, ascending, with their chances above 0. They may add up to less than 1."""
    mean: Fraction | None
    """The mean of what the distribution holds, given that it is one of its values; None where it is empty."""
    remainder: Fraction | None = None
    """The chance of values beyond an endless distribution's list; None where the list is complete."""


class Ended(Protocol):
    """What every outcome of a roll says, whatever the rule."""

    @property
    def outcome(self) -> StrEnum | None:
        """How it ended."""

    @property
    def success(self) -> bool | None:
        """Whether it succeeded."""


class _Branch:
    """One throw on the present path, with the ways in which it can fall."""

    __slots__ = ("out_of", "place", "ways")

    def __init__(self, ways: Sequence[tuple[Sequence[int], int]], out_of: int) -> None:
        self.ways = ways
        self.out_of = out_of
        self.place = 0


class BranchingDice:
    """Dice that fall, run after run, in every way they can."""

    def __init__(self, work: int) -> None:
        """Allow so many runs in all."""
        self.faces: list[int] = []
        self.ways = 1
        """In how many ways the dice of the present run can fall as they did."""
        self.out_of = 1
        """Out of how many."""
        self._work = work
        self._path: list[_Branch] = []
        self._depth = 0

    def throw(self, count: int, sides: int) -> Sequence[int]:
        """Branch over every tuple of faces."""
        return self._fall(count, sides, _TUPLES)

    def pool(self, count: int, sides: int) -> Sequence[int]:
        """Branch over every multiset of faces."""
        return self._fall(count, sides, _MULTISETS)

    def next_run(self) -> bool:
        """Turn to the next way; False when all have been seen.

        Raises `Refusal` `odds_too_large` where there are more ways than allowed.
        """
        self._depth, self.ways, self.out_of = 0, 1, 1
        while self._path:
            branch = self._path[-1]
            branch.place += 1
            if branch.place < len(branch.ways):
                self._work -= 1
                if self._work <= 0:
                    raise Refusal("odds_too_large", "")
                return True
            self._path.pop()
        return False

    def _fall(self, count: int, sides: int, ways: "_Ways") -> Sequence[int]:
        if self._depth == len(self._path):
            if ways.number(count, sides) > self._work:
                raise Refusal("odds_too_large", "")
            self._path.append(_Branch(ways.listed(count, sides), sides**count))
        branch = self._path[self._depth]
        self._depth += 1
        faces, number = branch.ways[branch.place]
        self.ways *= number
        self.out_of *= branch.out_of
        return faces


class _Ways(NamedTuple):
    """How dice of one kind fall."""

    number: Callable[[int, int], int]
    """In how many different ways."""
    listed: Callable[[int, int], Sequence[tuple[Sequence[int], int]]]
    """Each way, with how many orders of the faces amount to it."""


def enumerate_chances(
    throw: Callable[[Any, Dice], Ended],
    situation: object,
    outcomes: Iterable[StrEnum],
    measure: Callable[[Any], int | None],
    work: int = WORK,
) -> Chances:
    """Work out the chances of a rule by running it under every fall of its dice.

    Raises `Refusal` `odds_too_large`, before and during the walk, where that would take more than `work`
    runs.
    """
    dice = BranchingDice(work)
    counts: defaultdict[tuple[int, StrEnum | None, bool | None, int | None], int] = defaultdict(int)
    more = True
    while more:
        result = throw(situation, dice)
        counts[dice.out_of, result.outcome, result.success, measure(result)] += dice.ways
        more = dice.next_run()
    return _summed(counts, tuple(outcomes))


def _summed(
    counts: Mapping[tuple[int, StrEnum | None, bool | None, int | None], int], outcomes: tuple[StrEnum, ...]
) -> Chances:
    by_outcome: Counter[StrEnum | None] = Counter()
    by_value: Counter[int | None] = Counter()
    by_success: Counter[bool | None] = Counter()
    whole = lcm(*{out_of for out_of, *_ in counts})
    for (out_of, outcome, success, value), ways in counts.items():
        weight = ways * (whole // out_of)
        by_outcome[outcome] += weight
        by_success[success] += weight
        by_value[value] += weight
    values = sorted((value, weight) for value, weight in by_value.items() if value is not None)
    return Chances(
        outcomes={
            outcome: Fraction(by_outcome[outcome], whole) for outcome in outcomes if None not in by_outcome
        },
        success=None if None in by_success else Fraction(by_success[True], whole),
        distribution=tuple((value, Fraction(weight, whole)) for value, weight in values),
        mean=mean_of(values),
    )


def mean_of(weighted: Iterable[tuple[int, int | Fraction]]) -> Fraction | None:
    """Take the mean of values by their weights, given that it is one of them; None where there are none."""
    pairs = tuple(weighted)
    whole = sum(weight for _, weight in pairs)
    return Fraction(sum(value * weight for value, weight in pairs)) / whole if whole else None


@cache
def _in_order(count: int, sides: int) -> Sequence[tuple[Sequence[int], int]]:
    return [(faces, 1) for faces in product(range(1, sides + 1), repeat=count)]


@cache
def _in_any_order(count: int, sides: int) -> Sequence[tuple[Sequence[int], int]]:
    return [
        (faces, factorial(count) // prod(factorial(same) for same in Counter(faces).values()))
        for faces in combinations_with_replacement(range(1, sides + 1), count)
    ]


_TUPLES: Final = _Ways(lambda count, sides: sides**count, _in_order)
_MULTISETS: Final = _Ways(lambda count, sides: comb(count + sides - 1, count), _in_any_order)
