"""ZRPS: a d20 at or under the effective value.

Sections named in brackets are those of the German rule text ("Erfolgsgrad/Fehlergrad").
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Annotated, Final

from pydantic import Field

from app.rules.catalog import Spoken, Words, load_catalog
from app.rules.contest import ContestOutcome, Standing, compare
from app.rules.dice import Dice
from app.rules.display import load_display
from app.rules.fields import DiceRequest, FacesD20, Frozen, Label, Modifiers, Value, total
from app.rules.phrases import cut, fit, plain, sum_of
from app.rules.ruleset import Action, OddsOf, Ruleset
from app.rules.shapes import OneOf, record

SIDES: Final = 20
ALWAYS_CRITICAL_SUCCESS: Final = 2
ALWAYS_CRITICAL_FAILURE: Final = 20
OFTEN_CRITICAL_FAILURE: Final = 18
STEADY_VALUE: Final = 15
"""From this effective value on, an 18 or 19 is no critical failure by itself."""
CRITICAL_GRADE: Final = 10


class ZrpsOutcome(OneOf):
    """How a test ends."""

    CRITICAL_SUCCESS = "critical_success"
    SUCCESS = "success"
    FAILURE = "failure"
    CRITICAL_FAILURE = "critical_failure"


class ZrpsCriticalBy(OneOf):
    """What makes a test critical."""

    DIE = "die"
    GRADE = "grade"


class ZrpsRoll(DiceRequest):
    """A test (Testwurf) against an effective value."""

    value: Value = Field(description="The base value (Basiswert).")
    modifiers: Modifiers = ()
    faces: FacesD20 = None


class ZrpsContestant(Frozen):
    """One side of a contest (Wettbewerb)."""

    name: Label | None = Field(default=None, description="Who it is, for people.")
    values: tuple[Value, ...] = Field(
        min_length=1, max_length=20, description="Base values that fit; the highest one counts."
    )
    modifiers: Modifiers = ()


class ZrpsContest(DiceRequest):
    """Two sides test against each other."""

    contestants: tuple[ZrpsContestant, ...] = Field(
        min_length=2, max_length=2, description="The two sides; the first one's die is thrown first."
    )
    faces: FacesD20 = None


@record
class ZrpsTest:
    """A test, read from its die."""

    outcome: ZrpsOutcome
    success: Annotated[bool, Field(description="Whether the test succeeds.")]
    roll: Annotated[int, Field(ge=1, le=SIDES, description="The die.")]
    effective_value: Annotated[int, Field(description="Base value plus all modifiers.")]
    grade: Annotated[
        int, Field(ge=0, description="Success grade or failure grade; 0 where the die alone decided.")
    ]
    margin: Annotated[int, Field(description="Effective value minus die, signed.")]
    critical_by: Annotated[
        tuple[ZrpsCriticalBy, ...], Field(description="What makes it critical; empty where it is not.")
    ]


@record
class _Named:
    name: Annotated[str | None, Field(description="As sent.")]


@record
class ZrpsContestantResult(ZrpsTest, _Named):
    """One side's test in a contest."""


class ZrpsContestReason(OneOf):
    """Why a contest ended as it did."""

    ONLY_SUCCESS = "only_success"
    HIGHER_GRADE = "higher_grade"
    EQUAL_GRADE = "equal_grade"
    BOTH_FAILED = "both_failed"


@record
class ZrpsContestResult:
    """A contest, read from both dice."""

    outcome: ContestOutcome
    success: None
    winner: Annotated[int | None, Field(ge=0, le=1, description="Index of the winner, null for nobody.")]
    reason: ZrpsContestReason
    lead: Annotated[
        int | None,
        Field(ge=0, description="The winner's grade minus the loser's; null unless both succeeded."),
    ]
    contestants: Annotated[
        tuple[ZrpsContestantResult, ...],
        Field(min_length=2, max_length=2, description="Both sides, in the order of the request."),
    ]


def effective_value(request: ZrpsRoll) -> int:
    """Add the modifiers to the base value (Modifiers: "Basiswert + Modifikatoren = effektiver Wert")."""
    return request.value + total(request.modifiers)


def roll(effective: int, dice: Dice) -> ZrpsTest:
    """Throw a d20 against an effective value."""
    (face,) = dice.throw(1, SIDES)
    return read(effective, face)


Sides = tuple[Callable[[int], ZrpsContestantResult], ...]
"""Both sides of a contest, each as the function that reads its die."""


def sides_of(request: ZrpsContest) -> Sides:
    """Weigh both sides: each becomes the function that reads its die.

    Each side uses its highest value, then its modifiers (Wettbewerbe). A reading is kept, since odds ask
    for the same face of one side once for every face of the other.
    """
    return tuple(
        cache(partial(_read_side, side.name, max(side.values) + total(side.modifiers)))
        for side in request.contestants
    )


def contest(sides: Sides, dice: Dice) -> ZrpsContestResult:
    """Throw a d20 for each side and compare (Wettbewerbe)."""
    standing, first, second = _meet(sides, dice)
    return ZrpsContestResult(
        outcome=standing.outcome,
        success=None,
        winner=standing.winner,
        reason=_reason(standing, both_succeeded=first.success and second.success),
        lead=standing.lead,
        contestants=(first, second),
    )


