"""The check (Erfolgswurf): a d20 at or under the action value, measured by its effect."""

from typing import Annotated, Final, NamedTuple

from pydantic import Field

from app.rules.dice import Dice
from app.rules.fields import DiceRequest, FacesD20, Frozen, Label, Modifiers, Value, total
from app.rules.refusal import Refusal
from app.rules.shapes import OneOf, record

SIDES: Final = 20
NATURAL_SUCCESS: Final = 1
NATURAL_FUMBLE: Final = 20
NATURAL_BONUS: Final = 10
"""What a natural 1 adds to the effect, and in an attack to the damage."""
TAKEN: Final = 10
"""What Take Ten takes instead of a die."""
HELP: Final = 2
"""What each helper adds."""
MAX_HELPERS: Final = 2
ACADEMIC_LEAST: Final = 1
"""The skill points that a check on academic knowledge takes."""
ACADEMIC_HELP_LEAST: Final = 3
"""The skill points that helping with academic knowledge takes."""

Skill = Annotated[int, Field(ge=0, le=1000)]


class ScorekeeperOutcome(OneOf):
    """How a check ends."""

    OUTSTANDING_SUCCESS = "outstanding_success"
    SUCCESS = "success"
    FAILURE = "failure"
    FUMBLE = "fumble"


class ScorekeeperRating(OneOf):
    """What an effect is worth, from least to most."""

    BARELY = "barely"
    SOLID = "solid"
    VERY_GOOD = "very_good"
    PROFESSIONAL = "professional"
    NEAR_PERFECT = "near_perfect"
    SUPERHUMAN = "superhuman"


class ScorekeeperDefense(OneOf):
    """What is left to a defender."""

    PARRY = "parry"
    SAVE = "save"


RATED_FROM: Final = (
    (25, ScorekeeperRating.SUPERHUMAN),
    (16, ScorekeeperRating.NEAR_PERFECT),
    (11, ScorekeeperRating.PROFESSIONAL),
    (6, ScorekeeperRating.VERY_GOOD),
    (1, ScorekeeperRating.SOLID),
    (0, ScorekeeperRating.BARELY),
)
"""The effect from which each rating holds (Effekt). The text has 10 in two bands; it is in the lower one."""
DEFENSES: Final = {
    ScorekeeperOutcome.OUTSTANDING_SUCCESS: (ScorekeeperDefense.PARRY,),
    ScorekeeperOutcome.SUCCESS: (ScorekeeperDefense.PARRY, ScorekeeperDefense.SAVE),
    ScorekeeperOutcome.FAILURE: (),
    ScorekeeperOutcome.FUMBLE: (),
}
"""What an attack leaves to the defender: after a natural 1 nothing but a parry (Erfolgswürfe)."""


class ScorekeeperHelper(Frozen):
    """Someone who helps (Unterstützung)."""

    skill: Skill | None = Field(
        default=None, description="The helper's skill points; needed for academic knowledge, at least 3."
    )
    label: Label | None = Field(default=None, description="Who helps, for people.")


class ScorekeeperAttempt(Frozen):
    """What every kind of roll is tried with."""

    attribute: Value = Field(description="The reference attribute, or the value of a secondary attribute.")
    skill: Skill = Field(default=0, description="Skill points; 0 is untrained.")
    modifiers: Modifiers = ()
    academic: bool = Field(
        default=False,
        description="Academic knowledge (Akademisches Wissen): takes 1 skill point, and 3 of each helper.",
    )
    handicap: int = Field(
        default=0,
        ge=0,
        le=10,
        description="The difficulty that the player sets himself: off the target, onto the effect.",
    )


class ScorekeeperHelpedAttempt(ScorekeeperAttempt):
    """An attempt that others may help with."""

    helpers: tuple[ScorekeeperHelper, ...] = Field(
        default=(), max_length=MAX_HELPERS, description="Who helps; each adds 2."
    )


class ScorekeeperRoll(ScorekeeperHelpedAttempt, DiceRequest):
    """A check (Erfolgswurf)."""

    take_ten: bool = Field(default=False, description="Takes a 10 instead of rolling (Take Ten).")
    attack: bool = Field(default=False, description="An attack in combat.")
    faces: FacesD20 = None


@record
class ScorekeeperCheck:
    """A check, read from its die."""

    outcome: ScorekeeperOutcome
    success: Annotated[bool, Field(description="Whether it succeeded.")]
    roll: Annotated[int, Field(ge=1, le=SIDES, description="The die, or the 10 that was taken.")]
    action_value: Annotated[int, Field(description="Attribute, skill, modifiers and 2 per helper.")]
    target: Annotated[int, Field(description="Action value minus handicap.")]
    margin: Annotated[int, Field(description="Target minus roll, signed; it does not decide alone.")]
    effect: Annotated[int | None, Field(ge=0, description="Null on a failure.")]
    rating: Annotated[
        ScorekeeperRating | None, Field(description="What the effect is worth; null on a failure.")
    ]


