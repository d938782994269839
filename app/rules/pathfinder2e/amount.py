"""Amounts such as damage or a duration: multiplied, halved and rounded. No dice."""

from typing import Annotated, Final

from pydantic import Field

from app.rules.catalog import Spoken, Words
from app.rules.dice import Dice
from app.rules.fields import ActionRequest
from app.rules.pathfinder2e.degree import PathfinderOutcome
from app.rules.shapes import record

DOUBLE: Final = 2
HALF: Final = 2


class PathfinderAmount(ActionRequest):
    """An amount and what changes it."""

    value: int = Field(ge=0, le=1_000_000, description="The amount before all changes.")
    multipliers: tuple[Annotated[int, Field(ge=2, le=100)], ...] = Field(
        default=(), max_length=10, description="What multiplies it: each after the first counts one less."
    )
    halve: bool = Field(default=False, description="Whether it is halved, rounded down.")
    basic_save: PathfinderOutcome | None = Field(
        default=None,
        description="How the basic saving throw against it ended: nothing, half, all or double of it.",
    )


@record
class PathfinderAmountResult:
    """An amount after all changes."""

    multiplier: Annotated[int, Field(ge=1, description="What all multipliers make together.")]
    result: Annotated[int, Field(ge=0, description="The amount.")]


def reckon(request: PathfinderAmount) -> PathfinderAmountResult:
    """Multiply, then halve (Multiplizieren, Runden).

    A basic save that failed critically doubles, and that double is one of the multipliers. Ruling: the
    halvings come after all multiplying, one at a time, each rounded down.
    """
    multipliers = request.multipliers
    if request.basic_save is PathfinderOutcome.CRITICAL_FAILURE:
        multipliers = (*multipliers, DOUBLE)
    multiplier = combined(multipliers)
    result = request.value * multiplier
    for _ in range(halvings(request)):
        result //= HALF
    if request.basic_save is PathfinderOutcome.CRITICAL_SUCCESS:
        result = 0
    return PathfinderAmountResult(multiplier, result)


def combined(multipliers: tuple[int, ...]) -> int:
    """Make one multiplier of all: each after the first counts one less (Multiplizieren). None make 1."""
    return 1 + sum(multiplier - 1 for multiplier in multipliers)


def halvings(request: PathfinderAmount) -> int:
    """Count how often the amount is halved."""
    return request.halve + (request.basic_save is PathfinderOutcome.SUCCESS)


def keep(result: PathfinderAmountResult, dice: Dice) -> PathfinderAmountResult:  # noqa: ARG001  throws none
    """Take the amount as it was reckoned; no die changes it."""
    return result


def speak(request: PathfinderAmount, amount: PathfinderAmountResult, words: Words) -> Spoken:
    """Say how the amount came about."""
    changes = ""
    if amount.multiplier > 1:
        changes += f" × {amount.multiplier}"
    if times := halvings(request):
        changes += words.texts[f"halved_{times}"]
    if request.basic_save is not None:
        changes += words.say["basic_save"](degree=words.outcomes[request.basic_save])
    text = words.say["amount"](value=request.value, changes=changes, result=amount.result)
    return None, text