def stand(sides: Sides, dice: Dice) -> Standing:
    """Say only who wins and by how much, which is all that odds ask, 400 times over."""
    return _meet(sides, dice)[0]


def _meet(sides: Sides, dice: Dice) -> tuple[Standing, ZrpsContestantResult, ZrpsContestantResult]:
    """Compare two tests. A critical does not trump a grade; two failures with equal grades are a draw."""
    faces = dice.throw(2, SIDES)
    first, second = sides[0](faces[0]), sides[1](faces[1])
    standing = compare(first.grade if first.success else None, second.grade if second.success else None)
    if standing.outcome is ContestOutcome.NONE and first.grade == second.grade:
        standing = Standing(ContestOutcome.DRAW, None, None)
    return standing, first, second


def read(effective: int, face: int) -> ZrpsTest:
    """Read a die against an effective value: first the faces that decide alone, then the comparison.

    Rules: "Kritischer Erfolg/Fehlschlag" and "Erfolgsgrad/Fehlergrad".
    """
    margin = effective - face
    fortunate = face <= ALWAYS_CRITICAL_SUCCESS
    disastrous = face == ALWAYS_CRITICAL_FAILURE or (
        face >= OFTEN_CRITICAL_FAILURE and effective < STEADY_VALUE
    )
    success = fortunate or (not disastrous and margin >= 0)
    grade = max(0, margin if success else -margin)
    critical_by = _CRITICAL_BY[fortunate or disastrous, grade >= CRITICAL_GRADE]
    return ZrpsTest(
        outcome=_OUTCOMES[success, bool(critical_by)],
        success=success,
        roll=face,
        effective_value=effective,
        grade=grade,
        margin=margin,
        critical_by=critical_by,
    )


_OUTCOMES: Final = {
    (True, True): ZrpsOutcome.CRITICAL_SUCCESS,
    (True, False): ZrpsOutcome.SUCCESS,
    (False, False): ZrpsOutcome.FAILURE,
    (False, True): ZrpsOutcome.CRITICAL_FAILURE,
}


_CRITICAL_BY: Final[Mapping[tuple[bool, bool], tuple[ZrpsCriticalBy, ...]]] = {
    (True, True): (ZrpsCriticalBy.DIE, ZrpsCriticalBy.GRADE),
    (True, False): (ZrpsCriticalBy.DIE,),
    (False, True): (ZrpsCriticalBy.GRADE,),
    (False, False): (),
}


def _read_side(name: str | None, effective: int, face: int) -> ZrpsContestantResult:
    return ZrpsContestantResult(name=name, **vars(read(effective, face)))


def _reason(standing: Standing, *, both_succeeded: bool) -> ZrpsContestReason:
    if standing.winner is not None:
        return ZrpsContestReason.HIGHER_GRADE if both_succeeded else ZrpsContestReason.ONLY_SUCCESS
    if standing.outcome is ContestOutcome.DRAW:
        return ZrpsContestReason.EQUAL_GRADE
    return ZrpsContestReason.BOTH_FAILED


def _speak_roll(request: ZrpsRoll, test: ZrpsTest, words: Words) -> Spoken:
    label = words.outcomes[test.outcome]
    say = words.say["success" if test.success else "failure"]

    def sentence(room: int) -> str:
        made_of = f" ({sum_of(request.value, request.modifiers, words, room)})" if request.modifiers else ""
        return say(
            roll=test.roll,
            value=plain(test.effective_value),
            made_of=made_of,
            label=label,
            grade=test.grade,
        )

    return label, fit(sentence)


def _speak_contest(request: ZrpsContest, result: ZrpsContestResult, words: Words) -> Spoken:  # noqa: ARG001
    def sentence(room: int) -> str:
        names = [
            cut(side.name, room) or words.texts[f"side_{index}"]
            for index, side in enumerate(result.contestants)
        ]
        sides = [
            words.say["side_success" if side.success else "side_failure"](
                name=name,
                roll=side.roll,
                value=plain(side.effective_value),
                grade=side.grade,
            )
            for name, side in zip(names, result.contestants, strict=True)
        ]
        end = words.outcomes[result.outcome]
        if result.winner is not None and result.contestants[result.winner].name:
            end = words.say["wins"](name=names[result.winner])
        return words.say["contest"](first=sides[0], second=sides[1], end=end)

    return words.outcomes[result.outcome], fit(sentence)


RULESET: Final = Ruleset(
    id="zrps",
    rules_version=1,
    actions=(
        Action(
            name="roll",
            request=ZrpsRoll,
            outcome=ZrpsTest,
            outcomes=ZrpsOutcome,
            sides=SIDES,
            weigh=effective_value,
            throw=roll,
            speak=_speak_roll,
            odds=OddsOf(quantity=lambda _: "margin", throw=roll, measure=lambda test: test.margin),
        ),
        Action(
            name="contest",
            request=ZrpsContest,
            outcome=ZrpsContestResult,
            outcomes=ContestOutcome,
            sides=SIDES,
            weigh=sides_of,
            throw=contest,
            speak=_speak_contest,
            odds=OddsOf(quantity=lambda _: "lead", throw=stand, measure=lambda standing: standing.lead),
            dice=lambda _: 2,
        ),
    ),
    catalog=load_catalog(__file__),
    display=load_display(__file__),
)