@record
class ScorekeeperAttack:
    """What an attack means for the defender."""

    defender_may: Annotated[
        tuple[ScorekeeperDefense, ...], Field(description="What is left to the defender; empty on a failure.")
    ]
    damage_bonus: Annotated[
        int, Field(ge=0, le=NATURAL_BONUS, description="Added to the damage if the attack deals any.")
    ]


@record
class ScorekeeperRollResult(ScorekeeperCheck):
    """A check with what it means as an attack."""

    attack: Annotated[ScorekeeperAttack | None, Field(description="Null unless it is an attack.")]


class Aim(NamedTuple):
    """What a die is read against."""

    action_value: int
    handicap: int


class Situation(NamedTuple):
    """A check before its die falls."""

    aim: Aim
    take_ten: bool
    attack: bool


def action_value(attempt: ScorekeeperAttempt, helpers: tuple[ScorekeeperHelper, ...] = ()) -> int:
    """Add up the action value, which may be negative (Erfolgswürfe; helpers: Sonderregeln)."""
    return attempt.attribute + attempt.skill + total(attempt.modifiers) + HELP * len(helpers)


def weigh_attempt(
    attempt: ScorekeeperAttempt, helpers: tuple[ScorekeeperHelper, ...] = (), at: str = ""
) -> Aim:
    """Say what the die of an attempt is read against.

    Academic knowledge takes points of one's own (Fertigkeiten im Spiel), and 3 of each helper
    (Sonderregeln). `at` is the pointer to the attempt. Raises `Refusal`: `academic_untrained`,
    `helper_untrained`.
    """
    if attempt.academic:
        if attempt.skill < ACADEMIC_LEAST:
            raise Refusal("academic_untrained", f"{at}/skill")
        for place, helper in enumerate(helpers):
            if helper.skill is None or helper.skill < ACADEMIC_HELP_LEAST:
                raise Refusal("helper_untrained", f"{at}/helpers/{place}/skill")
    return Aim(action_value(attempt, helpers), attempt.handicap)


def weigh(request: ScorekeeperRoll) -> Situation:
    """Weigh a check.

    A handicap makes a roll harder, and Take Ten goes around the roll; Take Ten needs calm, which an
    attack has not (Sonderregeln). Raises `Refusal`: those of `weigh_attempt`, `take_ten_with_handicap`,
    `take_ten_in_attack`.
    """
    aim = weigh_attempt(request, request.helpers)
    if request.take_ten and request.handicap:
        raise Refusal("take_ten_with_handicap", "/take_ten")
    if request.take_ten and request.attack:
        raise Refusal("take_ten_in_attack", "/attack")
    return Situation(aim, request.take_ten, request.attack)


def roll(situation: Situation, dice: Dice) -> ScorekeeperRollResult:
    """Throw a d20, or take the 10 as if it were rolled, and read it."""
    face = TAKEN if situation.take_ten else dice.throw(1, SIDES)[0]
    check = read(situation.aim, face)
    return ScorekeeperRollResult(**vars(check), attack=_attack(check) if situation.attack else None)


def read(aim: Aim, face: int) -> ScorekeeperCheck:
    """Read a die: first the natural 1 and 20, then the comparison (Erfolgswürfe, Effekt)."""
    target = aim.action_value - aim.handicap
    outcome = _outcome(target, face)
    success = outcome in {ScorekeeperOutcome.OUTSTANDING_SUCCESS, ScorekeeperOutcome.SUCCESS}
    effect = max(0, sum(effect_terms(aim, face))) if success else None
    return ScorekeeperCheck(
        outcome=outcome,
        success=success,
        roll=face,
        action_value=aim.action_value,
        target=target,
        margin=target - face,
        effect=effect,
        rating=None if effect is None else rate(effect),
    )


def effect_terms(aim: Aim, face: int) -> tuple[int, ...]:
    """Name what the effect of a success adds up from.

    The action value before the handicap minus the die (Effekt), 10 for a natural 1 (Erfolgswürfe) and
    the handicap (Sonderregeln). A natural 1 alone can bring the sum below 0; the effect is 0 then.
    """
    bonus = NATURAL_BONUS if face == NATURAL_SUCCESS else 0
    return (aim.action_value, -face, *(term for term in (bonus, aim.handicap) if term))


def rate(effect: int) -> ScorekeeperRating:
    """Rate an effect of 0 or more (Effekt: Interpretation)."""
    return next(rating for least, rating in RATED_FROM if effect >= least)


def _outcome(target: int, face: int) -> ScorekeeperOutcome:
    if face == NATURAL_SUCCESS:
        return ScorekeeperOutcome.OUTSTANDING_SUCCESS
    if face == NATURAL_FUMBLE:
        return ScorekeeperOutcome.FUMBLE
    return ScorekeeperOutcome.SUCCESS if face <= target else ScorekeeperOutcome.FAILURE


def _attack(check: ScorekeeperCheck) -> ScorekeeperAttack:
    fatal = check.outcome is ScorekeeperOutcome.OUTSTANDING_SUCCESS
    return ScorekeeperAttack(DEFENSES[check.outcome], NATURAL_BONUS if fatal else 0)
