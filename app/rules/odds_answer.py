"""The shape of odds, as an answer of their own and as a part of a roll's answer."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

from app.rules.ruleset import Action, Ruleset


class Chance(TypedDict):
    """A chance."""

    probability: Annotated[float, Field(ge=0, le=1, description="The chance, rounded to a float.")]
    exact: NotRequired[
        Annotated[str, Field(description="The same as a reduced fraction; left out with exact=false.")]
    ]


class OutcomeChance(Chance):
    """The chance of an outcome."""

    outcome: Annotated[str, Field(description="The outcome.")]


class ValueChance(Chance):
    """The chance of a value of the quantity."""

    value: Annotated[int, Field(description="The value.")]


class Mean(TypedDict):
    """A mean."""

    value: Annotated[float, Field(description="The mean, rounded to a float.")]
    exact: NotRequired[
        Annotated[str, Field(description="The same as a reduced fraction; left out with exact=false.")]
    ]


def odds_part(action: Action[Any, Any, Any]) -> Any:
    """Make the type of one action's odds as a part of a roll's answer."""
    make: Any = TypedDict  # the checker knows only types written out
    return make(f"{action.request.__name__}Odds", _fields(action))


def odds_answer(ruleset: Ruleset, action: Action[Any, Any, Any]) -> Any:
    """Make the type of one action's odds as an answer, which names the action."""
    named = {
        "ruleset": Literal[ruleset.id],
        "action": Literal[action.name],
        "rules_version": Annotated[
            int, Field(ge=1, description="Goes up whenever the same request would give another answer.")
        ],
    }
    make: Any = TypedDict
    return make(f"{action.request.__name__}OddsAnswer", named | _fields(action))


def _fields(action: Action[Any, Any, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "outcomes": Annotated[
            list[OutcomeChance], Field(description="Every outcome, in the order of the rules.")
        ],
        "success": Annotated[
            Chance | None, Field(description="The chance of success; null where there is none.")
        ],
        "quantity": Annotated[
            str | None, Field(description="The answer field whose distribution is given; null without one.")
        ],
        "distribution": Annotated[
            list[ValueChance],
            Field(description="Its values, ascending, with their chances, which may add up to less than 1."),
        ],
        "mean": Annotated[
            Mean | None, Field(description="The mean of what the distribution holds; null where it is empty.")
        ],
        "remainder": NotRequired[
            Annotated[
                Chance, Field(description="The chance of all values beyond an endless distribution's list.")
            ]
        ],
    }
    if action.odds is not None and action.odds.more is not None:
        fields[action.odds.more.name] = action.odds.more.shape
    return fields
