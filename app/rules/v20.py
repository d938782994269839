"""V20: pools of ten-sided dice against a difficulty, with ones that cancel (Vampire, 20th anniversary).

Sections named in brackets are those of the German rule text ("Die Regel der Eins").
"""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from app.rules.catalog import Spoken, Words, load_catalog
from app.rules.chances import Chances
from app.rules.dice import Dice
from app.rules.display import load_display
from app.rules.fields import DiceRequest, FacesD10, Frozen, Value
from app.rules.refusal import Refusal
from app.rules.ruleset import Action, OddsOf, Ruleset
from app.rules.shapes import OneOf, record
from app.rules.v20_odds import SIDES, Tens, pool_odds

HARDEST: Final = 10
"""No difficulty is above it, since a 10 always succeeds."""
POOL: Final = 100
"""The most dice of a pool."""
MAX_DICE: Final = 1000
"""The most dice of a roll, rerolled tens included."""
SPECIALTY_TRAITS: Final = frozenset({4, 5})
"""What the trait of a specialty may stand at; to refuse higher ones too is our ruling."""
REROLLING: Final = frozenset({Tens.REROLLED, Tens.REROLLED_SPARING})


class V20Outcome(OneOf):
    """How a roll ends."""

    SUCCESS = "success"
    FAILURE = "failure"
    BOTCH = "botch"


class V20Untrained(OneOf):
    """What kind of ability the character lacks."""

    SKILL = "skill"
    TALENT = "talent"


class V20Tens(OneOf):
    """What a specialty does with a 10."""

    DOUBLE = "double"
    REROLL = "reroll"


class V20NewOnes(OneOf):
    """Whether the 1 of a rerolled 10 cancels a success."""

    CANCEL = "cancel"
    IGNORE = "ignore"


class V20Mode(OneOf):
    """Which target number counts."""

    STRICT = "strict"
    CASUAL = "casual"


class V20Specialty(Frozen):
    """A specialty that applies to the roll (Spezialisierung)."""

    trait: Value = Field(description="The trait that the specialty belongs to; it must stand at 4 or 5.")
    tens: V20Tens = Field(
        default=V20Tens.DOUBLE,
        description="A 10 counts two successes (double), or one and another die is thrown (reroll).",
    )
    new_ones: V20NewOnes = Field(
        default=V20NewOnes.CANCEL, description="Whether the 1 of a rerolled 10 cancels a success."
    )


class V20Roll(DiceRequest):
    """A pool against a difficulty."""

    pool: int | None = Field(
        default=None, ge=0, le=POOL, description="The number of dice (Vorrat); or give attribute and ability."
    )
    attribute: int | None = Field(
        default=None, ge=0, le=50, description="The attribute; the pool is attribute plus ability."
    )
    ability: int = Field(default=0, ge=0, le=50, description="The ability, beside an attribute.")
    difficulty: int = Field(
        default=6,
        ge=2,
        le=HARDEST,
        description="What a die must reach (Schwierigkeit). Not the number of successes needed.",
    )
    required: int = Field(default=1, ge=1, le=100, description="The successes needed.")
    untrained: V20Untrained | None = Field(
        default=None, description="An untrained Skill adds 1 to the difficulty, an untrained Talent nothing."
    )
    specialty: V20Specialty | None = Field(default=None, description="A specialty that applies.")
    mode: V20Mode = Field(default=V20Mode.STRICT, description="Casual halves the target number.")
    spend_willpower: bool = Field(default=False, description="Spend a point for one automatic success.")
    willpower: int | None = Field(
        default=None,
        ge=0,
        le=50,
        description="The points left before the roll, where they are to be checked and counted.",
    )
    willpower_pool: bool = Field(default=False, description="Whether the pool is itself a Willpower pool.")
    faces: FacesD10 = None


@record
class V20Difficulty:
    """The way from the difficulty given to the one applied."""

    base: Annotated[int, Field(ge=2, le=HARDEST, description="The difficulty given.")]
    untrained: Annotated[int, Field(ge=0, le=1, description="1 for an untrained Skill.")]
    capped: Annotated[bool, Field(description="Whether the sum was brought back to 10.")]
    halved: Annotated[bool, Field(description="Whether casual halved it, after that.")]
    applied: Annotated[int, Field(ge=1, le=HARDEST, description="What a die must reach.")]


