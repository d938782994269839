"""Three Marks: a d6 read by the row of the advantage, moved by steps, then the damage.

Steps named in brackets are those of the German rule text ("Schritt 3: Stufen rauf und runter").
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

from app.rules.catalog import Spoken, Words, load_catalog
from app.rules.chances import Chances
from app.rules.dice import Dice, GivenDice
from app.rules.display import load_display
from app.rules.fields import DiceRequest, FacesD6, Value
from app.rules.phrases import plain
from app.rules.refusal import Refusal
from app.rules.ruleset import Action, MoreOdds, OddsOf, Ruleset
from app.rules.shapes import OneOf, record

SIDES: Final = 6
DAMAGE_PER_SCAR: Final = 2


class ThreeMarksOutcome(OneOf):
    """How an attack ends, from worst to best."""

    MISS = "miss"
    GRAZE = "graze"
    HIT = "hit"
    CRITICAL = "critical"


class ThreeMarksDefense(OneOf):
    """What an attack targets."""

    COVER = "cover"
    BODY = "body"
    REFLEXES = "reflexes"
    WILL = "will"


class ThreeMarksEffect(OneOf):
    """What is in force on the attacker, the target or the attack."""

    ACCURACY_MARK = "accuracy_mark"
    JOIN_FORCES = "join_forces"
    FOCUSED = "focused"
    SOFT_CHORD = "soft_chord"
    SHAKEN = "shaken"
    SHAKEN_ELSEWHERE = "shaken_elsewhere"
    STAND_FIRM = "stand_firm"
    NOTE = "note"
    HELD_SONG = "held_song"
    TAKE_THE_HIT = "take_the_hit"
    EXPOSED = "exposed"
    NIMBLE = "nimble"
    FLANKED = "flanked"
    SLOWED = "slowed"
    OTHER_CONDITION = "other_condition"
    WALL = "wall"
    SLIP_AWAY = "slip_away"
    VANISH = "vanish"
    GUARDIAN = "guardian"
    ARMOR_MARK = "armor_mark"
    BRACE = "brace"
    GUARD_PAIN = "guard_pain"
    WORN = "worn"


_Effect = ThreeMarksEffect

LADDER: Final = tuple(ThreeMarksOutcome)
"""The line along which steps move a result (Schritt 3)."""
ROWS: Final = {
    row: tuple(LADDER["MGHC".index(letter)] for letter in letters)
    for row, letters in {-2: "MMMGGH", -1: "MMGGHH", 0: "MGGHHC", 1: "GGHHHC", 2: "GHHHCC"}.items()
}
"""What the faces 1 to 6 mean by row (Schritt 2: Würfle)."""
ADVANTAGE: Final = {
    _Effect.ACCURACY_MARK: 1,
    _Effect.JOIN_FORCES: 1,
    _Effect.FOCUSED: 1,
    _Effect.SOFT_CHORD: 1,
    _Effect.SHAKEN: 1,
    _Effect.STAND_FIRM: -2,
    _Effect.NOTE: -1,
    _Effect.HELD_SONG: -2,
    _Effect.TAKE_THE_HIT: -2,
}
"""How effects change the advantage (Schritt 1: Rechne deinen Vorteil aus)."""
ONLY_AGAINST: Final = {
    _Effect.STAND_FIRM: ThreeMarksDefense.COVER,
    _Effect.NOTE: ThreeMarksDefense.COVER,
    _Effect.HELD_SONG: ThreeMarksDefense.COVER,
    _Effect.TAKE_THE_HIT: ThreeMarksDefense.BODY,
}
"""The one defense that an effect raises."""
OPENINGS: Final = frozenset(
    {
        _Effect.FLANKED,
        _Effect.SHAKEN,
        _Effect.SHAKEN_ELSEWHERE,
        _Effect.SLOWED,
        _Effect.WORN,
        _Effect.EXPOSED,
        _Effect.OTHER_CONDITION,
    }
)
"""What a nimble hero takes advantage of: a flanked target or a negative condition (Schritt 3)."""
STEPS: Final = {
    _Effect.EXPOSED: 1,
    _Effect.NIMBLE: 1,
    _Effect.WALL: -1,
    _Effect.SLIP_AWAY: -1,
    _Effect.VANISH: -len(LADDER),
}
"""How far an effect moves the result, in the order in which they act (Schritt 3)."""
ARMOR: Final = {
    _Effect.GUARDIAN: 2,
    _Effect.ARMOR_MARK: 1,
    _Effect.BRACE: 1,
    _Effect.GUARD_PAIN: 1,
    _Effect.WORN: -1,
}
"""Where armor comes from (Woher kommt Rüstung?)."""


def _each_once(effects: tuple[ThreeMarksEffect, ...]) -> tuple[ThreeMarksEffect, ...]:
    if len(set(effects)) < len(effects):
        raise PydanticCustomError("duplicate", "named twice")
    return effects


class ThreeMarksRoll(DiceRequest):
    """An attack. Accuracy, armor and defense are the values before the effects given here."""

    advantage: Value | None = Field(
        default=None, description="The advantage, unless accuracy and defense_value give it."
    )
    accuracy: Value | None = Field(default=None, description="The hero's accuracy; needs defense_value.")
    defense_value: Value | None = Field(default=None, description="The target's defense that is attacked.")
    defense: ThreeMarksDefense | None = Field(default=None, description="What the attack targets.")
    effects: Annotated[
        tuple[ThreeMarksEffect, ...], Field(max_length=len(_Effect)), AfterValidator(_each_once)
    ] = Field(
        default=(), description="What is in force, each named once.", json_schema_extra={"uniqueItems": True}
    )
    damage: int | None = Field(default=None, ge=1, le=1000, description="The damage printed on the card.")
    scars: int | None = Field(
        default=None, ge=1, le=100, description="Last Scar (Letzte Narbe): scars spent, two damage each."
    )
    armor: int = Field(default=0, ge=0, le=1000, description="The target's armor.")
    life: int | None = Field(
        default=None, ge=1, le=100_000, description="The target's remaining life; null caps nothing."
    )
    faces: FacesD6 = None


ThreeMarksStep = TypedDict(
    "ThreeMarksStep", {"effect": ThreeMarksEffect, "from": ThreeMarksOutcome, "to": ThreeMarksOutcome}
)


@record
class ThreeMarksUse:
    """Whether an effect of the request was used by a rule."""

    effect: ThreeMarksEffect
    applied: Annotated[bool, Field(description="Whether a rule used it, also where nothing changed.")]


@record
class ThreeMarksDamage:
    """The damage of an attack, from the card to the target."""

    printed: Annotated[int, Field(ge=1, description="Printed on the card.")]
    by_result: Annotated[int, Field(ge=0, description="After the result, before armor.")]
    armor: Annotated[int, Field(ge=0, description="The target's armor after effects.")]
    armor_applied: Annotated[int, Field(ge=0, description="The armor that counted; 0 against will.")]
    dealt: Annotated[int, Field(ge=0, description="What the target takes.")]


@record
class ThreeMarksAttack:
    """An attack, read from its die."""

    outcome: ThreeMarksOutcome
    success: Annotated[bool, Field(description="True at a hit or better.")]
    roll: Annotated[int, Field(ge=1, le=SIDES, description="The die.")]
    advantage: Annotated[int, Field(description="The advantage after effects, unclamped.")]
    row: Annotated[int, Field(ge=-2, le=2, description="The row of the table: the advantage, clamped.")]
    rolled: Annotated[ThreeMarksOutcome, Field(description="The result before steps.")]
    steps: Annotated[
        tuple[ThreeMarksStep, ...],
        Field(description="The steps that applied, in rule order, those that changed nothing included."),
    ]
    effects: Annotated[
        tuple[ThreeMarksUse, ...], Field(description="The effects of the request, in its order.")
    ]
    damage: Annotated[ThreeMarksDamage | None, Field(description="Null without printed damage.")]


class ThreeMarksFace(TypedDict):
    """What one face would do."""

    face: Annotated[int, Field(ge=1, le=SIDES, description="The face.")]
    rolled: Annotated[ThreeMarksOutcome, Field(description="The result before steps.")]
    outcome: Annotated[ThreeMarksOutcome, Field(description="The result after steps.")]
    damage: Annotated[int | None, Field(ge=0, description="The damage dealt; null without printed damage.")]


@record
class _Weighed:
    """An attack before its die falls."""

    advantage: int
    row: int
    steps: tuple[ThreeMarksEffect, ...]
    effects: tuple[ThreeMarksUse, ...]
    printed: int | None
    armor: int
    armor_applied: int
    life: int | None


def weigh(request: ThreeMarksRoll) -> _Weighed:
    """Add up the advantage, the steps and the armor of an attack (Schritte 1, 3 and 4).

    Raises `Refusal`: `advantage_or_accuracy`, `effect_needs_defense`, `damage_or_scars`.
    """
    advantage = _advantage(request)
    if request.defense is None and not ONLY_AGAINST.keys().isdisjoint(request.effects):
        raise Refusal("effect_needs_defense", "/defense")
    printed = _printed_damage(request)
    pierces = request.defense is ThreeMarksDefense.WILL
    effects = _uses(request, armor_counts=printed is not None and not pierces)
    applied = {use.effect for use in effects if use.applied}
    advantage += sum(ADVANTAGE.get(effect, 0) for effect in applied)
    armor = max(0, request.armor + sum(ARMOR.get(effect, 0) for effect in request.effects))
    return _Weighed(
        advantage=advantage,
        row=max(-2, min(advantage, 2)),
        steps=tuple(effect for effect in STEPS if effect in applied),
        effects=effects,
        printed=printed,
        armor=armor,
        armor_applied=0 if pierces else armor,
        life=request.life,
    )


def attack(weighed: _Weighed, dice: Dice) -> ThreeMarksAttack:
    """Throw the die, read it in its row, walk the steps, count the damage."""
    (face,) = dice.throw(1, SIDES)
    rolled = ROWS[weighed.row][face - 1]
    outcome, steps = _walk(rolled, weighed.steps)
    return ThreeMarksAttack(
        outcome=outcome,
        success=outcome in {ThreeMarksOutcome.HIT, ThreeMarksOutcome.CRITICAL},
        roll=face,
        advantage=weighed.advantage,
        row=weighed.row,
        rolled=rolled,
        steps=steps,
        effects=weighed.effects,
        damage=_damage(outcome, weighed),
    )


def _advantage(request: ThreeMarksRoll) -> int:
    """Take the advantage in exactly one of its two forms (Schritt 1)."""
    if request.advantage is not None:
        for other in ("accuracy", "defense_value"):
            if getattr(request, other) is not None:
                raise Refusal("advantage_or_accuracy", f"/{other}")
        return request.advantage
    if request.accuracy is None:
        missing = "advantage" if request.defense_value is None else "accuracy"
        raise Refusal("advantage_or_accuracy", f"/{missing}")
    if request.defense_value is None:
        raise Refusal("advantage_or_accuracy", "/defense_value")
    return request.accuracy - request.defense_value


def _printed_damage(request: ThreeMarksRoll) -> int | None:
    if request.scars is None:
        return request.damage
    if request.damage is not None:
        raise Refusal("damage_or_scars", "/scars")
    return DAMAGE_PER_SCAR * request.scars


def _uses(request: ThreeMarksRoll, *, armor_counts: bool) -> tuple[ThreeMarksUse, ...]:
    """Say of each effect whether a rule used it. One that does not apply here is no error."""
    present = frozenset(request.effects)

    def acts(effect: ThreeMarksEffect) -> bool:
        if effect in ONLY_AGAINST:
            # A held song is the stronger form of the note: together they count once.
            outdone = effect is _Effect.NOTE and _Effect.HELD_SONG in present
            return request.defense is ONLY_AGAINST[effect] and not outdone
        if effect is _Effect.NIMBLE:
            return not OPENINGS.isdisjoint(present)
        if effect in ARMOR:
            return armor_counts
        return effect in ADVANTAGE or effect in STEPS

    return tuple(
        ThreeMarksUse(effect, acts(effect) or (effect in OPENINGS and _Effect.NIMBLE in present))
        for effect in request.effects
    )


def _walk(
    rolled: ThreeMarksOutcome, effects: tuple[ThreeMarksEffect, ...]
) -> tuple[ThreeMarksOutcome, tuple[ThreeMarksStep, ...]]:
    """Move a result along the ladder, never beyond its ends.

    A miss stays a miss: what makes better leaves it alone, and nothing is worse.
    """
    outcome = rolled
    steps: list[ThreeMarksStep] = []
    for effect in effects:
        before = outcome
        if before is not ThreeMarksOutcome.MISS:
            place = LADDER.index(before) + STEPS[effect]
            outcome = LADDER[max(0, min(place, len(LADDER) - 1))]
        steps.append({"effect": effect, "from": before, "to": outcome})
    return outcome, tuple(steps)


def _damage(outcome: ThreeMarksOutcome, weighed: _Weighed) -> ThreeMarksDamage | None:
    """Count the damage (Schritt 4): by the result, minus armor, at least 1 at a hit, at most the life."""
    printed = weighed.printed
    if printed is None:
        return None
    by_result = {
        ThreeMarksOutcome.MISS: 0,
        ThreeMarksOutcome.GRAZE: max(1, printed // 2),
        ThreeMarksOutcome.HIT: printed,
        ThreeMarksOutcome.CRITICAL: printed + printed // 2,
    }[outcome]
    least = 1 if outcome in {ThreeMarksOutcome.HIT, ThreeMarksOutcome.CRITICAL} else 0
    dealt = max(least, by_result - weighed.armor_applied)
    return ThreeMarksDamage(
        printed=printed,
        by_result=by_result,
        armor=weighed.armor,
        armor_applied=weighed.armor_applied,
        dealt=dealt if weighed.life is None else min(dealt, weighed.life),
    )


def by_face(weighed: _Weighed, _chances: Chances) -> list[Mapping[str, Any]]:
    """Say what each face would do: the preview that players know from the game."""
    attacks = [attack(weighed, GivenDice((face,), SIDES)) for face in range(1, SIDES + 1)]
    return [
        {
            "face": one.roll,
            "rolled": one.rolled,
            "outcome": one.outcome,
            "damage": None if one.damage is None else one.damage.dealt,
        }
        for one in attacks
    ]


def _speak(request: ThreeMarksRoll, result: ThreeMarksAttack, words: Words) -> Spoken:  # noqa: ARG001
    label = words.outcomes[result.outcome]
    path = label if result.rolled is result.outcome else f"{words.outcomes[result.rolled]} → {label}"
    text = words.say["attack"](roll=result.roll, advantage=_with_sign(result.advantage), result=path)
    if result.damage is not None:
        text += " " + words.say["damage"](**vars(result.damage))
    return label, text


def _with_sign(advantage: int) -> str:
    return f"+{advantage}" if advantage > 0 else plain(advantage)


RULESET: Final = Ruleset(
    id="three-marks",
    rules_version=1,
    actions=(
        Action(
            name="roll",
            request=ThreeMarksRoll,
            outcome=ThreeMarksAttack,
            outcomes=ThreeMarksOutcome,
            sides=SIDES,
            weigh=weigh,
            throw=attack,
            speak=_speak,
            odds=OddsOf(
                quantity=lambda weighed: None if weighed.printed is None else "damage",
                measure=lambda result: None if result.damage is None else result.damage.dealt,
                more=MoreOdds(
                    "by_face",
                    Annotated[
                        list[ThreeMarksFace], Field(description="What each of the six faces would do.")
                    ],
                    by_face,
                ),
            ),
        ),
    ),
    catalog=load_catalog(__file__),
    display=load_display(__file__),
)
