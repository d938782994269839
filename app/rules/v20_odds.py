"""V20: the exact odds of a pool in closed form, for pools far beyond what could be enumerated.

A die is a generating function: the coefficient of z^x is its chance of x net successes (rolled successes
minus the ones that cancel). A pool is a power of it. The coefficients are counted in whole numbers, which
become fractions only at the very end; that the net is never below zero is applied last.
"""

from collections.abc import Iterator
from enum import Enum, auto
from fractions import Fraction
from functools import cache
from itertools import islice, pairwise
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


class PoolOdds(NamedTuple):
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
    def mean(self) -> Fraction:
        """The mean net successes with rerolls: the slope of the generating function's logarithm at z = 1."""
        slope = sum(net * weight for net, weight in enumerate(self.numerator, self.lowest))
        return Fraction(slope, sum(self.numerator)) + Fraction(1, SIDES - 1)


def pool_odds(pool: int, difficulty: int, tens: Tens, automatic: int, required: int) -> PoolOdds:
    """Work out the exact odds of a pool. The bound on the number of rerolled dice is left aside.

    `pool` is 0 to 100 dice, `difficulty` the applied one (1 to 10), `automatic` the automatic successes
    (0 or 1), `required` the successes needed (1 to 100).
    """
    die = _die(difficulty, tens)
    counts, whole, rest = _listed(die, pool) if die.rerolls else (_power(die, pool), die.whole**pool, 0)
    even = -die.lowest * pool
    # Where the ones outnumber the successes the net is 0.
    net = [sum(counts[: even + 1]), *counts[even + 1 :]]
    botches = 0 if automatic else _botches(pool, difficulty)
    botch = Fraction(botches, SIDES**pool)
    if die.rerolls:
        success = 1 - _chance_below(die, pool, required - automatic)
        failure = 1 - success - botch
        # The mean of max(0, x) is the mean of x and what lies below zero, which is a finite sum.
        below_zero = sum((even - place) * count for place, count in enumerate(counts[:even]))
        mean = automatic + pool * die.mean + Fraction(below_zero, whole)
    else:
        enough = sum(net[required - automatic :])
        success = Fraction(enough, whole)
        failure = Fraction(whole - enough - botches, whole)
        mean = Fraction(sum(total * count for total, count in enumerate(net, automatic)), whole)
    return PoolOdds(
        success=success,
        failure=failure,
        botch=botch,
        distribution=tuple(
            (value, Fraction(count, whole)) for value, count in enumerate(net, automatic) if count
        ),
        remainder=Fraction(rest, whole) if rest else None,
        mean=mean,
    )


@cache
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


def _power(die: _Die, pool: int) -> list[int]:
    """Count the chances of a pool whose tens are not rerolled, from its least net successes up.

    The die's polynomial is raised to the power with its coefficients side by side in one number, each in
    bits enough for all of them together: one multiplication of whole numbers adds them all up.
    """
    width = (die.whole**pool).bit_length()
    mask = (1 << width) - 1
    packed = sum(weight << width * place for place, weight in enumerate(die.numerator)) ** pool
    counts = []
    while packed:
        counts.append(packed & mask)
        packed >>= width
    return counts


def _counts(die: _Die, pool: int) -> Iterator[int]:
    """Count the chances of a pool with rerolls from its least net successes up, without end.

    The first is out of whole^pool, each next one out of ten times as many. In y = z / 10 that makes
    integers: F = M(y)^n / (1 - y)^n. From M (1 - y) F' = n (M' (1 - y) + M) F, power by power, each
    coefficient follows from those before it.
    """
    series = [weight * SIDES**power for power, weight in enumerate(die.numerator)] + [0]
    terms = [
        (here - before, pool * (power * here - (power - 2) * before))
        for power, (before, here) in enumerate(pairwise(series), 1)
    ]
    counts = [series[0] ** pool]
    while True:
        yield counts[-1]
        place = len(counts)
        total = sum(
            (right - (place - back) * left) * counts[-back]
            for back, (left, right) in enumerate(terms[:place], 1)
        )
        counts.append(total // (place * series[0]))


def _listed(die: _Die, pool: int) -> tuple[list[int], int, int]:
    """Count the chances of a pool with rerolls until the rest is small; with their whole and the rest.

    The list always reaches beyond zero: no pool's chance of a net success is as small as that.
    """
    counts = _counts(die, pool)
    listed = [next(counts)]
    whole = die.whole**pool
    rest = whole - listed[0]
    while rest * PRECISION >= whole:
        listed.append(next(counts))
        whole *= SIDES
        rest = rest * SIDES - listed[-1]
    last = len(listed) - 1
    return [count * SIDES ** (last - place) for place, count in enumerate(listed)], whole, rest


def _chance_below(die: _Die, pool: int, net: int) -> Fraction:
    """Add up the chances of fewer net successes than `net`, which are finitely many with rerolls too."""
    if net == 0:
        return Fraction(0)
    places = net - die.lowest * pool
    below = 0
    for count in islice(_counts(die, pool), places):
        below = below * SIDES + count
    return Fraction(below, die.whole**pool * SIDES ** (places - 1))


def _botches(pool: int, difficulty: int) -> int:
    """Count the botches among 10^pool throws: no die reaches the difficulty, and not all miss the 1.

    At difficulty 1 every die succeeds. Rerolls change nothing, since their 10 was a success.
    """
    return 0 if difficulty == 1 else (difficulty - 1) ** pool - (difficulty - 2) ** pool
