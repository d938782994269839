"""What the answers say to people."""

from typing import Final

from app.rules.catalog import Spoken, Words
from app.rules.fields import Modifier
from app.rules.phrases import cut, fit, plain, signed, sum_of
from app.rules.scorekeeper.check import (
    HELP,
    Aim,
    ScorekeeperAttempt,
    ScorekeeperCheck,
    ScorekeeperHelper,
    ScorekeeperRoll,
    ScorekeeperRollResult,
    action_value,
    effect_terms,
)
from app.rules.scorekeeper.contest import (
    ScorekeeperContest,
    ScorekeeperContestant,
    ScorekeeperContestantResult,
    ScorekeeperContestResult,
)
from app.rules.scorekeeper.extended import ScorekeeperExtended, ScorekeeperExtendedResult

LAST_TOTALS: Final = 6
"""So many totals at the end of a long extended roll are named."""


def speak_roll(request: ScorekeeperRoll, result: ScorekeeperRollResult, words: Words) -> Spoken:
    """Say how a check ended."""
    label = words.outcomes[result.outcome]
    die = words.say["taken" if request.take_ten else "rolled"](roll=result.roll)
    end = _end_of_roll(request, result, words)

    def sentence(room: int) -> str:
        against = _against(request, request.helpers, words, room)
        return words.say["check"](die=die, against=against, label=label, end=end)

    return label, fit(sentence)


def speak_contest(request: ScorekeeperContest, result: ScorekeeperContestResult, words: Words) -> Spoken:
    """Say how a contest ended, with the winner's name where it has one."""

    def sentence(room: int) -> str:
        names = [
            cut(side.name, room) or words.texts[f"side_{place}"]
            for place, side in enumerate(request.contestants)
        ]
        sides = [
            _side(name, side, check, words)
            for name, side, check in zip(names, request.contestants, result.contestants, strict=True)
        ]
        end = words.outcomes[result.outcome]
        if result.winner is not None and request.contestants[result.winner].name:
            end = words.say["wins"](name=names[result.winner])
        return words.say["contest"](first=sides[0], second=sides[1], end=end)

    return words.outcomes[result.outcome], fit(sentence)


def speak_extended(request: ScorekeeperExtended, result: ScorekeeperExtendedResult, words: Words) -> Spoken:
    """Say how an extended roll ended, with the totals on the way."""
    label = words.outcomes[result.outcome]
    totals = [str(request.accumulated), *(str(roll.total) for roll in result.rolls)]
    if len(totals) > LAST_TOTALS + 1:
        totals[1:-LAST_TOTALS] = ["…"]

    def sentence(room: int) -> str:
        return words.say["extended"](
            against=_against(request, (), words, room),
            totals=" → ".join(totals),
            target_effect=request.target_effect,
            rolls_used=result.rolls_used,
            label=label,
        )

    return label, fit(sentence)


def _against(
    attempt: ScorekeeperAttempt, helpers: tuple[ScorekeeperHelper, ...], words: Words, room: int
) -> str:
    """Name the action value with what it is made of, and the target where a handicap lowers it."""
    value = action_value(attempt, helpers)
    text = words.say["action_value"](value=plain(value))
    # Help is a bonus like any other, so that it stands in the sum beside the modifiers.
    bonuses = [Modifier(value=HELP, label=helper.label or words.texts["help"]) for helper in helpers]
    modifiers = (*attempt.modifiers, *bonuses)
    if attempt.skill:
        text += f" ({plain(attempt.attribute)} + {sum_of(attempt.skill, modifiers, words, room)})"
    elif modifiers:
        text += f" ({sum_of(attempt.attribute, modifiers, words, room)})"
    if attempt.handicap:
        target = plain(value - attempt.handicap)
        text += words.say["lowered"](handicap=attempt.handicap, target=target)
    return text


def _end_of_roll(request: ScorekeeperRoll, result: ScorekeeperRollResult, words: Words) -> str:
    """Name the effect and what it means: a fatal hit for the defender, any other success by its rating."""
    if result.rating is None:
        return "."
    meaning = words.values[result.rating]
    if result.attack is not None and result.attack.damage_bonus:
        meaning = words.say["parry_only"](bonus=result.attack.damage_bonus)
    return words.say["achieved"](effect=_effect(result, request.handicap, words), meaning=meaning)


def _effect(check: ScorekeeperCheck, handicap: int, words: Words) -> str:
    """Show how the effect of a success came about."""
    first, *others = terms = effect_terms(Aim(check.action_value, handicap), check.roll)
    return words.say["effect" if sum(terms) >= 0 else "effect_below_0"](
        effect=check.effect,
        terms=" ".join([plain(first), *map(signed, others)]),
    )


def _side(name: str, side: ScorekeeperContestant, check: ScorekeeperContestantResult, words: Words) -> str:
    against = plain(check.target)
    if side.handicap:
        against += f" ({plain(check.action_value)} {signed(-side.handicap)})"
    end = _effect(check, side.handicap, words) if check.success else words.outcomes[check.outcome]
    return words.say["side"](name=name, roll=check.roll, against=against, end=end)