@record
class V20Result:
    """A pool, read from its dice. Every number is kept apart."""

    outcome: V20Outcome
    success: Annotated[bool, Field(description="Whether it succeeded.")]
    pool: Annotated[int, Field(ge=0, le=POOL, description="The dice of the pool, rerolls aside.")]
    reroll_count: Annotated[
        int, Field(ge=0, le=MAX_DICE, description="How many of the faces are rerolled tens; they come last.")
    ]
    difficulty: V20Difficulty
    rolled_successes: Annotated[int, Field(ge=0, description="Before any is cancelled.")]
    ones: Annotated[int, Field(ge=0, description="The ones that cancel, whether or not they find a success.")]
    cancelled: Annotated[int, Field(ge=0, description="The rolled successes that ones cancelled.")]
    net_successes: Annotated[int, Field(ge=0, description="Rolled successes minus cancelled ones.")]
    automatic_successes: Annotated[int, Field(ge=0, le=1, description="1 for a point of Willpower.")]
    total_successes: Annotated[int, Field(ge=0, description="Net plus automatic successes.")]
    required: Annotated[int, Field(ge=1, description="The successes needed.")]
    willpower_after: Annotated[
        int | None, Field(ge=0, description="The points left after the roll; null where not given.")
    ]


@record
class V20Situation:
    """A roll before its dice fall."""

    pool: int
    pool_field: str
    """The pointer to the field that the pool comes from."""
    difficulty: V20Difficulty
    tens: Tens
    automatic: int
    required: int
    willpower_after: int | None


def weigh(request: V20Roll) -> V20Situation:
    """Work out the pool, the applied difficulty and what tens and Willpower do.

    Raises `Refusal`: `pool_or_attribute`, `trained_ability`, `specialty_trait`, `no_willpower`,
    `willpower_on_willpower_pool`.
    """
    pool = _pool(request)
    difficulty = _difficulty(request)
    tens = _tens(request.specialty)
    automatic = _automatic(request)
    return V20Situation(
        pool=pool,
        pool_field="/attribute" if request.pool is None else "/pool",
        difficulty=difficulty,
        tens=tens,
        automatic=automatic,
        required=request.required,
        willpower_after=None if request.willpower is None else request.willpower - automatic,
    )


def roll(situation: V20Situation, dice: Dice) -> V20Result:
    """Throw the pool, then its tens again where they are rerolled, and read all the dice.

    Raises `Refusal` `too_many_dice` before a round of rerolls would bring more than 1,000 dice.
    """
    pool = dice.pool(situation.pool, SIDES)
    rerolled = _reroll_tens(pool, situation, dice)
    return _read(pool, rerolled, situation)


def _pool(request: V20Roll) -> int:
    """Take the pool in exactly one of its two forms. An ability of 0 is the same as none given."""
    if request.pool is None:
        if request.attribute is None:
            raise Refusal("pool_or_attribute", "/attribute" if request.ability else "/pool")
        return request.attribute + request.ability
    if request.attribute is not None:
        raise Refusal("pool_or_attribute", "/attribute")
    if request.ability:
        raise Refusal("pool_or_attribute", "/ability")
    return request.pool


def _difficulty(request: V20Roll) -> V20Difficulty:
    """Add 1 for an untrained Skill, at most to 10, then halve once where casual (Modus Streng, Modus Locker).

    Halved and rounded down, the lowest difficulty of 2 is just the lowest target of 1.
    """
    if request.untrained is not None and request.ability:
        raise Refusal("trained_ability", "/untrained")
    untrained = int(request.untrained is V20Untrained.SKILL)
    full = min(request.difficulty + untrained, HARDEST)
    halved = request.mode is V20Mode.CASUAL
    return V20Difficulty(
        base=request.difficulty,
        untrained=untrained,
        capped=request.difficulty + untrained > HARDEST,
        halved=halved,
        applied=full // 2 if halved else full,
    )


def _tens(specialty: V20Specialty | None) -> Tens:
    """Say what a 10 does: more only by a specialty, which needs a trait of 4 or 5 (Explodieren 10er?)."""
    if specialty is None:
        return Tens.PLAIN
    if specialty.trait not in SPECIALTY_TRAITS:
        raise Refusal("specialty_trait", "/specialty/trait")
    if specialty.tens is V20Tens.DOUBLE:
        return Tens.DOUBLED
    return Tens.REROLLED if specialty.new_ones is V20NewOnes.CANCEL else Tens.REROLLED_SPARING


def _automatic(request: V20Roll) -> int:
    """Count the automatic success (Willenskraft): refused before the roll, so that no point is lost."""
    if not request.spend_willpower:
        return 0
    if request.willpower == 0:
        raise Refusal("no_willpower", "/willpower")
    if request.willpower_pool:
        raise Refusal("willpower_on_willpower_pool", "/willpower_pool")
    return 1


def _reroll_tens(pool: Sequence[int], situation: V20Situation, dice: Dice) -> Sequence[int]:
    """Throw a new die for each 10, in rounds: those of the pool, then those among the new dice."""
    rerolled: list[int] = []
    if situation.tens not in REROLLING:
        return rerolled
    tens = pool.count(SIDES)
    while tens:
        if situation.pool + len(rerolled) + tens > MAX_DICE:
            raise Refusal("too_many_dice", situation.pool_field, most=MAX_DICE)
        thrown = dice.pool(tens, SIDES)
        rerolled += thrown
        tens = thrown.count(SIDES)
    return rerolled


