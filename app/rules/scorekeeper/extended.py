"""The extended roll (erweiterter oder kumulierter Wurf): effects add up until they suffice."""

from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from app.rules.dice import Dice
from app.rules.fields import DiceRequest, FacesD20
from app.rules.refusal import Refusal
from app.rules.scorekeeper.check import (
    SIDES,
    ScorekeeperAttempt,
    ScorekeeperCheck,
    ScorekeeperOutcome,
    read,
    weigh_attempt,
)
from app.rules.shapes import OneOf, record

MAX_TARGET_EFFECT: Final = 10_000
MAX_ROLLS: Final = 100


class ScorekeeperExtendedOutcome(OneOf):
    """How an extended roll ends."""

    REACHED = "reached"
    NOT_REACHED = "not_reached"


class ScorekeeperOnFumble(OneOf):
    """What a fumble costs."""

    LOSE_ALL = "lose_all"
    LOSE_NOTHING = "lose_nothing"


class ScorekeeperExtended(ScorekeeperAttempt, DiceRequest):
    """An extended roll: one roll an action until the total effect is reached."""

    target_effect: int = Field(ge=1, le=MAX_TARGET_EFFECT, description="The total effect to reach.")
    accumulated: int = Field(
        default=0, ge=0, le=MAX_TARGET_EFFECT, description="What was gathered before; less than the target."
    )
    max_rolls: int = Field(
        default=20, ge=1, le=MAX_ROLLS, description="The attempt ends after so many rolls."
    )
    on_fumble: ScorekeeperOnFumble = Field(
        default=ScorekeeperOnFumble.LOSE_ALL,
        description="Whether a fumble loses everything gathered, `accumulated` included.",
    )
    faces: FacesD20 = None


@record
class ScorekeeperExtendedRoll:
    """One roll on the way."""

    face: Annotated[int, Field(ge=1, le=SIDES, description="The die.")]
    outcome: ScorekeeperOutcome
    effect: Annotated[int | None, Field(ge=0, description="Null on a failure, which adds 0.")]
    total: Annotated[int, Field(ge=0, description="What is gathered after this roll.")]


@record
class ScorekeeperExtendedResult:
    """An extended roll, read from its dice."""

    outcome: ScorekeeperExtendedOutcome
    success: Annotated[bool, Field(description="Whether it succeeded.")]
    rolls: Annotated[
        tuple[ScorekeeperExtendedRoll, ...],
        Field(min_length=1, max_length=MAX_ROLLS, description="In order."),
    ]
    rolls_used: Annotated[int, Field(ge=1, le=MAX_ROLLS, description="The number of rolls.")]
    accumulated: Annotated[int, Field(ge=0, description="What is gathered in the end, any surplus included.")]


class Undertaking(NamedTuple):
    """An extended roll before its dice fall."""

    read: Callable[[int], ScorekeeperCheck]
    """Reads a face, the same for every roll."""
    target_effect: int
    accumulated: int
    max_rolls: int
    on_fumble: ScorekeeperOnFumble


def weigh(request: ScorekeeperExtended) -> Undertaking:
    """Weigh an extended roll.

    Raises `Refusal`: those of `weigh_attempt`, `already_reached`.
    """
    aim = weigh_attempt(request)
    if request.accumulated >= request.target_effect:
        raise Refusal("already_reached", "/accumulated")
    return Undertaking(
        read=cache(partial(read, aim)),
        target_effect=request.target_effect,
        accumulated=request.accumulated,
        max_rolls=request.max_rolls,
        on_fumble=request.on_fumble,
    )


def extended(undertaking: Undertaking, dice: Dice) -> ScorekeeperExtendedResult:
    """Throw one d20 after the other until the total is reached or the rolls are used up (Sonderregeln)."""
    total = undertaking.accumulated
    rolls: list[ScorekeeperExtendedRoll] = []
    while total < undertaking.target_effect and len(rolls) < undertaking.max_rolls:
        check = undertaking.read(dice.throw(1, SIDES)[0])
        total = _total_after(total, check, undertaking.on_fumble)
        rolls.append(ScorekeeperExtendedRoll(check.roll, check.outcome, check.effect, total))
    reached = total >= undertaking.target_effect
    return ScorekeeperExtendedResult(
        outcome=ScorekeeperExtendedOutcome.REACHED if reached else ScorekeeperExtendedOutcome.NOT_REACHED,
        success=reached,
        rolls=tuple(rolls),
        rolls_used=len(rolls),
        accumulated=total,
    )


def _total_after(total: int, check: ScorekeeperCheck, on_fumble: ScorekeeperOnFumble) -> int:
    """Add an effect; a failure adds 0, a fumble may lose everything but never ends the attempt."""
    if check.outcome is ScorekeeperOutcome.FUMBLE and on_fumble is ScorekeeperOnFumble.LOSE_ALL:
        return 0
    return total + (check.effect or 0)
