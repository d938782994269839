"""The contest (konkurrierender Wurf): two sides check against each other."""

from collections.abc import Callable
from functools import cache, partial
from typing import Annotated

from pydantic import Field

from app.rules.contest import ContestOutcome, Standing, compare
from app.rules.dice import Dice
from app.rules.fields import DiceRequest, FacesD20, Frozen, Label
from app.rules.scorekeeper.check import (
    SIDES,
    Aim,
    ScorekeeperCheck,
    ScorekeeperHelpedAttempt,
    read,
    weigh_attempt,
)
from app.rules.shapes import OneOf, record


class _NamedSide(Frozen):
    name: Label | None = Field(default=None, description="Who it is, for people.")


class ScorekeeperContestant(ScorekeeperHelpedAttempt, _NamedSide):
    """One side of a contest."""


class ScorekeeperContest(DiceRequest):
    """Two sides check against each other."""

    contestants: tuple[ScorekeeperContestant, ...] = Field(
        min_length=2, max_length=2, description="The two sides; the first one's die is thrown first."
    )
    faces: FacesD20 = None


@record
class _Named:
    name: Annotated[str | None, Field(description="As sent.")]


@record
class ScorekeeperContestantResult(ScorekeeperCheck, _Named):
    """One side's check in a contest."""


class ScorekeeperContestReason(OneOf):
    """Why a contest ended as it did."""

    ONLY_SUCCESS = "only_success"
    HIGHER_EFFECT = "higher_effect"
    EQUAL_EFFECT = "equal_effect"
    BOTH_FAILED = "both_failed"


@record
class ScorekeeperContestResult:
    """A contest, read from both dice."""

    outcome: ContestOutcome
    success: None
    winner: Annotated[int | None, Field(ge=0, le=1, description="Index of the winner, null for nobody.")]
    reason: ScorekeeperContestReason
    lead: Annotated[
        int | None,
        Field(ge=0, description="The winner's effect minus the loser's; null unless both succeeded."),
    ]
    contestants: Annotated[
        tuple[ScorekeeperContestantResult, ...],
        Field(min_length=2, max_length=2, description="Both sides, in the order of the request."),
    ]


Side = Callable[[int], ScorekeeperContestantResult]
"""A weighed side of a contest: it reads a face."""


Sides = tuple[Side, ...]


def sides_of(request: ScorekeeperContest) -> Sides:
    """Weigh both sides: each becomes the function that reads its die.

    A reading is kept, since odds ask for the same face of one side once for every face of the other.
    Raises `Refusal`: those of `weigh_attempt`, for the first side before the second.
    """
    return tuple(
        cache(partial(_read_side, side.name, weigh_attempt(side, side.helpers, f"/contestants/{place}")))
        for place, side in enumerate(request.contestants)
    )


def contest(sides: Sides, dice: Dice) -> ScorekeeperContestResult:
    """Throw a d20 for each side and compare the effects (Sonderregeln: konkurrierende Würfe)."""
    standing, first, second = _meet(sides, dice)
    return ScorekeeperContestResult(
        outcome=standing.outcome,
        success=None,
        winner=standing.winner,
        reason=_reason(standing),
        lead=standing.lead,
        contestants=(first, second),
    )


def stand(sides: Sides, dice: Dice) -> Standing:
    """Say only who wins and by how much, which is all that odds ask, 400 times over."""
    return _meet(sides, dice)[0]


def _meet(
    sides: Sides, dice: Dice
) -> tuple[Standing, ScorekeeperContestantResult, ScorekeeperContestantResult]:
    """Compare two checks. A natural 1 adds 10 to the effect and wins nothing by itself."""
    faces = dice.throw(2, SIDES)
    first, second = sides[0](faces[0]), sides[1](faces[1])
    return compare(first.effect, second.effect), first, second


def _read_side(name: str | None, aim: Aim, face: int) -> ScorekeeperContestantResult:
    return ScorekeeperContestantResult(name=name, **vars(read(aim, face)))


def _reason(standing: Standing) -> ScorekeeperContestReason:
    if standing.outcome is ContestOutcome.NONE:
        return ScorekeeperContestReason.BOTH_FAILED
    if standing.outcome is ContestOutcome.DRAW:
        return ScorekeeperContestReason.EQUAL_EFFECT
    if standing.lead is None:
        return ScorekeeperContestReason.ONLY_SUCCESS
    return ScorekeeperContestReason.HIGHER_EFFECT