def _read(pool: Sequence[int], rerolled: Sequence[int], situation: V20Situation) -> V20Result:
    """Count successes, cancel by ones, add the automatic success (Diese Reihenfolge einhalten, 3 to 5).

    At an applied difficulty of 1 a 1 is both a success and a one that cancels: our ruling.
    """
    faces = [*pool, *rerolled]
    target = situation.difficulty.applied
    rolled = sum([face >= target for face in faces])
    if situation.tens is Tens.DOUBLED:
        rolled += faces.count(SIDES)
    ones = (pool if situation.tens is Tens.REROLLED_SPARING else faces).count(1)
    cancelled = min(rolled, ones)
    total = rolled - cancelled + situation.automatic
    outcome = _outcome(rolled, ones, total, situation)
    return V20Result(
        outcome=outcome,
        success=outcome is V20Outcome.SUCCESS,
        pool=situation.pool,
        reroll_count=len(rerolled),
        difficulty=situation.difficulty,
        rolled_successes=rolled,
        ones=ones,
        cancelled=cancelled,
        net_successes=rolled - cancelled,
        automatic_successes=situation.automatic,
        total_successes=total,
        required=situation.required,
        willpower_after=situation.willpower_after,
    )


def _outcome(rolled: int, ones: int, total: int, situation: V20Situation) -> V20Outcome:
    """Name the outcome: a botch needs a 1 and no success, not even a cancelled one (Patzer)."""
    if total >= situation.required:
        return V20Outcome.SUCCESS
    if ones and not rolled and not situation.automatic:
        return V20Outcome.BOTCH
    return V20Outcome.FAILURE


def chances(situation: V20Situation) -> Chances:
    """Work out the exact chances of a weighed roll in closed form."""
    odds = pool_odds(
        situation.pool,
        situation.difficulty.applied,
        situation.tens,
        situation.automatic,
        situation.required,
    )
    return Chances(
        outcomes={
            V20Outcome.SUCCESS: odds.success,
            V20Outcome.FAILURE: odds.failure,
            V20Outcome.BOTCH: odds.botch,
        },
        success=odds.success,
        distribution=odds.distribution,
        mean=odds.mean,
        remainder=odds.remainder,
    )


def _speak(request: V20Roll, result: V20Result, words: Words) -> Spoken:
    label = words.outcomes[result.outcome]
    doubled = request.specialty is not None and request.specialty.tens is V20Tens.DOUBLE
    text = words.say["roll"](
        dice=_number(words, "dice", result.pool),
        rerolls=_number(words, "rerolls", result.reroll_count),
        difficulty=result.difficulty.applied,
        made_of=_made_of(result.difficulty, words),
        doubled=words.texts["doubled"] if doubled else "",
        counted=_botched(result, words) if result.outcome is V20Outcome.BOTCH else _added_up(result, words),
        label=label,
    )
    return label, text


def _number(words: Words, noun: str, number: int) -> str:
    """Write a number with its noun, in the form that the language has for exactly that number if any."""
    return words.say.get(f"{noun}_{number}", words.say[noun])(number=number)


def _made_of(difficulty: V20Difficulty, words: Words) -> str:
    """Write how the applied difficulty came about: ` (10 + 1 untrained, at most 10, halved)`."""
    if not difficulty.untrained and not difficulty.halved:
        return ""
    steps = [str(difficulty.base)]
    if difficulty.untrained:
        steps[0] += words.texts["untrained"]
    steps += [words.texts[step] for step in ("capped", "halved") if getattr(difficulty, step)]
    return f" ({', '.join(steps)})"


def _botched(result: V20Result, words: Words) -> str:
    return words.say["botched"](ones=_number(words, "ones", result.ones))


def _added_up(result: V20Result, words: Words) -> str:
    """Write the sum of the successes, without the terms that are 0, and what is needed."""
    total = _number(words, "rolled", result.rolled_successes)
    if result.cancelled:
        total += _number(words, "cancelled", result.cancelled)
    if result.automatic_successes:
        total += words.texts["automatic"]
    if result.cancelled or result.automatic_successes:
        total += f" = {result.total_successes}"
    return words.say["added_up"](total=total, required=result.required)


RULESET: Final = Ruleset(
    id="v20",
    rules_version=1,
    actions=(
        Action(
            name="roll",
            request=V20Roll,
            outcome=V20Result,
            outcomes=V20Outcome,
            sides=SIDES,
            weigh=weigh,
            throw=roll,
            speak=_speak,
            odds=OddsOf(
                quantity=lambda _: "total_successes",
                measure=lambda result: result.total_successes,
                closed_form=chances,
            ),
            dice=lambda request: (request.pool or 0) + (request.attribute or 0) + request.ability,
        ),
    ),
    catalog=load_catalog(__file__),
    display=load_display(__file__),
    limits={"pool_dice": POOL, "roll_dice": MAX_DICE},
)
