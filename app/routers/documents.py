"""The shapes of the documents that are the same for every caller, for the OpenAPI document."""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

ByLanguage = Annotated[dict[str, str], Field(description="The same in each language.")]


class Links(TypedDict):
    """Where more of it is."""

    self: Annotated[str, Field(description="Its path.")]
    odds: NotRequired[Annotated[str, Field(description="The path of its odds.")]]


class RulesetEntry(TypedDict):
    """A ruleset in the catalog."""

    id: Annotated[str, Field(description="The word of its paths.")]
    rules_version: Annotated[
        int, Field(ge=1, description="Goes up whenever the same request and faces would give another answer.")
    ]
    name: ByLanguage
    summary: ByLanguage
    actions: Annotated[list[str], Field(description="The words of its actions.")]
    links: Links


class OutcomeWords(TypedDict):
    """An outcome and its name."""

    outcome: Annotated[str, Field(description="The outcome.")]
    label: ByLanguage
    tone: Annotated[
        int | None,
        Field(
            ge=-2, le=2, description="How good it is for whoever rolls, from -2 to 2; above 0 is a success."
        ),
    ]


class FieldWords(TypedDict):
    """A field and its name."""

    field: Annotated[str, Field(description="Its path, such as modifiers.value.")]
    label: ByLanguage


class FormField(FieldWords):
    """A field of a request, its name and its place in a form."""

    place: Annotated[
        int | None,
        Field(ge=0, description="Its place among those that matter most; null where it may be folded away."),
    ]


class SlipLineWords(FieldWords):
    """A line of the slip on which an answer's arithmetic stands."""

    of: Annotated[
        str,
        Field(description="request or answer, whose field it shows; rest and total show only the label."),
    ]
    kind: Annotated[
        str,
        Field(
            description="plain, nonzero (left out at zero), changed (left out where it says the same as the "
            "line before), signed (no part of a sum), plus, minus, times, rest (what is missing to the next "
            "sum), sum or total."
        ),
    ]
    each: Annotated[
        int | None, Field(description="What every entry of a list counts for that has no value of its own.")
    ]


class ActionExample(TypedDict):
    """A request and its answers."""

    request: Annotated[dict[str, Any], Field(description="A request whose dice are fixed.")]
    requests: Annotated[dict[str, dict[str, Any]], Field(description="The same with names in each language.")]
    answer: Annotated[dict[str, dict[str, Any]], Field(description="Its answer in each language.")]


class ActionCard(TypedDict):
    """An action of a ruleset."""

    name: Annotated[str, Field(description="The word of its path.")]
    label: ByLanguage
    sides: Annotated[
        int | None,
        Field(description="The size of its dice; null where the request says it or none is thrown."),
    ]
    outcomes: Annotated[list[OutcomeWords], Field(description="How it may end, in the order of the rules.")]
    fields: Annotated[list[FormField], Field(description="The fields of its request, parts included.")]
    either: Annotated[
        list[list[list[str]]],
        Field(description="Groups of fields of which a request has one alternative only."),
    ]
    answer: Annotated[list[FieldWords], Field(description="The fields of its answer, parts included.")]
    slip: Annotated[
        list[SlipLineWords],
        Field(description="How the arithmetic of its answer is shown, line by line, from top to bottom."),
    ]
    request_schema: Annotated[str, Field(description="Where its request is described.")]
    links: Links
    example: ActionExample


class RulesetCard(TypedDict):
    """A ruleset with its actions, words and examples."""

    id: Annotated[str, Field(description="The word of its paths.")]
    rules_version: Annotated[
        int, Field(ge=1, description="Goes up whenever the same request and faces would give another answer.")
    ]
    name: ByLanguage
    summary: ByLanguage
    actions: Annotated[list[ActionCard], Field(description="Its actions.")]
    links: Links
    values: Annotated[
        dict[str, dict[str, str]],
        Field(description="In each language, the names of the words in requests and answers."),
    ]


class ProblemKind(TypedDict):
    """What a problem code means."""

    type: Annotated[str, Field(description="The type of its documents.")]
    code: Annotated[str, Field(description="The problem's word; never changes.")]
    status: Annotated[int, Field(ge=400, le=599, description="The HTTP status.")]
    title: ByLanguage
    detail: ByLanguage


class Rate(TypedDict):
    """So many in so many seconds."""

    amount: Annotated[int, Field(ge=1, description="How many.")]
    seconds: Annotated[int, Field(ge=1, description="In how many seconds.")]


class Info(TypedDict):
    """What the service is and can do."""

    name: Annotated[str, Field(description="Wurf.")]
    version: Annotated[str, Field(description="The release.")]
    features: Annotated[list[str], Field(description="What is switched on here.")]
    stream: Annotated[str, Field(description="The way from seeds to faces.")]
    languages: Annotated[list[str], Field(description="Languages of texts; the first where none fits.")]
    limits: Annotated[
        dict[str, float | list[Rate]],
        Field(
            description="The bounds in force, each by its name; rates as lists, empty where there are none."
        ),
    ]
    proof: Annotated[
        dict[str, dict[str, str]],
        Field(description="What a seed, a nonce, faces and a receipt prove, in each language."),
    ]
    contact: Annotated[str | None, Field(description="How to reach whoever runs it.")]


class Health(TypedDict):
    """How the service is."""

    status: Annotated[str, Field(description="A word for it.")]


class KeySet(TypedDict):
    """Public keys (RFC 7517)."""

    keys: Annotated[
        list[dict[str, Any]],
        Field(description="JWKs; retired is the time in seconds after which a key signs no more."),
    ]
