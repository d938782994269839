"""V20: the exact odds of a pool in closed form, for pools far beyond what could be enumerated.

A die is a generating function: the coefficient of z^x is its chance of x net successes (rolled successes
minus the ones that cancel). A pool is a power of it. The coefficients are counted in whole numbers, which
become fractions only at the very end; that the net is never below zero is applied last.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple

SIDES: Final = 10
PRECISION: Final = 10**12
"""An endless distribution is listed until the rest is below one part in so many."""


class Tens(Enum):
    """What a 10 does beside being a success."""

    PLAIN = auto()
    """Nothing more."""
    DOUBLED = auto()
    """It counts a second success."""
    REROLLED = auto()
    """It brings one more die, whose 1 cancels a success."""
    REROLLED_SPARING = auto()
    """It brings one more die, whose 1 cancels nothing."""


@dataclass(frozen=True)
class PoolOdds:
    """The exact chances of a pool."""

    success: Fraction
    failure: Fraction
    botch: Fraction
    distribution: tuple[tuple[int, Fraction], ...]
    """Numbers of total successes with their chances above 0, ascending."""
    remainder: Fraction | None
    """The chance of all numbers beyond the list; None where the list is complete."""
    mean: Fraction
    """The mean of the total successes, with those beyond the list."""


class _Die(NamedTuple):
    """One die's chances: z^lowest * numerator(z), over 10 - z where tens are rerolled."""

    lowest: int
    """The least net successes of a die."""
    numerator: tuple[int, ...]
    whole: int
    """What the chance of the least is counted over: the first coefficient is one in so many."""
    rerolls: bool

    @property
    def step(self) -> int:
        """How many times as large the whole is for each next coefficient."""
        return SIDES if self.rerolls else 1

    @property
    def mean(self) -> Fraction:
        """The mean net successes: the slope of the generating function's logarithm at z = 1."""
        slope = sum(net * weight for net, weight in enumerate(self.numerator, self.lowest))
        return Fraction(slope, sum(self.numerator)) + Fraction(self.rerolls, SIDES - 1)


def pool_odds(pool: int, difficulty: int, tens: Tens, automatic: int, required: int) -> PoolOdds:
    """Work out the exact odds of a pool. The bound on the number of rerolled dice is left aside.

    `pool` is 0 to 100 dice, `difficulty` the applied one (1 to 10), `automatic` the automatic successes
    (0 or 1), `required` the successes needed (1 to 100).
    """
    die = _die(difficulty, tens)
    counts, whole, rest = _listed(die, pool)
    even = -die.lowest * pool
    # Where the ones outnumber the successes the net is 0.
    net = [sum(counts[: even + 1]), *counts[even + 1 :]]
    # The mean of max(0, x) is the mean of x and what lies below zero, which is a finite sum.
    below_zero = sum((even - place) * count for place, count in enumerate(counts[:even]))
    success = 1 - _chance_below(die, pool, required - automatic)
    botch = Fraction(0 if automatic else _botches(pool, difficulty), SIDES**pool)
    return PoolOdds(
        success=success,
        failure=1 - success - botch,
        botch=botch,
        distribution=tuple(
            (value, Fraction(count, whole)) for value, count in enumerate(net, automatic) if count
        ),
        remainder=Fraction(rest, whole) if rest else None,
        mean=automatic + pool * die.mean + Fraction(below_zero, whole),
    )


def _die(difficulty: int, tens: Tens) -> _Die:
    """Write down one die.

    Of its faces, the 1 takes one away, difficulty - 2 do nothing, 10 - difficulty are one success and the
    10 is what `tens` says. At difficulty 1 the 1 succeeds and cancels itself, and eight faces are between.

    A rerolled 10 is a success and the whole die again: P = (others + z P) / 10, so P = others / (10 - z).
    Where new ones are spared, what comes again is a die whose 1 takes nothing away, R = spared / (10 - z), so
    P = (others + z R) / 10 = (others (10 - z) + z spared) / (10 (10 - z)).
    """
    if difficulty == 1:
        return {
            Tens.PLAIN: _Die(0, (1, 9), 10, rerolls=False),
            Tens.DOUBLED: _Die(0, (1, 8, 1), 10, rerolls=False),
            Tens.REROLLED: _Die(0, (1, 8), 10, rerolls=True),
            Tens.REROLLED_SPARING: _Die(0, (10, 79, 1), 100, rerolls=True),
        }[tens]
    idle, hits = difficulty - 2, SIDES - difficulty
    return {
        Tens.PLAIN: _Die(-1, (1, idle, hits + 1), 10, rerolls=False),
        Tens.DOUBLED: _Die(-1, (1, idle, hits, 1), 10, rerolls=False),
        Tens.REROLLED: _Die(-1, (1, idle, hits), 10, rerolls=True),
        Tens.REROLLED_SPARING: _Die(-1, (10, 10 * idle - 1, 10 * hits + 1), 100, rerolls=True),
    }[tens]


def _counts(die: _Die, pool: int) -> Iterator[int]:
    """Count the chances of a pool from its least net successes up, without end.

    The first is out of whole^pool, each next one out of `step` times as many. In y = z / step that makes
    integers: F = M(y)^n / (1 - y)^(e n) with e = 1 for rerolls, else 0. From M (1 - y)^e F' =
    n (M' (1 - y)^e + e M) F, power by power, each coefficient follows from those before it.
    """
    series = [weight * die.step**power for power, weight in enumerate(die.numerator)] + [0]
    shifted = [0, *series[:-1]] if die.rerolls else [0] * len(series)
    terms = [
        (here - before, pool * (power * here - (power - 2) * before))
        for power, (here, before) in enumerate(zip(series, shifted, strict=True))
    ]
    counts = [series[0] ** pool]
    while True:
        yield counts[-1]
        place = len(counts)
        total = sum(
            (right - (place - back) * left) * counts[place - back]
            for back, (left, right) in enumerate(terms[: place + 1])
            if back
        )
        counts.append(total // (place * series[0]))


def _listed(die: _Die, pool: int) -> tuple[list[int], int, int]:
    """Count all chances, or with rerolls until the rest is small; with their whole and the rest.

    The list always reaches beyond zero: no pool's chance of a net success is as small as that.
    """
    counts = _counts(die, pool)
    listed = [next(counts)]
    whole = die.whole**pool
    rest = whole - listed[0]
    while (rest * PRECISION >= whole) if die.rerolls else rest:
        listed.append(next(counts))
        whole *= die.step
        rest = rest * die.step - listed[-1]
    last = len(listed) - 1
    return [count * die.step ** (last - place) for place, count in enumerate(listed)], whole, rest


def _chance_below(die: _Die, pool: int, net: int) -> Fraction:
    """Add up the chances of fewer net successes than `net`, which are finitely many with rerolls too."""
    if net == 0:
        return Fraction(0)
    places = net - die.lowest * pool
    below = 0
    for count in islice(_counts(die, pool), places):
        below = below * die.step + count
    return Fraction(below, die.whole**pool * die.step ** (places - 1))


def _botches(pool: int, difficulty: int) -> int:
    """Count the botches among 10^pool throws: no die reaches the difficulty, and not all miss the 1.

    At difficulty 1 every die succeeds. Rerolls change nothing, since their 10 was a success.
    """
    return 0 if difficulty == 1 else (difficulty - 1) ** pool - (difficulty - 2) ** pool
