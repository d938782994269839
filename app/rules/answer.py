"""The shape of an answer: the fields that all answers share, then those of its action."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict, is_typeddict  # pydantic wants these before Python 3.12

from app.rules.fields import DiceRequest
from app.rules.odds_answer import Chance, odds_answer, odds_part
from app.rules.registry import ACTIONS
from app.rules.resolve import Source
from app.rules.ruleset import Action, Ruleset

_SHARED: Final[dict[str, Any]] = {
    "rules_version": Annotated[
        int,
        Field(ge=1, description="Goes up whenever the same request and faces would give another answer."),
    ],
    "ref": Annotated[str | None, Field(description="As sent.")],
}
_TEXT: Final = Annotated[
    str, Field(max_length=200, description="One sentence for people. Facts are only in the other fields.")
]
_ROLLED: Final[dict[str, Any]] = {
    "sides": Annotated[int, Field(ge=2, le=256, description="The size of the dice.")],
    "faces": Annotated[list[int], Field(description="Every face in the order thrown.")],
    "seed": Annotated[
        str | None,
        Field(
            description="The text that reproduces the roll; null where faces were given or none was thrown."
        ),
    ],
    "source": Annotated[Source, Field(description="Where the faces come from.")],
    "stream": Annotated[
        str | None, Field(description="The way from seed to faces; null where none was used.")
    ],
    **_SHARED,
    "label": Annotated[
        str | None, Field(description="The outcome's name in the language of the answer; null without one.")
    ],
    "text": _TEXT,
}


def _success(hint: Any) -> Any:
    """Describe `success` where an action says nothing of its own about it."""
    if get_origin(hint) is Annotated:
        return hint
    return Annotated[hint, Field(description="Whether it succeeded; null where that is no question.")]


def answer_type(ruleset: Ruleset, action: Action[Any, Any, Any], odds: Any = None) -> Any:
    """Make the type of one action's answers, with the fields in the order in which they are sent.

    `odds` is the type of the odds that an answer may hold on request.
    """
    own = get_type_hints(action.outcome, include_extras=True)
    fields: dict[str, Any] = {"ruleset": Literal[ruleset.id], "action": Literal[action.name]}
    if not issubclass(action.request, DiceRequest):
        fields |= {**_SHARED, "text": _TEXT}
    else:
        # Named first for their place in the order.
        fields |= {"outcome": own.pop("outcome"), "success": _success(own.pop("success")), **_ROLLED}
    if odds is not None:
        own["odds"] = NotRequired[odds]
    own["receipt"] = NotRequired[Annotated[str, Field(description="The signed receipt, if asked for.")]]
    make: Any = TypedDict  # the checker knows only types written out
    return make(f"{action.request.__name__}Answer", {**fields, **own})


def answer_fields(action: Action[Any, Any, Any]) -> Iterator[str]:
    """List what an action says of its own by path, in its answers and in its odds."""
    yield from _paths(action.outcome)
    if action.odds is not None and action.odds.more is not None:
        more = action.odds.more
        yield more.name
        yield from (path for part in _parts(more.shape) for path in _paths(part, f"{more.name}."))


def _paths(kind: Any, prefix: str = "") -> Iterator[str]:
    for name, hint in get_type_hints(kind).items():
        if name not in Chance.__annotations__:
            yield prefix + name
            for part in _parts(hint):
                yield from _paths(part, f"{prefix}{name}.")


def _parts(hint: Any) -> Iterator[Any]:
    """Find the types with fields inside a type."""
    if is_dataclass(hint) or is_typeddict(hint):
        yield hint
    for argument in get_args(hint):
        yield from _parts(argument)


_WITH_ODDS: Final = {key: pair for key, pair in ACTIONS.items() if pair[1].odds is not None}

ODDS_TYPES: Final = {key: odds_part(action) for key, (_, action) in _WITH_ODDS.items()}
"""The type of each action's odds as a part of a roll's answer."""
ODDS_ANSWER_TYPES: Final = {key: odds_answer(*pair) for key, pair in _WITH_ODDS.items()}
"""The type of each action's odds as an answer."""
ANSWER_TYPES: Final = {key: answer_type(*pair, ODDS_TYPES.get(key)) for key, pair in ACTIONS.items()}
"""The type of each action's answers."""
ANSWERS: Final = {key: TypeAdapter(answer) for key, answer in ANSWER_TYPES.items()}
"""What checks, describes and writes the answers of each action."""
