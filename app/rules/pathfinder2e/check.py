"""A check: d20 plus total modifier against a DC, then the degree of success.

Sections named in brackets are those of the German rule text ("Schritt 3: Ergebnis mit dem SG
vergleichen"); where they leave something open, the ruling is said.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

from app.rules.dice import Dice
from app.rules.pathfinder2e.degree import (
    SIDES,
    SUCCESSES,
    PathfinderOutcome,
    degree_after_natural,
    degree_by_numbers,
)
from app.rules.pathfinder2e.request import (
    PathfinderAdjustment,
    PathfinderCheck,
    PathfinderRoll,
    PathfinderStatistic,
)
from app.rules.pathfinder2e.stacking import PathfinderPart, PathfinderRank, Settled, settle
from app.rules.refusal import Refusal
from app.rules.shapes import record

DC_BASE: Final = 10
"""What a total modifier is added to where it stands against a check (Berechnung von SG)."""


PathfinderAdjusted = TypedDict(
    "PathfinderAdjusted",
    {
        "label": Annotated[str | None, Field(description="As sent.")],
        "from": PathfinderOutcome,
        "to": PathfinderOutcome,
    },
)


@record
class PathfinderCheckResult:
    """A check, read from its die."""

    outcome: Annotated[
        PathfinderOutcome | None, Field(description="The degree at the end; null without a DC.")
    ]
    success: Annotated[bool | None, Field(description="True at a success or better; null without a DC.")]
    roll: Annotated[int, Field(ge=1, le=SIDES, description="The die that was kept.")]
    total_modifier: Annotated[int, Field(description="All parts that count, added up.")]
    result: Annotated[int, Field(description="The die plus the total modifier.")]
    dc: Annotated[int | None, Field(description="The DC after its modifiers.")]
    margin: Annotated[int | None, Field(description="Result minus DC.")]
    degree_by_numbers: Annotated[
        PathfinderOutcome | None, Field(description="Result against DC, before anything changes it.")
    ]
    degree_after_natural: Annotated[
        PathfinderOutcome | None, Field(description="After a natural 20 or a natural 1.")
    ]
    treated_as: Annotated[
        PathfinderOutcome | None,
        Field(description="The degree whose effect holds, where criticals have none of their own."),
    ]
    adjustments: Annotated[
        tuple[PathfinderAdjusted, ...],
        Field(description="The adjustments that acted, those that changed nothing included."),
    ]
    breakdown: Annotated[
        tuple[PathfinderPart, ...],
        Field(description="Every part of the total modifier: attribute, proficiency, then the modifiers."),
    ]
    dc_breakdown: Annotated[
        tuple[PathfinderPart, ...] | None,
        Field(description="The same for what the DC is made of; null where it was given as it stands."),
    ]


class _Difficulty(NamedTuple):
    """A DC and what it is made of."""

    dc: int | None
    breakdown: tuple[PathfinderPart, ...] | None


class _Ready(NamedTuple):
    """How many dice are thrown, which one is kept and how it is read."""

    dice: int
    keep: Callable[[Sequence[int]], int]
    read: Callable[[int], PathfinderCheckResult]


class _Degrees(NamedTuple):
    """The way of a degree from the numbers to its effect. Without a DC there is none."""

    outcome: PathfinderOutcome | None = None
    success: bool | None = None
    margin: int | None = None
    degree_by_numbers: PathfinderOutcome | None = None
    degree_after_natural: PathfinderOutcome | None = None
    treated_as: PathfinderOutcome | None = None
    adjustments: tuple[PathfinderAdjusted, ...] = ()


NO_DEGREES: Final = _Degrees()


def weigh(request: PathfinderRoll) -> _Ready:
    """Add up the total modifier and the DC of a check (Schritte 1 and 2, Berechnung von SG).

    The readings of two dice are cached, since odds ask for the same kept face again and again.

    Raises `Refusal`: `flat_check_takes_no_modifiers`, `dc_modifiers_without_dc`, `dc_and_against`.
    """
    if request.check is PathfinderCheck.FLAT:
        _refuse_modifiers(request)
    difficulty = _difficulty(request)
    settled = settle(request.attribute_modifier, request.proficiency, request.modifiers)
    read = partial(_read, request, settled, difficulty)
    if request.fortune == request.misfortune:
        return _Ready(1, max, read)
    return _Ready(2, max if request.fortune else min, cache(read))


def roll(check: _Ready, dice: Dice) -> PathfinderCheckResult:
    """Throw the die, or the two of fortune or misfortune, and read the one that is kept."""
    return check.read(check.keep(dice.pool(check.dice, SIDES)))


def _refuse_modifiers(request: PathfinderRoll) -> None:
    """Let a flat check have no modifier, bonus or penalty (Einfache Würfe).

    Ruling: what is disabled or 0 is none, and the rank untrained neither; any other rank is one.
    """
    proficiency = request.proficiency
    if request.attribute_modifier != 0:
        raise Refusal("flat_check_takes_no_modifiers", "/attribute_modifier")
    if proficiency is not None and proficiency.rank is not PathfinderRank.UNTRAINED:
        raise Refusal("flat_check_takes_no_modifiers", "/proficiency")
    if any(modifier.enabled and modifier.value for modifier in request.modifiers):
        raise Refusal("flat_check_takes_no_modifiers", "/modifiers")


def _difficulty(request: PathfinderRoll) -> _Difficulty:
    """Take the DC as given, with its modifiers, or make it of the opponent's statistic, or have none."""
    if request.dc_modifiers and request.dc is None:
        raise Refusal("dc_modifiers_without_dc", "/dc")
    if request.against is not None:
        return _difficulty_against(request.against, request.dc)
    if request.dc is None or not request.dc_modifiers:
        return _Difficulty(request.dc, None)
    total, parts = settle(0, None, request.dc_modifiers)
    return _Difficulty(request.dc + total, parts)


