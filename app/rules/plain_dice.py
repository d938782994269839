"""Plain dice from the verifiable stream, for a client that reads them itself.

It is no game: nothing succeeds or fails, and there are no odds to ask for.
"""

from typing import Annotated, Final

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from app.rules.catalog import Spoken, Words, load_catalog
from app.rules.dice import Dice
from app.rules.display import load_display
from app.rules.fields import FACES_DESCRIPTION, DiceRequest, Frozen
from app.rules.ruleset import Action, Ruleset
from app.rules.shapes import record

MOST_SIDES: Final = 256
MOST_DICE: Final = 1000


class _Handful(Frozen):
    # A base of its own, so that the size is known when the faces are checked.
    sides: int = Field(ge=2, le=MOST_SIDES, description="The size of the dice.")
    count: int = Field(ge=1, le=MOST_DICE, description="How many dice.")


def _on_the_die(face: int, info: ValidationInfo) -> int:
    sides = info.data.get("sides", MOST_SIDES)
    if face > sides:
        raise PydanticCustomError("face_too_high", "beyond the die", {"le": sides})
    return face


class DiceRoll(DiceRequest, _Handful):
    """Some dice of one size."""

    faces: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MOST_SIDES), AfterValidator(_on_the_die)], ...] | None,
        Field(description=FACES_DESCRIPTION),
    ] = None


@record
class DiceRollResult:
    """What the dice show."""

    outcome: Annotated[None, Field(description="Always null: plain dice end in no word.")]
    success: None
    sides: Annotated[int, Field(ge=2, le=MOST_SIDES, description="The size of the dice.")]
    total: Annotated[int, Field(ge=1, description="All faces added up.")]


def keep(request: DiceRoll) -> DiceRoll:
    """Keep the request as it is: nothing is known before the dice fall."""
    return request


def roll(request: DiceRoll, dice: Dice) -> DiceRollResult:
    """Throw the dice and add them up."""
    faces = dice.throw(request.count, request.sides)
    return DiceRollResult(outcome=None, success=None, sides=request.sides, total=sum(faces))


def _speak(request: DiceRoll, result: DiceRollResult, words: Words) -> Spoken:
    return None, words.say["total"](count=request.count, sides=result.sides, total=result.total)


RULESET: Final = Ruleset(
    id="dice",
    rules_version=1,
    actions=(
        Action(
            name="roll",
            request=DiceRoll,
            outcome=DiceRollResult,
            outcomes=None,
            sides=None,
            weigh=keep,
            throw=roll,
            speak=_speak,
            dice=lambda request: request.count,
        ),
    ),
    catalog=load_catalog(__file__),
    display=load_display(__file__),
    limits={"sides": MOST_SIDES, "count": MOST_DICE},
)
