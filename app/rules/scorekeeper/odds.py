"""The exact odds of an extended roll, without walking through its rolls.

Effects are never below 0, so that short of a fumble the total only grows: it is still too low after so many
rolls exactly where their sum is too low. That turns a walk over totals (up to 10,000 of them) into counting
sums, and the counting takes no longer for a high total than for a low one:

1. Take away from each ordinary success the lowest effect such a success can have. What is left is a whole
   number from 0 up, one for each of the faces that succeed; `_sums_below` counts the sums of these.
2. `_successes_below` adds the natural 1 and the lowest effects again, `_still_below` the faces that add 0.
3. A fumble that loses everything starts the sum anew from 0; `_unreached` puts the stretches between
   fumbles together.

All numbers are whole numbers of sequences of faces, out of 20^rolls, until the end.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate, chain, islice, repeat
from math import comb
from operator import sub
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from app.rules.chances import Chances
from app.rules.odds_answer import Chance
from app.rules.scorekeeper.check import NATURAL_FUMBLE, NATURAL_SUCCESS, SIDES
from app.rules.scorekeeper.extended import (
    MAX_ROLLS,
    ScorekeeperExtendedOutcome,
    ScorekeeperOnFumble,
    Undertaking,
)


class ExtendedOdds(NamedTuple):
    """The exact chances of an extended roll."""

    reached_within: tuple[Fraction, ...]
    """The chance of having reached the total by the 1st, 2nd … and last roll allowed."""
    rolls_used: tuple[tuple[int, Fraction], ...]
    """How likely each number of rolls is, ascending, without those that cannot be; not reaching the total
    uses all of them."""

    @property
    def reached(self) -> Fraction:
        """The chance of reaching the total at all."""
        return self.reached_within[-1]

    @property
    def mean(self) -> Fraction:
        """The mean number of rolls used."""
        return 1 + sum((1 - chance for chance in self.reached_within[:-1]), Fraction(0))


class _Faces(NamedTuple):
    """What the faces of a die do in an extended roll."""

    natural: int
    """The effect of a natural 1."""
    lowest: int
    """The lowest effect of an ordinary success; 0 where there is none."""
    ordinary: int
    """The number of faces that are an ordinary success: the effects from `lowest` up, one face each."""
    idle: int
    """The number of faces that add 0 without a success, a fumble that loses nothing included."""


class ScorekeeperReachedWithin(Chance):
    """The chance of having reached the total by some roll."""

    rolls: Annotated[int, Field(ge=1, le=MAX_ROLLS, description="Within so many rolls.")]


ReachedWithin = Annotated[
    list[ScorekeeperReachedWithin], Field(description="The chance of having reached the total, roll by roll.")
]


def chances(undertaking: Undertaking) -> Chances:
    """Work out the exact chances of an extended roll in closed form."""
    odds = odds_of(undertaking)
    return Chances(
        outcomes={
            ScorekeeperExtendedOutcome.REACHED: odds.reached,
            ScorekeeperExtendedOutcome.NOT_REACHED: 1 - odds.reached,
        },
        success=odds.reached,
        distribution=odds.rolls_used,
        mean=odds.mean,
    )


def reached_within(undertaking: Undertaking, chances: Chances) -> list[Mapping[str, Any]]:
    """Add up, roll by roll, the chance of having reached the total."""
    used = dict(chances.distribution)
    before_last = accumulate(used.get(rolls, Fraction(0)) for rolls in range(1, undertaking.max_rolls))
    within = [*before_last, chances.outcomes[ScorekeeperExtendedOutcome.REACHED]]
    return [{"rolls": rolls, "probability": chance} for rolls, chance in enumerate(within, 1)]


def odds_of(undertaking: Undertaking) -> ExtendedOdds:
    """Work out the exact chances of an extended roll."""
    unreached = _unreached(undertaking)
    reached_within = tuple(
        Fraction(SIDES**rolls - short, SIDES**rolls) for rolls, short in enumerate(unreached) if rolls
    )
    used = [
        (rolls, Fraction(unreached[rolls - 1] * SIDES - unreached[rolls], SIDES**rolls))
        for rolls in range(1, undertaking.max_rolls)
    ]
    last = undertaking.max_rolls - 1
    used.append((undertaking.max_rolls, Fraction(unreached[last], SIDES**last)))
    return ExtendedOdds(reached_within, tuple((rolls, chance) for rolls, chance in used if chance))


def _unreached(undertaking: Undertaking) -> list[int]:
    """Count the sequences of 0, 1, 2 … rolls after which the total is not reached.

    Where a fumble loses everything: those without a fumble, and for each place of the last fumble those
    that had not reached the total before it and do not reach it from 0 after it.
    """
    faces = _faces(undertaking)
    rolls = undertaking.max_rolls
    sums = _sums_below(faces.ordinary, rolls, undertaking.target_effect)
    missing = undertaking.target_effect - undertaking.accumulated
    unreached = _still_below(missing, faces, sums)
    if undertaking.on_fumble is ScorekeeperOnFumble.LOSE_ALL:
        anew = _still_below(undertaking.target_effect, faces, sums)
        for count in range(rolls + 1):
            unreached[count] += sum(unreached[before] * anew[count - 1 - before] for before in range(count))
    return unreached


def _faces(undertaking: Undertaking) -> _Faces:
    """Ask the rule what each face does."""
    natural, *others = (undertaking.read(face).effect for face in range(NATURAL_SUCCESS, NATURAL_FUMBLE))
    effects = [effect for effect in others if effect is not None]
    idle = len(others) - len(effects)
    if undertaking.on_fumble is ScorekeeperOnFumble.LOSE_NOTHING:
        idle += 1
    return _Faces(natural=natural or 0, lowest=min(effects, default=0), ordinary=len(effects), idle=idle)


def _sums_below(width: int, terms: int, most: int) -> list[list[int]]:
    """Count sums of numbers from 0 to `width - 1`, for 0 to `terms` of them.

    Entry [n][s] is the number of ways in which n numbers add up to less than s. A row ends at `most`, or
    where all sums are below; with a width of 0 there are no numbers and no sums.
    """
    rows = [[0, 1]]
    for _ in range(terms):
        before = rows[-1]
        # With a last number of 0 to width - 1, the others add up to less than s, s - 1 … s - width + 1.
        at_most = accumulate(chain(before, repeat(before[-1])))
        too_low = chain(repeat(0, width), accumulate(before))
        rows.append(list(islice(map(sub, at_most, too_low), most + 1)))
    return rows


def _still_below(missing: int, faces: _Faces, sums: list[list[int]]) -> list[int]:
    """Count the sequences of 0, 1, 2 … rolls without a fumble that add up to less than `missing`."""
    below = [_successes_below(missing, count, faces, sums) for count in range(len(sums))]
    return [
        sum(
            comb(rolls, successes) * faces.idle ** (rolls - successes) * below[successes]
            for successes in range(rolls + 1)
        )
        for rolls in range(len(sums))
    ]


def _successes_below(missing: int, count: int, faces: _Faces, sums: list[list[int]]) -> int:
    """Count the sequences of `count` successes that add up to less than `missing`."""
    ways = 0
    for ordinary in range(count + 1):
        left = missing - (count - ordinary) * faces.natural - ordinary * faces.lowest
        if left > 0:
            row = sums[ordinary]
            ways += comb(count, ordinary) * row[min(left, len(row) - 1)]
    return ways