def _difficulty_against(against: PathfinderStatistic, dc: int | None) -> _Difficulty:
    """Make the DC of a statistic: 10 plus its total modifier (Berechnung von SG)."""
    if dc is not None:
        raise Refusal("dc_and_against", "/against")
    total, parts = settle(against.attribute_modifier, against.proficiency, against.modifiers)
    return _Difficulty(DC_BASE + total, parts)


def _read(
    request: PathfinderRoll, settled: Settled, difficulty: _Difficulty, face: int
) -> PathfinderCheckResult:
    result = face + settled.total
    dc = difficulty.dc
    degrees = NO_DEGREES if dc is None else _degrees(request, result - dc, face)
    return PathfinderCheckResult(
        roll=face,
        total_modifier=settled.total,
        result=result,
        dc=dc,
        breakdown=settled.parts,
        dc_breakdown=difficulty.breakdown,
        **degrees._asdict(),
    )


def _degrees(request: PathfinderRoll, margin: int, face: int) -> _Degrees:
    """Find the degree (Schritt 4): by numbers, then the face, then abilities, then what is written."""
    by_numbers = degree_by_numbers(margin)
    after_natural = degree_after_natural(by_numbers, face)
    outcome, adjustments = _adjust(after_natural, request.adjustments)
    return _Degrees(
        outcome=outcome,
        success=outcome in SUCCESSES,
        margin=margin,
        degree_by_numbers=by_numbers,
        degree_after_natural=after_natural,
        treated_as=_treated_as(outcome, request),
        adjustments=adjustments,
    )


def _adjust(
    degree: PathfinderOutcome, adjustments: tuple[PathfinderAdjustment, ...]
) -> tuple[PathfinderOutcome, tuple[PathfinderAdjusted, ...]]:
    """Let abilities change the degree. Ruling: in the order listed, each seeing the degree so far."""
    acted: list[PathfinderAdjusted] = []
    for adjustment in adjustments:
        if adjustment.acts_on(degree):
            before, degree = degree, adjustment.adjusted(degree)
            acted.append({"label": adjustment.label, "from": before, "to": degree})
    return degree, tuple(acted)


def _treated_as(outcome: PathfinderOutcome, request: PathfinderRoll) -> PathfinderOutcome:
    """Treat a critical as the plain degree where nothing is written about it (Schritt 4)."""
    if outcome is PathfinderOutcome.CRITICAL_SUCCESS and not request.critical_success_effect:
        return PathfinderOutcome.SUCCESS
    if outcome is PathfinderOutcome.CRITICAL_FAILURE and not request.critical_failure_effect:
        return PathfinderOutcome.FAILURE
    return outcome
